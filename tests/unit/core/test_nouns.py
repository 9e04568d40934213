"""The nouns refuse what breaks their law, and say what they expected."""

import numpy as np
import pytest

from animator.core.animation import FrameSize
from animator.core.documents import AnimationRequest
from animator.core.drawing import Drawing, Figure, crop_figure
from animator.core.errors import InvalidSkeleton, NoFigureFound
from animator.core.geometry import Box
from animator.core.job import problem_from_error
from animator.core.keypoints import Keypoints
from animator.core.motion import Motion
from animator.core.pose import PoseSequence, VertexTrack, joint_positions
from animator.core.rig import Mesh, Rig
from animator.core.skeleton import BIPED_PARENTS, Joint, Skeleton
from animator.core.spaces import FigureToWorld


def _skeleton() -> Skeleton:
    return Skeleton(
        joints=(
            Joint(name="root", parent=None, x=2, y=3),
            Joint(name="torso", parent="root", x=2, y=1),
        )
    )


def _zeros(*shape: int) -> np.ndarray[tuple[int, ...], np.dtype[np.float32]]:
    return np.zeros(shape, dtype=np.float32)


def test_crop_rounds_outwards_and_clips() -> None:
    image = np.arange(6 * 8 * 3, dtype=np.uint8).reshape(6, 8, 3)
    figure = crop_figure(Drawing(id="d", image=image), Box(-1, 1.5, 4.2, 9))
    assert figure.box == Box(0, 1, 5, 6)
    assert np.array_equal(figure.image, image[1:6, 0:5])


def test_drawing_knows_its_size() -> None:
    drawing = Drawing(id="d", image=np.zeros((6, 8, 3), dtype=np.uint8))
    assert (drawing.width, drawing.height) == (8, 6)


def test_drawing_refuses_grey_pictures() -> None:
    with pytest.raises(ValueError, match=r"\(H, W, 3\) uint8"):
        Drawing(id="d", image=np.zeros((6, 8), dtype=np.uint8))


def test_figure_refuses_an_image_of_another_size_than_its_box() -> None:
    with pytest.raises(ValueError, match="as its box"):
        Figure(box=Box(0, 0, 3, 3), image=np.zeros((2, 3, 3), dtype=np.uint8))


def test_keypoints_refuse_another_count() -> None:
    with pytest.raises(ValueError, match="17"):
        Keypoints(points=_zeros(3, 2), scores=_zeros(3))


def test_biped_has_sixteen_joints_with_parents_first() -> None:
    joints = tuple(Joint(name=n, parent=p, x=0, y=0) for n, p in BIPED_PARENTS.items())
    assert len(Skeleton(joints=joints).joints) == 16


def test_skeleton_gives_parents_and_positions_in_order() -> None:
    skeleton = _skeleton()
    assert skeleton.parents == (-1, 0)
    assert joint_positions(skeleton).tolist() == [[2, 3], [2, 1]]
    assert skeleton.index("torso") == 1


@pytest.mark.parametrize(
    ("joints", "message"),
    [
        pytest.param((), "at least one", id="empty"),
        pytest.param((("a", "b"),), "must come before", id="root-with-parent"),
        pytest.param((("a", None), ("b", None)), "must come before", id="two-roots"),
        pytest.param((("a", None), ("b", "c"), ("c", "a")), "must come before", id="child-first"),
        pytest.param((("a", None), ("a", "a")), "named twice", id="twice"),
    ],
)
def test_skeleton_that_is_no_tree_is_refused(
    joints: tuple[tuple[str, str | None], ...], message: str
) -> None:
    with pytest.raises(InvalidSkeleton, match=message):
        Skeleton(joints=tuple(Joint(name=n, parent=p, x=0, y=0) for n, p in joints))


def test_skeleton_refuses_positions_that_are_not_finite() -> None:
    with pytest.raises(InvalidSkeleton, match="finite"):
        Skeleton(joints=(Joint(name="a", parent=None, x=float("nan"), y=0),))


def test_skeleton_names_a_missing_joint() -> None:
    with pytest.raises(InvalidSkeleton, match="'tail'"):
        _skeleton().index("tail")


@pytest.mark.parametrize(
    ("vertices", "triangles", "message"),
    [
        pytest.param(_zeros(3, 3), np.zeros((1, 3), np.int32), "vertices", id="vertices"),
        pytest.param(_zeros(3, 2), np.zeros((1, 4), np.int32), "triangles", id="triangles"),
        pytest.param(_zeros(3, 2), np.array([[0, 1, 3]], np.int32), "index 3", id="range"),
    ],
)
def test_mesh_refuses_wrong_arrays(
    vertices: np.ndarray[tuple[int, ...], np.dtype[np.float32]],
    triangles: np.ndarray[tuple[int, ...], np.dtype[np.int32]],
    message: str,
) -> None:
    with pytest.raises(ValueError, match=message):
        Mesh(vertices=vertices, triangles=triangles)


@pytest.mark.parametrize(
    ("channels", "bones", "shares", "message"),
    [(3, 1, 1, "texture"), (4, 2, 1, "bone_of"), (4, 1, 2, "weights")],
    ids=["texture-without-alpha", "bone-too-many", "weights-too-many"],
)
def test_rig_refuses_wrong_arrays(channels: int, bones: int, shares: int, message: str) -> None:
    mesh = Mesh(vertices=_zeros(3, 2), triangles=np.array([[0, 1, 2]], np.int32))
    with pytest.raises(ValueError, match=message):
        Rig(
            skeleton=_skeleton(),
            mesh=mesh,
            texture=np.zeros((2, 2, channels), np.uint8),
            bone_of=np.ones(bones, np.int16),
            to_world=FigureToWorld(root_x=0, root_y=0, height=1),
            weights=_zeros(shares, len(_skeleton().joints)),
        )


def test_motion_refuses_arrays_that_disagree() -> None:
    with pytest.raises(ValueError, match="expected arrays"):
        Motion(
            name="m",
            fps=30,
            joints=("a",),
            parents=np.array([-1], np.int16),
            offsets=_zeros(1, 3),
            root=_zeros(2, 3),
            rotations=_zeros(3, 1, 4),
        )


def test_poses_refuse_arrays_that_disagree() -> None:
    with pytest.raises(ValueError, match="depths"):
        PoseSequence(fps=30, root=_zeros(2, 2), angles=_zeros(2, 3), depths=_zeros(2, 2), groups=())


def test_vertex_track_refuses_an_order_of_other_length() -> None:
    with pytest.raises(ValueError, match="order"):
        VertexTrack(
            fps=30,
            vertices=_zeros(2, 3, 2),
            group_of=np.zeros(1, np.int16),
            order=np.zeros((1, 1), np.int16),
        )


@pytest.mark.parametrize("size", [(15, 16), (17, 20), (16, 2050)])
def test_frame_size_must_suit_a_video_codec(size: tuple[int, int]) -> None:
    with pytest.raises(ValueError, match="even"):
        FrameSize(width=size[0], height=size[1])


def test_request_has_defaults_and_limits() -> None:
    assert AnimationRequest().side == 512
    with pytest.raises(ValueError, match="side"):
        AnimationRequest(side=63)
    with pytest.raises(ValueError, match="format"):
        AnimationRequest(formats=())


def test_problem_says_what_the_error_says() -> None:
    problem = problem_from_error(NoFigureFound("Nobody here."))
    assert (problem.code, problem.message, problem.page) == (
        "no_figure_found",
        "Nobody here.",
        "box",
    )
