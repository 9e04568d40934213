import numpy as np
import pytest

from animator.core.errors import InvalidSkeleton
from animator.core.rig import Rig
from animator.rigging.mesh import triangulate
from animator.rigging.silhouette import silhouette_from_mask
from animator.rigging.skinning import assign_bones, measure_bones


def bone_at(rig: Rig, x: float, y: float) -> str:
    """Name of the bone followed by the triangle whose centre is nearest to a figure point."""
    vertices = rig.to_world.invert(rig.mesh.vertices)
    centres = vertices[rig.mesh.triangles].mean(axis=1)
    nearest = np.argmin(np.hypot(*(centres - [x, y]).T))
    return str(rig.skeleton.joints[rig.bone_of[nearest]].name)


@pytest.mark.parametrize(
    ("x", "y", "bone"),
    [
        (80, 25, "neck"),
        (80, 95, "torso"),
        (30, 72, "right_hand"),
        (12, 72, "right_hand"),
        (52, 72, "right_elbow"),
        (130, 72, "left_hand"),
        (64, 170, "right_foot"),
        (96, 170, "left_foot"),
        (67, 140, "right_knee"),
    ],
)
def test_triangles_follow_the_limb_they_lie_in(rig: Rig, x: float, y: float, bone: str) -> None:
    assert bone_at(rig, x, y) == bone


def test_no_triangle_follows_the_root_or_a_bone_without_length(rig: Rig) -> None:
    names = {rig.skeleton.joints[bone].name for bone in np.unique(rig.bone_of)}
    assert not names & {"root", "hip"}


def test_limb_across_a_gap_is_far_however_near_it_lies() -> None:
    # a U: two uprights three pixels apart that join at the bottom only
    mask = np.zeros((220, 60), dtype=bool)
    mask[10:210, 10:28] = True
    mask[10:210, 32:50] = True
    mask[200:210, 10:50] = True
    joints = np.array([[30, 205], [19, 205], [19, 12], [41, 205], [41, 150]], np.float32)
    bones = measure_bones(joints, (-1, 0, 1, 0, 3), mask)
    vertices, triangles = triangulate(silhouette_from_mask(mask))
    bone_of = assign_bones(vertices, triangles, bones)
    centres = vertices[triangles].mean(axis=1)
    top_right = (centres[:, 0] > 32) & (centres[:, 1] < 100)
    assert set(bone_of[top_right].tolist()) == {4}


def test_thin_arm_on_a_broad_body_takes_its_own_paint_only() -> None:
    mask = np.zeros((220, 140), dtype=bool)
    mask[10:210, 20:120] = True
    # body's bone in the middle, arm's bone along the right rim, ten pixels deep
    joints = np.array([[70, 200], [70, 20], [110, 60], [110, 150]], np.float32)
    bones = measure_bones(joints, (-1, 0, 1, 2), mask)
    vertices, triangles = triangulate(silhouette_from_mask(mask))
    bone_of = assign_bones(vertices, triangles, bones)
    centres = vertices[triangles].mean(axis=1)
    level = (centres[:, 1] > 90) & (centres[:, 1] < 130)
    arm = centres[level & (bone_of == 3), 0]
    assert arm.min() > 85
    assert set(bone_of[level & (centres[:, 0] < 80)].tolist()) == {1}


def test_part_without_a_bone_goes_with_the_nearest() -> None:
    mask = np.zeros((200, 100), dtype=bool)
    mask[20:180, 20:40] = True
    mask[20:40, 70:90] = True
    joints = np.array([[30, 170], [30, 100], [30, 30]], np.float32)
    bones = measure_bones(joints, (-1, 0, 1), mask)
    vertices, triangles = triangulate(silhouette_from_mask(mask))
    bone_of = assign_bones(vertices, triangles, bones)
    apart = vertices[triangles].mean(axis=1)[:, 0] > 60
    assert apart.any()
    assert set(bone_of[apart].tolist()) == {2}


def test_reach_is_the_half_width_of_the_limb_but_no_more_than_half_the_bone() -> None:
    mask = np.zeros((400, 60), dtype=bool)
    mask[:, 20:40] = True
    joints = np.array([[30, 390], [30, 20], [30, 10]], np.float32)
    bones = measure_bones(joints, (-1, 0, 1), mask)
    np.testing.assert_allclose(bones.reach, [10, 5], atol=1)
    assert bones.far.tolist() == [1, 2]


def test_bone_that_leaves_the_figure_counts_where_it_is_inside() -> None:
    mask = np.zeros((100, 100), dtype=bool)
    mask[10:90, 10:20] = True
    mask[80:90, 10:90] = True
    joints = np.array([[15, 15], [85, 85]], np.float32)
    bones = measure_bones(joints, (-1, 0), mask)
    assert bones.inside[0, [0, -1]].all()
    assert not bones.inside[0, 7]


def test_joints_all_in_one_place_are_refused() -> None:
    with pytest.raises(InvalidSkeleton):
        measure_bones(np.full((3, 2), 5.0, np.float32), (-1, 0, 1), np.ones((10, 10), bool))
