import numpy as np
import pytest

from animator.core.errors import InvalidSkeleton
from animator.core.skeleton import BIPED_PARENTS
from animator.rigging.bones import measure_bones
from tests.unit.rigging.conftest import PLACES

NAMES = list(BIPED_PARENTS)


def test_reach_is_the_half_width_of_the_limb_but_no_more_than_half_the_bone() -> None:
    solid = np.zeros((400, 60), np.uint8)
    solid[:, 20:40] = 1
    joints = np.array([[30.0, 390.0], [30.0, 20.0], [30.0, 10.0]])
    bones = measure_bones(joints, (-1, 0, 1), solid)
    np.testing.assert_allclose(bones.reach, [10, 5], atol=1)
    assert bones.far.tolist() == [1, 2]
    assert bones.near.tolist() == [0, 1]
    np.testing.assert_allclose(bones.lengths, [370, 10])


def test_bone_off_the_figure_has_no_reach() -> None:
    solid = np.zeros((100, 100), np.uint8)
    solid[10:90, 10:20] = 1
    bones = measure_bones(np.array([[50.0, 20.0], [80.0, 20.0]]), (-1, 0), solid)
    assert bones.reach.tolist() == [0.0]


def test_joints_all_in_one_place_are_refused() -> None:
    with pytest.raises(InvalidSkeleton):
        measure_bones(np.full((3, 2), 5.0), (-1, 0, 1), np.ones((10, 10), np.uint8))


def test_limbs_begin_beyond_the_shoulders_and_the_hips() -> None:
    joints = np.array([PLACES[name] for name in NAMES], float)
    parents = tuple(-1 if p is None else NAMES.index(p) for p in BIPED_PARENTS.values())
    bones = measure_bones(joints, parents, np.ones((200, 160), np.uint8))
    limbs = {NAMES[far] for far, is_limb in zip(bones.far, bones.is_limb, strict=True) if is_limb}
    sides = ("elbow", "hand", "knee", "foot")
    assert limbs == {f"{side}_{name}" for side in ("left", "right") for name in sides}


def test_ways_follow_the_limbs_and_cross_the_trunk_straight() -> None:
    joints = np.array([PLACES[name] for name in NAMES], float)
    parents = tuple(-1 if p is None else NAMES.index(p) for p in BIPED_PARENTS.values())
    ways = measure_bones(joints, parents, np.ones((200, 160), np.uint8)).ways
    shoulder, hand, hip = (NAMES.index(n) for n in ("left_shoulder", "left_hand", "left_hip"))
    # shoulder (96, 72), elbow (118, 72), hand (142, 72); hip (90, 122)
    assert ways[shoulder, hand] == pytest.approx(46, abs=1e-3)
    assert ways[shoulder, hip] == pytest.approx(np.hypot(6, 50), abs=1e-3)
    assert ways[hand, hip] == pytest.approx(46 + np.hypot(6, 50), abs=1e-3)
