import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from animator.core.geometry import Box
from animator.core.scene import Background
from animator.render import plan_scene
from tests.unit.render.conftest import CORNERS, make_rig, make_texture, make_track

RIG = make_rig(make_texture((0, 0, 0)))
BOX = Box(100.0, 50.0, 116.0, 66.0)


@given(
    width=st.floats(0.05, 20),
    height=st.floats(0.05, 20),
    x=st.floats(-10, 10),
    side=st.integers(8, 512),
)
def test_every_vertex_is_inside_every_frame(
    width: float, height: float, x: float, side: int
) -> None:
    size = np.array([width, height], np.float32)
    vertices = np.stack((CORNERS * size, CORNERS * size + np.float32(x)))
    track = make_track(vertices)
    scene = plan_scene([RIG], [track], [BOX], 2 * side, Background())
    place = scene.placements[0]
    shown = scene.camera.apply(
        track.vertices * np.float32(place.scale) + np.array([place.x, place.y], np.float32)
    )
    margin = 0.03 * min(scene.size.width, scene.size.height)
    assert shown.min() >= margin
    assert shown[..., 0].max() <= scene.size.width - margin
    assert shown[..., 1].max() <= scene.size.height - margin
    assert max(scene.size.width, scene.size.height) == 2 * side


@pytest.mark.parametrize(
    ("stretch", "size"),
    [((1, 1), (200, 200)), ((1, 4), (120, 200)), ((4, 1), (200, 120)), ((3, 4), (150, 200))],
    ids=["square", "tall", "wide", "between"],
)
def test_frame_is_as_wide_as_the_clip_within_limits(
    stretch: tuple[int, int], size: tuple[int, int]
) -> None:
    track = make_track((CORNERS * np.array(stretch, np.float32))[None])
    scene = plan_scene([RIG], [track], [BOX], 200, Background())
    assert (scene.size.width, scene.size.height) == size


def test_clip_is_centred_and_as_large_as_the_margin_allows() -> None:
    scene = plan_scene([RIG], [make_track(CORNERS[None])], [BOX], 200, Background())
    place = scene.placements[0]
    shown = scene.camera.apply(
        CORNERS * np.float32(place.scale) + np.array([place.x, place.y], np.float32)
    )
    np.testing.assert_allclose(shown.min(axis=0), [10, 10], atol=0.01)
    np.testing.assert_allclose(shown.max(axis=0), [190, 190], atol=0.01)


def test_figures_keep_the_places_and_sizes_they_have_in_the_drawing() -> None:
    tracks = [make_track(CORNERS[None])] * 2
    boxes = [BOX, Box(132.0, 50.0, 148.0, 66.0)]
    scene = plan_scene([RIG, RIG], tracks, boxes, 200, Background())
    first, second = scene.placements
    # the root is the box's corner; a unit is the figure's sixteen pixels
    assert (first.x, first.y, first.scale) == (100 / 16, -50 / 16, 1.0)
    assert (second.x - first.x, second.y - first.y) == (2.0, 0.0)


def test_smaller_figure_is_smaller_in_the_scene() -> None:
    small = make_rig(make_texture((0, 0, 0)))
    object.__setattr__(small, "to_world", type(small.to_world)(root_x=0, root_y=0, height=8.0))
    tracks = [make_track(CORNERS[None])] * 2
    scene = plan_scene([small, RIG], tracks, [BOX, BOX], 200, Background())
    assert [place.scale for place in scene.placements] == [0.5, 1.0]


def test_background_is_handed_on() -> None:
    clear = Background(kind="transparent")
    assert plan_scene([RIG], [make_track(CORNERS[None])], [BOX], 64, clear).background == clear


def test_scene_without_figures_is_refused() -> None:
    with pytest.raises(ValueError, match="at least one"):
        plan_scene([], [], [], 200, Background())


def test_unequal_numbers_are_refused() -> None:
    with pytest.raises(ValueError, match="zip"):
        plan_scene([RIG], [make_track(CORNERS[None])], [], 200, Background())
