import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from animator.core.animation import FrameSize
from animator.core.geometry import Box
from animator.core.moved_figure import MovedFigure
from animator.core.pose import VertexTrack
from animator.core.rig import Rig
from animator.core.scene import Background, Placement
from animator.render import frame_scene, plan_scene
from tests.unit.render.conftest import CORNERS, make_moved, make_rig, make_texture, make_track

RIG = make_rig(make_texture((0, 0, 0)))
BOX = Box(100.0, 50.0, 116.0, 66.0)
STILL = make_track(CORNERS[None])


def moved(track: VertexTrack, rig: Rig = RIG, box: Box = BOX) -> MovedFigure:
    return make_moved(rig, track, box)


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
    scene = plan_scene([moved(track)], 2 * side, Background())
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
    scene = plan_scene([moved(track)], 200, Background())
    assert (scene.size.width, scene.size.height) == size


def test_clip_is_centred_and_as_large_as_the_margin_allows() -> None:
    scene = plan_scene([moved(STILL)], 200, Background())
    place = scene.placements[0]
    shown = scene.camera.apply(
        CORNERS * np.float32(place.scale) + np.array([place.x, place.y], np.float32)
    )
    np.testing.assert_allclose(shown.min(axis=0), [10, 10], atol=0.01)
    np.testing.assert_allclose(shown.max(axis=0), [190, 190], atol=0.01)


def test_figures_keep_the_places_and_sizes_they_have_in_the_drawing() -> None:
    beside = moved(STILL, box=Box(132.0, 50.0, 148.0, 66.0))
    scene = plan_scene([moved(STILL), beside], 200, Background())
    first, second = scene.placements
    # the root is the box's corner; a unit is the figure's sixteen pixels
    assert (first.x, first.y, first.scale) == (100 / 16, -50 / 16, 1.0)
    assert (second.x - first.x, second.y - first.y) == (2.0, 0.0)


def test_smaller_figure_is_smaller_in_the_scene() -> None:
    small = make_rig(make_texture((0, 0, 0)))
    object.__setattr__(small, "to_world", type(small.to_world)(root_x=0, root_y=0, height=8.0))
    scene = plan_scene([moved(STILL, small), moved(STILL)], 200, Background())
    assert [place.scale for place in scene.placements] == [0.5, 1.0]


def test_background_is_handed_on() -> None:
    clear = Background(kind="transparent")
    assert plan_scene([moved(STILL)], 64, clear).background == clear


def test_scene_without_figures_is_refused() -> None:
    with pytest.raises(ValueError, match="at least one"):
        plan_scene([], 200, Background())


def test_scene_lasts_until_every_clip_has_ended_at_the_pace_of_the_fastest() -> None:
    slow = make_track(np.repeat(CORNERS[None], 10, axis=0), fps=10.0)
    fast = make_track(np.repeat(CORNERS[None], 30, axis=0), fps=60.0)
    places = [Placement(), Placement(start=1.25)]
    size = FrameSize(width=64, height=64)
    scene = frame_scene([moved(slow), moved(fast)], places, Background(), size)
    assert (scene.fps, scene.frame_count) == (60.0, 105)  # 1.25 s and half a second
    assert scene.size == size


def test_figures_that_stand_apart_are_all_in_the_frame() -> None:
    places = [Placement(x=-4.0), Placement(x=3.0, y=2.0, scale=2.0)]
    size = FrameSize(width=300, height=200)
    scene = frame_scene([moved(STILL), moved(STILL)], places, Background(), size)
    corners = [CORNERS * np.float32(p.scale) + np.array([p.x, p.y], np.float32) for p in places]
    shown = scene.camera.apply(np.concatenate(corners))
    np.testing.assert_allclose(shown.min(axis=0)[0], 10, atol=0.01)  # 5 % of the shorter side
    np.testing.assert_allclose(shown.max(axis=0)[0], 290, atol=0.01)
    assert shown[:, 1].min() > 10 and shown[:, 1].max() < 190


def test_page_fills_the_frame_when_the_figure_stays_on_it() -> None:
    paper = Background(kind="paper")
    scene = plan_scene([moved(STILL)], 150, paper, page=(300, 200))
    assert (scene.size.width, scene.size.height) == (150, 100)
    assert scene.drawing_unit == 16.0
    assert (scene.camera.origin_x, scene.camera.origin_y) == pytest.approx((0, 0))
    assert scene.camera.scale == pytest.approx(8.0)  # half a pixel of the drawing each


def test_frame_grows_beyond_the_page_when_the_figure_leaves_it() -> None:
    away = make_track(np.stack((CORNERS, CORNERS + np.array([20, 0], np.float32))))
    scene = plan_scene([moved(away)], 300, Background(kind="paper"), page=(300, 200))
    # the figure ends at x = 100 + 21 * 16 = 436, with a rim of a twentieth of 200
    assert scene.camera.scale / 16.0 * 446 == pytest.approx(300)
    assert scene.camera.origin_x == pytest.approx(0)
