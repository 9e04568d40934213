import msgspec
import numpy as np
import pytest

from animator.core.scene import Background, Placement
from animator.core.stage import Stage
from tests.unit.render.conftest import CORNERS, make_moved, make_rig, make_scene, make_texture
from tests.unit.render.conftest import make_track as track_of

RIG = make_rig(make_texture((0, 0, 0)))


def test_each_figure_keeps_its_own_time() -> None:
    """Ten frames a second in the scene; a track of five a second that starts after 0.3 s."""
    scene = make_scene(Background(), Placement(), Placement(start=0.3), frames=10)
    fast = make_moved(RIG, track_of(np.repeat(CORNERS[None], 4, axis=0)))
    slow = make_moved(RIG, track_of(np.repeat(CORNERS[None], 3, axis=0), fps=5.0))
    stage = Stage(scene, (fast, slow))
    assert stage.frames_of(0).tolist() == [0, 1, 2, 3, 0, 1, 2, 3, 0, 1]
    assert stage.frames_of(1).tolist() == [0, 0, 0, 0, 0, 1, 1, 2, 2, 0]


@pytest.mark.parametrize("fps", [24.0, 29.97, 30.0, 59.94, 120.0])
def test_a_track_of_the_scenes_own_pace_is_played_frame_by_frame(fps: float) -> None:
    scene = msgspec.structs.replace(make_scene(Background(), frames=2000), fps=fps)
    moved = make_moved(RIG, track_of(np.repeat(CORNERS[None], 2000, axis=0), fps=fps))
    stage = Stage(scene, (moved,))
    assert (stage.frames_of(0) == np.arange(2000)).all()
    assert stage.played() == (moved,)


def test_played_figures_have_the_frames_of_the_scene() -> None:
    shifts = np.arange(3, dtype=np.float32)[:, None, None]
    moved = make_moved(RIG, track_of(CORNERS + shifts, fps=5.0))
    (played,) = Stage(make_scene(Background(), frames=7), (moved,)).played()
    assert played.track.fps == 10.0
    assert played.track.vertices[:, 3, 0].tolist() == [0, 0, 1, 1, 2, 2, 0]
    assert played.joints[:, 0, 0].tolist() == [0, 0, 1, 1, 2, 2, 0]


def test_unequal_numbers_of_figures_and_placements_are_refused() -> None:
    with pytest.raises(ValueError, match="0 figures for 1 placements"):
        Stage(make_scene(Background()), ())


@pytest.mark.parametrize("kind", ["picture", "paper"])
def test_picture_that_is_missing_is_refused(kind: str) -> None:
    background = msgspec.convert({"kind": kind}, Background)
    moved = make_moved(RIG, track_of(CORNERS[None]))
    with pytest.raises(ValueError, match="needs its picture"):
        Stage(make_scene(background), (moved,))


def test_colour_has_levels_of_a_byte() -> None:
    with pytest.raises(ValueError, match="0 to 255"):
        Background(colour=(0, 256, 0))
