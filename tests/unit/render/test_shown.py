from itertools import islice, takewhile

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from animator.core.animation import AnimationFormat
from animator.core.scene import Background
from animator.core.stage import Stage
from animator.render import plan_scene, rasterize
from animator.render.pace import Pace
from animator.render.shown import draw_for, draw_some
from tests.unit.render.conftest import CORNERS, SIDE, make_moved, make_rig, make_track

HUNDREDTHS = Pace(ticks=100, shortest=2)


@pytest.fixture
def stage() -> Stage:
    """A square that moves to the right for twelve frames, at a hundred frames a second."""
    texture = np.full((SIDE, SIDE, 4), 200, np.uint8)
    texture[..., 3] = 255
    path = np.stack((np.arange(12) / 4, np.zeros(12)), axis=1).astype(np.float32)
    moved = make_moved(make_rig(texture), make_track(CORNERS + path[:, None], fps=100.0))
    return Stage(plan_scene([moved], 64, Background()), (moved,))


def test_of_a_hundred_frames_a_second_every_other_is_shown_in_hundredths() -> None:
    assert list(islice(HUNDREDTHS.kept(100.0), 4)) == [0, 2, 4, 6]
    # they begin after 0, 2, 3, 5, 7, 8 and 10 hundredths
    assert list(islice(HUNDREDTHS.kept(60.0), 5)) == [0, 1, 3, 4, 6]
    assert list(islice(HUNDREDTHS.kept(30.0), 4)) == [0, 1, 2, 3]


def test_only_one_of_so_many_frames_is_looked_at() -> None:
    assert list(islice(HUNDREDTHS.kept(30.0, every=3), 3)) == [0, 3, 6]


@given(st.floats(1, 1000), st.integers(1, 5))
def test_what_is_shown_is_shown_long_enough(fps: float, every: int) -> None:
    kept = list(takewhile(lambda frame: frame < 300, HUNDREDTHS.kept(fps, every)))
    begins = np.array([HUNDREDTHS.at(frame, fps) for frame in kept])
    assert kept[0] == 0
    assert (np.diff(begins) >= 2).all()


def same(one: NDArray[np.uint8], other: NDArray[np.uint8]) -> bool:
    return bool((one == other).all())


def test_the_frame_before_stands_in_for_one_that_no_format_shows(stage: Stage) -> None:
    frames, whole = list(draw_for(stage, [AnimationFormat.GIF])), list(rasterize(stage))
    assert len(frames) == len(whole) == 12
    for index, frame in enumerate(frames):
        assert same(frame, whole[index // 2 * 2])
        assert frame is frames[index // 2 * 2]


def test_every_frame_is_drawn_where_one_format_shows_it(stage: Stage) -> None:
    forms = [AnimationFormat.GIF, AnimationFormat.MP4]
    for frame, expected in zip(draw_for(stage, forms), rasterize(stage), strict=True):
        assert same(frame, expected)


def test_the_last_kept_frame_stands_in_until_the_end(stage: Stage) -> None:
    frames = list(draw_some(stage, [0, 5]))
    assert [frame is frames[0] for frame in frames] == [True] * 5 + [False] * 7
    assert len(frames) == 12
