"""Memory does not grow with the length of the clip."""

import gc
import subprocess
import sys
import weakref
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from animator.core.animation import AnimationFormat
from animator.core.scene import Background, BackgroundKind
from animator.core.stage import Stage
from animator.render import encode, plan_scene, rasterize
from animator.render.encode import WRITERS
from tests.unit.render.conftest import CORNERS, make_moved, make_rig, make_texture, make_track

STREAMED = [form for form in WRITERS if form is not AnimationFormat.SHEET]
"""A sheet is one picture of all frames; it has a limit of its own."""

MOST_ALIVE = 12
"""Frames that may live at a time: GIF looks at eight before it chooses colours."""


def make_stage(count: int, kind: BackgroundKind = "colour") -> Stage:
    steps = np.linspace(0, 3, count, dtype=np.float32)[:, None, None] * np.array([1, 0], np.float32)
    moved = make_moved(make_rig(make_texture((200, 60, 30))), make_track(CORNERS + steps, fps=30.0))
    return Stage(plan_scene([moved], 64, Background(kind=kind)), (moved,))


@pytest.mark.parametrize("kind", ["colour", "transparent"])
@pytest.mark.parametrize("form", STREAMED)
def test_frames_are_dropped_as_soon_as_they_are_written(
    tmp_path: Path, form: AnimationFormat, kind: BackgroundKind
) -> None:
    made: list[weakref.ref[NDArray[np.uint8]]] = []
    most = 0

    def counted() -> Iterator[NDArray[np.uint8]]:
        nonlocal most
        for frame in rasterize(make_stage(120, kind)):
            made.append(weakref.ref(frame))
            most = max(most, sum(one() is not None for one in made))
            yield frame

    encode(counted(), 30.0, {form: tmp_path / "clip"})
    gc.collect()
    assert most <= MOST_ALIVE
    assert not any(one() is not None for one in made)


PROGRAM = """
import resource, sys
from pathlib import Path
import numpy as np
from animator.core.animation import AnimationFormat
from animator.render import encode, rasterize
from tests.unit.render.test_streaming import make_long_stage
form = AnimationFormat(sys.argv[1])
encode(rasterize(make_long_stage()), 30.0, {form: Path(sys.argv[2])})
print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)
"""


def make_long_stage() -> Stage:
    """A thousand frames of 500 x 500 pixels, in which nearly all changes."""
    turn = np.linspace(0, 20 * np.pi, 1000, dtype=np.float32)
    path = np.stack((np.cos(turn), np.sin(turn)), axis=1)[:, None] * np.float32(0.2)
    rng = np.random.default_rng(0)
    texture = np.repeat(np.repeat(rng.integers(0, 256, (4, 4, 4), np.uint8), 4, 0), 4, 1)
    texture[..., 3] = 255
    moved = make_moved(make_rig(texture), make_track(CORNERS + path, fps=30.0))
    return Stage(plan_scene([moved], 500, Background()), (moved,))


@pytest.mark.slow
@pytest.mark.parametrize("form", STREAMED)
def test_a_thousand_frames_need_less_than_300_megabytes(
    tmp_path: Path, form: AnimationFormat
) -> None:
    command = [sys.executable, "-c", PROGRAM, form, str(tmp_path / "clip")]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert int(done.stdout) < 300 * 1024  # kilobytes
