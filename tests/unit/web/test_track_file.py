"""The page's tests read a vertex track of our writer; here it is compared with what we write now.

After a change of the format `python -m tests.unit.web.test_track_file` writes both files anew.
"""

import json
from pathlib import Path
from typing import Any

import numpy as np

from animator.render.track import TrackClip, TrackFigure, pack_track, read_track

TRACK = Path(__file__).parents[3] / "web" / "tests" / "written.track"
TOLD = TRACK.with_suffix(".json")


def make_clip() -> TrackClip:
    """Three frames of two figures that go about at random, one of two groups and one of three."""
    rng = np.random.default_rng(6)
    figures = []
    for count, groups in ((5, [0, 2, 3]), (4, [0, 1, 1, 2])):
        orders = [rng.permutation(len(groups) - 1) for _ in range(3)]
        figure = TrackFigure(
            vertices=rng.uniform(-20, 90, (3, count, 2)).astype(np.float32),
            texels=rng.uniform(-0.2, 1.2, (count, 2)).astype(np.float32),
            triangles=rng.integers(0, count, (groups[-1], 3)).astype(np.int32),
            groups=np.array(groups),
            order=np.array(orders, np.uint8),
            texture=b"picture %d" % count,
            columns=100 * count,
        )
        figures.append(figure)
    return TrackClip(
        fps=12.5, width=80, height=64, background=(250, 240, 1), figures=tuple(figures)
    )


def tell(clip: TrackClip) -> dict[str, Any]:
    """A clip as the page's tests expect to find it."""
    figures = [
        {
            "vertices": np.round(figure.vertices.astype(float), 4).ravel().tolist(),
            "texels": np.round(figure.texels.astype(float), 5).ravel().tolist(),
            "triangles": figure.triangles.ravel().tolist(),
            "groups": figure.groups.tolist(),
            "order": figure.order.ravel().tolist(),
            "texture": figure.texture.decode(),
            "columns": figure.columns,
        }
        for figure in clip.figures
    ]
    size = [clip.width, clip.height]
    return {"fps": clip.fps, "size": size, "background": clip.background, "figures": figures}


def test_file_of_the_pages_tests_is_what_we_write() -> None:
    found = tell(read_track(TRACK.read_bytes()))
    assert found == tell(read_track(pack_track(make_clip())))
    assert json.loads(json.dumps(found)) == json.loads(TOLD.read_text(encoding="utf-8"))


if __name__ == "__main__":
    TRACK.write_bytes(pack_track(make_clip()))
    TOLD.write_text(json.dumps(tell(read_track(TRACK.read_bytes()))), encoding="utf-8")
