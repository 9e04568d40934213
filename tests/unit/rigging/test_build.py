import msgspec
import numpy as np
import pytest

from animator.core.drawing import Figure
from animator.core.errors import EmptyMask, InvalidSkeleton
from animator.core.geometry import Box
from animator.core.mask import Mask
from animator.core.pose import joint_positions
from animator.core.rig import Rig
from animator.core.rigging import RigOptions
from animator.core.skeleton import Skeleton
from animator.rigging import build_rig
from animator.rigging.canvas import LONGEST
from animator.rigging.handles import locate
from animator.rigging.kinematics import rest_joints
from tests.unit.rigging.conftest import make_mask


def test_world_has_the_root_at_its_origin_and_the_figure_one_unit_tall(rig: Rig) -> None:
    assert (rig.to_world.root_x, rig.to_world.root_y) == (80.0, 120.0)
    # the mask reaches from row 15 to row 189
    assert rig.to_world.height == 175.0
    assert np.ptp(rig.mesh.vertices[:, 1]) == pytest.approx(1.0, abs=0.02)


def test_mesh_is_counter_clockwise_in_world_space(rig: Rig) -> None:
    a, b, c = (rig.mesh.vertices[rig.mesh.triangles[:, k]] for k in range(3))
    assert ((b - a)[:, 0] * (c - a)[:, 1] - (b - a)[:, 1] * (c - a)[:, 0] > 0).all()


def test_texture_has_a_size_that_keeps_lines_and_is_clear_outside(rig: Rig, mask: Mask) -> None:
    assert rig.texture.shape == (600, 480, 4)  # three times the figure's
    assert not rig.texture[..., 3][: 3 * 8].any()
    assert (rig.texture[1::3, 1::3, 3][mask.data] > 128).mean() > 0.99


def test_joints_outside_the_mask_are_moved_onto_it(
    figure: Figure, mask: Mask, skeleton: Skeleton
) -> None:
    stray = tuple(
        msgspec.structs.replace(joint, x=500.0, y=-40.0) if joint.name == "left_hand" else joint
        for joint in skeleton.joints
    )
    rig = build_rig(figure, mask, Skeleton(joints=stray))
    assert rig.moved_joints == ("left_hand",)
    hand = joint_positions(rig.skeleton)[rig.skeleton.index("left_hand")]
    assert mask.data[int(hand[1]), int(hand[0])]
    vertices = rig.mesh.vertices.astype(np.float64)
    within, shares = locate(vertices, rig.mesh.triangles, rest_joints(rig))
    found = (vertices[rig.mesh.triangles[within]] * shares[..., None]).sum(axis=1)
    np.testing.assert_allclose(found, rest_joints(rig), atol=2e-3)


def test_given_skeleton_is_not_changed(figure: Figure, mask: Mask, skeleton: Skeleton) -> None:
    rig = build_rig(figure, mask, skeleton)
    assert rig.skeleton == skeleton
    assert rig.moved_joints == ()


def test_triangles_are_well_shaped_and_the_least_angle_is_told(rig: Rig) -> None:
    assert 20 < rig.mesh.least_angle <= 60


def test_large_photograph_gives_the_same_rig_with_a_small_texture(
    rig: Rig, skeleton: Skeleton
) -> None:
    times = 25
    data = np.kron(make_mask(), np.ones((times, times), dtype=bool))
    height, width = data.shape
    image = np.full((height, width, 3), 250, np.uint8)
    image[data] = (200, 40, 40)
    large = Figure(box=Box(0.0, 0.0, float(width), float(height)), image=image)
    joints = tuple(
        msgspec.structs.replace(joint, x=joint.x * times, y=joint.y * times)
        for joint in skeleton.joints
    )
    found = build_rig(large, Mask(data), Skeleton(joints=joints))
    assert found.skeleton.joints == joints
    assert max(found.texture.shape) == LONGEST
    assert found.to_world.height == pytest.approx(rig.to_world.height * times, rel=0.01)
    places = found.texture_places()
    alpha = found.texture[places[:, 1].astype(int), places[:, 0].astype(int), 3]
    assert (alpha > 0).mean() > 0.5
    np.testing.assert_allclose(
        np.ptp(found.mesh.vertices, 0), np.ptp(rig.mesh.vertices, 0), atol=0.03
    )


def test_stiff_bone_is_followed_by_all_of_its_paint(
    figure: Figure, mask: Mask, skeleton: Skeleton
) -> None:
    rig = build_rig(figure, mask, skeleton, RigOptions(stiff=("torso",)))
    torso = skeleton.index("torso")
    mine = rig.bone_of == torso
    assert rig.weights is not None
    assert rig.stiffness is not None
    np.testing.assert_allclose(rig.weights[mine, torso], 1, atol=1e-5)
    assert rig.stiffness[mine].min() > 1
    assert (rig.stiffness[~mine] == 1).all()


def test_stiff_bone_that_is_not_there_is_refused(
    figure: Figure, mask: Mask, skeleton: Skeleton
) -> None:
    with pytest.raises(InvalidSkeleton, match="no joint 'tail'"):
        build_rig(figure, mask, skeleton, RigOptions(stiff=("tail",)))


def test_mask_of_another_size_is_refused(figure: Figure, skeleton: Skeleton) -> None:
    with pytest.raises(ValueError, match="expected a mask"):
        build_rig(figure, Mask(np.ones((5, 5), dtype=bool)), skeleton)


def test_empty_mask_is_refused(figure: Figure, skeleton: Skeleton) -> None:
    with pytest.raises(EmptyMask):
        build_rig(figure, Mask(np.zeros((200, 160), dtype=bool)), skeleton)
