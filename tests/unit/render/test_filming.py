"""Where figures stand in a frame, and what AnimatedDrawings' camera sees of them."""

from math import radians, tan

import numpy as np
import pytest

from animator.core.animation import FrameSize
from animator.core.drawing import Figure
from animator.core.errors import InvalidScene
from animator.core.geometry import Box
from animator.core.mask import Mask
from animator.core.moved_figure import MovedFigure
from animator.core.pose import VertexTrack
from animator.core.rig import Mesh, Rig
from animator.core.scene import Background, Placement, Scene
from animator.core.script import FilmedPlace, FrameShare, SceneCamera
from animator.core.skeleton import Joint, Skeleton
from animator.core.spaces import FigureToWorld, WorldToFrame
from animator.render import film_figure, show_frame, stand

SQUARE = FrameSize(width=100, height=100)
WIDE = FrameSize(width=200, height=100)


def square_figure(shift: float = 0.0) -> MovedFigure:
    """A square of 100 pixels in a texture of 200, its root in the middle; it moves to the right."""
    corners = np.array([[-0.5, -0.5], [0.5, -0.5], [0.5, 0.5], [-0.5, 0.5]], np.float32)
    vertices = np.stack((corners, corners + np.array([shift, 0], np.float32)))
    rig = Rig(
        skeleton=Skeleton(joints=(Joint(name="root", parent=None, x=50, y=50),)),
        mesh=Mesh(corners, np.array([[0, 1, 2], [0, 2, 3]], np.int32)),
        texture=np.full((200, 100, 4), 255, np.uint8),
        bone_of=np.zeros(2, np.int16),
        to_world=FigureToWorld(root_x=50, root_y=50, height=100),
        weights=np.ones((2, 1), np.float32),
    )
    track = VertexTrack(
        fps=10.0,
        vertices=vertices,
        group_of=np.zeros(2, np.int16),
        order=np.zeros((2, 1), np.int16),
    )
    figure = Figure(Box(0, 0, 100, 200), np.zeros((200, 100, 3), np.uint8))
    joints = np.array([[[0.0, 0.0]], [[shift, 0.0]]])
    return MovedFigure(figure, Mask(np.ones((200, 100), np.bool_)), rig, joints, track)


def seen(one: MovedFigure, place: Placement) -> np.ndarray[tuple[int, ...], np.dtype[np.float32]]:
    return one.track.vertices * place.scale + np.array([place.x, place.y], np.float32)


def test_figure_stands_with_its_feet_where_it_is_told() -> None:
    one = square_figure()
    place = stand(one, FrameShare(x=0.25, y=0.1, height=0.4), WIDE)
    # The frame is 2 wide and 1 high: the middle is at 0.5, the feet are at 0.1, the head at 0.5.
    np.testing.assert_allclose(seen(one, place)[0].min(axis=0), [0.3, 0.1], atol=1e-6)
    np.testing.assert_allclose(seen(one, place)[0].max(axis=0), [0.7, 0.5], atol=1e-6)


def test_camera_ahead_sees_the_figure_as_high_as_its_lens_says() -> None:
    camera = SceneCamera(position=(0.0, 0.0, 2.0), backward=(0.0, 0.0, 1.0))
    one, place = film_figure(square_figure(), FilmedPlace(x=0, y=0, z=-1), camera, SQUARE)
    # The texture's longer side is the unit, so the figure is 0.5 high, and 3 away.
    half = 0.25 / (2 * 3 * tan(radians(17.5)))
    corners = seen(one, place)[0]
    np.testing.assert_allclose(corners.min(axis=0), [0.5 - half] * 2, atol=1e-6)
    np.testing.assert_allclose(corners.max(axis=0), [0.5 + half] * 2, atol=1e-6)
    assert place.scale == pytest.approx(2 * half)
    np.testing.assert_allclose(one.track.vertices, square_figure().track.vertices, atol=1e-6)
    np.testing.assert_allclose(one.joints, square_figure().joints, atol=1e-6)


def test_camera_beside_sees_the_figure_aside() -> None:
    camera = SceneCamera(position=(1.0, 2.0, 2.0), backward=(0.0, 0.0, 3.0))
    _, place = film_figure(square_figure(), FilmedPlace(x=0, y=0, z=0), camera, WIDE)
    zoom = 1 / (2 * 2 * tan(radians(17.5)))
    assert (place.x, place.y) == pytest.approx((1.0 - zoom, 0.5 - 2 * zoom))


