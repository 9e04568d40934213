import numpy as np
import pytest
from numpy.typing import NDArray

from animator.core.rig import Rig
from animator.rigging.bones import measure_bones
from animator.rigging.ink import hindrance
from animator.rigging.silhouette import silhouette_from_mask
from animator.rigging.territory import share_out


def bone_at(rig: Rig, x: float, y: float) -> str:
    """Name of the bone followed by the triangle whose centre is nearest to a figure point."""
    vertices = rig.to_world.invert(rig.mesh.vertices)
    centres = vertices[rig.mesh.triangles].mean(axis=1)
    nearest = np.argmin(np.hypot(*(centres - [x, y]).T))
    return str(rig.skeleton.joints[rig.bone_of[nearest]].name)


def owners(
    mask: NDArray[np.bool_],
    joints: list[list[float]],
    parents: tuple[int, ...],
    ink: NDArray[np.float32] | None = None,
) -> tuple[NDArray[np.int16], NDArray[np.int16]]:
    """The far joint of each pixel's bone, in the mask's own pixels; -1 outside. And the grid's."""
    silhouette = silhouette_from_mask(mask)
    places = silhouette.from_canvas(np.array(joints, float))
    bones = measure_bones(places, parents, silhouette.solid)
    dark = np.zeros(silhouette.data.shape, np.float32) if ink is None else ink
    owner = share_out(silhouette, bones, hindrance(dark))
    y, x = np.indices(mask.shape) + 0.5
    grid = silhouette.from_canvas(np.stack((x.ravel(), y.ravel()), axis=1)).astype(int)
    grid = np.clip(grid, 0, np.array(owner.shape[::-1]) - 1)
    found = owner[grid[:, 1], grid[:, 0]].reshape(mask.shape)
    return np.where(mask & (found >= 0), bones.far[found], -1), owner


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
    # a U: two uprights a few pixels apart that join at the bottom only
    mask = np.zeros((220, 60), dtype=bool)
    mask[10:210, 10:28] = True
    mask[10:210, 32:50] = True
    mask[200:210, 10:50] = True
    joints = [[30.0, 205.0], [19.0, 205.0], [19.0, 12.0], [41.0, 205.0], [41.0, 150.0]]
    found, _ = owners(mask, joints, (-1, 0, 1, 0, 3))
    assert set(found[15:100, 33:49].ravel().tolist()) == {4}


def test_thin_arm_on_a_broad_body_takes_its_own_paint_only() -> None:
    mask = np.zeros((220, 140), dtype=bool)
    mask[10:210, 20:120] = True
    # body's bone in the middle, arm's bone along the right rim, ten pixels deep
    found, _ = owners(mask, [[70, 200], [70, 20], [110, 60], [110, 150]], (-1, 0, 1, 2))
    level = found[90:130]
    assert np.flatnonzero((level == 3).any(axis=0)).min() > 85
    assert set(level[:, 20:80].ravel().tolist()) == {1}


def test_arm_on_the_body_ends_at_its_own_line() -> None:
    mask = np.zeros((512, 320), dtype=bool)
    mask[10:500, 20:300] = True
    joints = [[110.0, 470.0], [110.0, 40.0], [270.0, 140.0], [270.0, 400.0]]
    ink = np.zeros(silhouette_from_mask(mask).data.shape, np.float32)
    ink[60:480, 205:209] = 1.0
    _, plain = owners(mask, joints, (-1, 0, 1, 2))
    _, inked = owners(mask, joints, (-1, 0, 1, 2), ink)
    row = 270
    border = [int(np.flatnonzero(np.diff(owner[row]))[1]) for owner in (plain, inked)]
    assert abs(border[0] - 207) > 6
    assert abs(border[1] - 207) <= 3


def test_part_without_a_bone_goes_with_the_nearest() -> None:
    mask = np.zeros((200, 100), dtype=bool)
    mask[20:180, 20:40] = True
    mask[20:40, 70:90] = True
    found, _ = owners(mask, [[30, 170], [30, 100], [30, 30]], (-1, 0, 1))
    assert set(found[21:39, 71:89].ravel().tolist()) == {2}
