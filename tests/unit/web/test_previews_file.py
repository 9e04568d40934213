"""The page's tests read previews of our writer; here they are compared with what we write now.

After a change of the format `python -m tests.unit.web.test_previews_file` writes both files anew.
"""

import json
from pathlib import Path
from typing import Any

import numpy as np

from animator.render.previews import (
    PreviewClip,
    PreviewFigure,
    pack_previews,
    read_previews,
    skin_figure,
)

FILE = Path(__file__).parents[3] / "web" / "tests" / "written.previews"
TOLD = FILE.with_name("written-previews.json")


def make_clip(rng: np.random.Generator, name: str, frames: int, groups: int) -> PreviewClip:
    """It goes about at random, but less than half a turn from frame to frame."""
    return PreviewClip(
        name=name,
        loops=frames % 2 == 0,
        fps=float(frames),
        still=frames // 2,
        view=np.array([0.25, -0.5, 1.75]),
        root=rng.uniform(-2, 2, (frames, 2)),
        turns=np.cumsum(rng.uniform(-3, 3, (frames, 4)), axis=0),
        groups=rng.integers(0, groups, 4).astype(np.uint8),
        order=np.array([rng.permutation(groups) for _ in range(frames)], np.uint8),
    )


def make_figures() -> tuple[PreviewFigure, ...]:
    """Two figures of four joints; one can do two things, one can do nothing."""
    rng = np.random.default_rng(6)
    clips = (make_clip(rng, "tanzen ♪", 4, 3), make_clip(rng, "hop", 3, 1))
    found = []
    for number, own in enumerate((clips, ())):
        shares = rng.integers(0, 60, (5, 4))
        shares[:, 0] = 255 - shares[:, 1:].sum(axis=1)
        figure = PreviewFigure(
            id=f"figure-{number + 1}",
            texture=b"picture %d" % number,
            frame=np.array([-0.5, 0.75, 1.5, 2.0]),
            texels=rng.uniform(-0.2, 1.2, (5, 2)),
            joints=rng.uniform(-1, 1, (4, 2)),
            parents=(-1, 0, 1, 0),
            bones=rng.integers(0, 4, (5, 4)).astype(np.uint8),
            shares=shares.astype(np.uint8),
            triangles=rng.integers(0, 5, (3, 3)).astype(np.int32),
            starts=np.array([0, 0, 1, 3, 3]),
            clips=own,
        )
        found.append(figure)
    return tuple(found)


def tell(figures: tuple[PreviewFigure, ...]) -> list[dict[str, Any]]:
    """Figures as the page's tests expect to find them."""
    return [
        {
            "id": figure.id,
            "texture": figure.texture.decode(),
            "texels": np.round(figure.texels, 5).ravel().tolist(),
            "parents": list(figure.parents),
            "bones": figure.bones.ravel().tolist(),
            "shares": figure.shares.ravel().tolist(),
            "triangles": figure.triangles.ravel().tolist(),
            "starts": figure.starts.tolist(),
            "clips": [tell_clip(figure, clip) for clip in figure.clips],
        }
        for figure in figures
    ]


def tell_clip(figure: PreviewFigure, clip: PreviewClip) -> dict[str, Any]:
    """A clip, and where each vertex goes in it."""
    return {
        "name": clip.name,
        "loops": clip.loops,
        "fps": clip.fps,
        "still": clip.still,
        "view": clip.view.tolist(),
        "groups": clip.groups.tolist(),
        "order": clip.order.ravel().tolist(),
        "moved": np.round(skin_figure(figure, clip), 4).ravel().tolist(),
    }


def test_file_of_the_pages_tests_is_what_we_write() -> None:
    found = tell(read_previews(FILE.read_bytes()))
    assert found == tell(read_previews(pack_previews(make_figures())))
    assert json.loads(json.dumps(found)) == json.loads(TOLD.read_text(encoding="utf-8"))


if __name__ == "__main__":
    FILE.write_bytes(pack_previews(make_figures()))
    TOLD.write_text(json.dumps(tell(read_previews(FILE.read_bytes()))), encoding="utf-8")
