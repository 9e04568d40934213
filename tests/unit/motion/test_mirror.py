import numpy as np
import pytest
from numpy.typing import NDArray

from animator.core.motion import RetargetMap
from animator.core.pose import PoseSequence
from animator.motion.kinematics import joint_paths
from animator.motion.library import load_motion
from animator.motion.mirror import mirror
from animator.motion.retarget import retarget
from tests.unit.motion.bodies import T_POSE, T_WORLD

NAMES = [joint.name for joint in T_POSE.joints]


def _other(name: str) -> str:
    if name.startswith("left"):
        return name.replace("left", "right")
    return name.replace("right", "left")


def test_places_are_mirrored_and_bones_keep_their_lengths() -> None:
    motion, own = load_motion("wave")
    flipped, _ = mirror(motion, own)
    np.testing.assert_allclose(joint_paths(flipped), joint_paths(motion) * [-1, 1, 1], atol=1e-5)
    again, back = mirror(*mirror(motion, own))
    np.testing.assert_array_equal(again.rotations, motion.rotations)
    assert back == own


def _poses(name: str, mirrored: bool) -> PoseSequence:
    motion, own = load_motion(name)
    clip = mirror(motion, own) if mirrored else (motion, own)
    return retarget(*clip, T_POSE, T_WORLD)


def _swapped(poses: PoseSequence) -> NDArray[np.float32]:
    return poses.angles[:, [NAMES.index(_other(name)) for name in NAMES]]


@pytest.mark.parametrize("name", ["wave", "dance", "walk", "kick", "cartwheel"])
def test_a_symmetric_figure_moves_as_its_mirror_image(name: str) -> None:
    plain, flipped = _poses(name, mirrored=False), _poses(name, mirrored=True)
    turn = flipped.angles + _swapped(plain)
    np.testing.assert_allclose(np.cos(turn[~np.isnan(turn)]), 1, atol=1e-5)
    np.testing.assert_allclose(flipped.root, plain.root * [-1, 1], atol=1e-6)
    depths = dict(zip(plain.groups, plain.depths.T, strict=True))
    for bones, depth in zip(flipped.groups, flipped.depths.T, strict=True):
        (other,) = [d for b, d in depths.items() if {_other(bone) for bone in b} == set(bones)]
        np.testing.assert_allclose(depth, other, atol=1e-6)


def test_lines_across_the_body_change_their_ends_and_the_path_its_group() -> None:
    motion, own = load_motion("wave")
    asked = RetargetMap(
        bones=own.bones,
        groups=own.groups,
        root=own.root,
        legs=own.legs,
        forward=(("RightHip", "LeftHip"),),
        path_group="left_leg",
    )
    flipped = mirror(motion, asked)[1]
    assert flipped.forward == (("LeftHip", "RightHip"),)
    assert flipped.path_group == "right_leg"