def test_camera_above_sees_the_head_larger_than_the_feet() -> None:
    camera = SceneCamera(position=(0.0, 2.0, 2.0), backward=(0.0, 1.0, 1.0))
    one, place = film_figure(square_figure(), FilmedPlace(x=0, y=0, z=0), camera, SQUARE)
    assert (place.x, place.y) == pytest.approx((0.5, 0.5))  # it looks at the root
    low_left, low_right, high_right, high_left = seen(one, place)[0]
    # 0.25 above the root is nearer by a quarter times the cosine of 45 degrees, and looks longer.
    ratio = (high_right - high_left)[0] / (low_right - low_left)[0]
    away, step = 2 * 2**0.5, 0.25 / 2**0.5
    assert ratio == pytest.approx((away + step) / (away - step), rel=1e-5)


def test_camera_that_looks_straight_down_sees_a_flat_figure_as_a_line() -> None:
    camera = SceneCamera(position=(0.0, 3.0, 0.0), backward=(0.0, 1.0, 0.0))
    one, place = film_figure(square_figure(), FilmedPlace(x=0, y=0, z=0), camera, SQUARE)
    corners = seen(one, place)[0]
    assert np.ptp(corners[:, 1]) == pytest.approx(0, abs=1e-6)
    assert np.ptp(corners[:, 0]) > 0.1


@pytest.mark.parametrize(
    ("position", "backward"),
    [((0, 0, -1), (0, 0, 1)), ((0, 0, 0.05), (0, 0, 1)), ((0, 0, 2), (0, 0, -1))],
    ids=["behind", "too near", "looks away"],
)
def test_figure_that_the_camera_cannot_see_is_refused(
    position: tuple[float, float, float], backward: tuple[float, float, float]
) -> None:
    camera = SceneCamera(position=position, backward=backward)
    with pytest.raises(InvalidScene, match=r"view\.CAMERA_POS: a figure is behind this camera"):
        film_figure(square_figure(), FilmedPlace(x=0, y=0, z=0), camera, SQUARE)


def scene_of(place: Placement, size: FrameSize) -> Scene:
    return Scene(
        size=size,
        fps=10.0,
        frame_count=2,
        camera=WorldToFrame(scale=1.0, origin_x=0.0, origin_y=0.0),
        background=Background(),
        placements=(place,),
    )


def test_camera_stays_where_every_figure_is_inside() -> None:
    place = Placement(x=0.5, y=0.5, scale=0.2)
    scene = show_frame(scene_of(place, WIDE), [square_figure(1.0)], moves=True)
    assert scene.camera == WorldToFrame(scale=100.0, origin_x=0.0, origin_y=100.0)


@pytest.mark.parametrize(("x", "y"), [(1.9, 0.5), (0.5, 1.2), (-1.0, -1.0)])
def test_camera_steps_aside_for_a_figure_that_would_leave(x: float, y: float) -> None:
    place = Placement(x=x, y=y, scale=0.2)
    scene = show_frame(scene_of(place, WIDE), [square_figure(1.0)], moves=True)
    assert scene.camera.scale == 100.0  # there is room for its way without stepping back
    shown = scene.camera.apply(seen(square_figure(1.0), place).reshape(-1, 2))
    assert (shown.min(axis=0) >= 5 - 1e-3).all()
    assert (shown.max(axis=0) <= np.array([195, 95]) + 1e-3).all()


def test_camera_steps_back_for_a_long_way() -> None:
    place = Placement(x=0.5, y=0.5, scale=0.5)
    scene = show_frame(scene_of(place, WIDE), [square_figure(7.0)], moves=True)
    shown = scene.camera.apply(seen(square_figure(7.0), place).reshape(-1, 2))
    # The way is 4 scene units, and there are 190 pixels between the margins.
    assert scene.camera.scale == pytest.approx(190 / 4)
    np.testing.assert_allclose([shown[:, 0].min(), shown[:, 0].max()], [5, 195], atol=1e-3)


def test_camera_stands_still_when_asked_to() -> None:
    place = Placement(x=9.0, y=0.5, scale=0.5)
    scene = show_frame(scene_of(place, WIDE), [square_figure()], moves=False)
    assert scene.camera == WorldToFrame(scale=100.0, origin_x=0.0, origin_y=100.0)
