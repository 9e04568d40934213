"""Limbs that are in front of everything, or behind everything, whatever the motion does."""

import numpy as np
import pytest

from animator.core.annotation import Depth
from animator.core.pose import PoseSequence
from animator.core.skeleton import Joint, Skeleton
from animator.motion import order_limbs

PARENTS = {
    "root": None,
    "torso": "root",
    "neck": "torso",
    "left_shoulder": "torso",
    "left_elbow": "left_shoulder",
    "left_hand": "left_elbow",
    "right_shoulder": "torso",
    "right_elbow": "right_shoulder",
    "tail": "root",
    "tail_tip": "tail",
}
SKELETON = Skeleton(
    joints=tuple(Joint(name=name, parent=parent, x=0.0, y=0.0) for name, parent in PARENTS.items())
)
TRUNK = ("torso", "neck", "left_shoulder", "right_shoulder")
LEFT, RIGHT = ("left_elbow", "left_hand"), ("right_elbow",)
POSES = PoseSequence(
    fps=30.0,
    root=np.zeros((2, 2), np.float32),
    angles=np.zeros((2, len(PARENTS)), np.float32),
    # in the first frame the right arm is behind the trunk and the left in front; then both in front
    depths=np.array([[0.0, 0.5, -1.0], [0.0, 0.5, 1.0]], np.float32),
    groups=(TRUNK, LEFT, RIGHT),
)


def orders(limbs: dict[str, Depth]) -> list[list[str]]:
    """Back to front, the first joint of each group, frame by frame."""
    poses = order_limbs(POSES, SKELETON, limbs)
    names = np.array([group[0] for group in poses.groups])
    return [names[np.argsort(row, kind="stable")].tolist() for row in poses.depths]


@pytest.mark.parametrize(
    ("limbs", "first", "second"),
    [
        pytest.param(
            {"right_shoulder": "front"},
            ["root", "left_elbow", "right_elbow"],
            ["root", "left_elbow", "right_elbow"],
            id="arm in front",
        ),
        pytest.param(
            {"left_shoulder": "back"},
            ["left_elbow", "right_elbow", "root"],
            ["left_elbow", "root", "right_elbow"],
            id="arm behind what is behind",
        ),
        pytest.param(
            {"right_shoulder": "front", "left_shoulder": "front"},
            ["root", "right_elbow", "left_elbow"],
            ["root", "left_elbow", "right_elbow"],
            id="two in front as the motion has them",
        ),
        pytest.param(
            {"neck": "front"},
            ["right_elbow", "root", "left_elbow", "neck"],
            ["root", "left_elbow", "right_elbow", "neck"],
            id="head in front of its trunk",
        ),
        pytest.param(
            {"tail": "back"},
            ["tail_tip", "right_elbow", "root", "left_elbow"],
            ["tail_tip", "root", "left_elbow", "right_elbow"],
            id="tail without a group of its own",
        ),
        pytest.param(
            {"left_shoulder": "back", "left_hand": "front"},
            ["left_elbow", "right_elbow", "root", "left_hand"],
            ["left_elbow", "root", "right_elbow", "left_hand"],
            id="hand before what its arm is behind",
        ),
    ],
)
def test_named_limbs_are_where_people_want_them(
    limbs: dict[str, Depth], first: list[str], second: list[str]
) -> None:
    assert orders(limbs) == [first, second]


@pytest.mark.parametrize("limbs", [{}, {"wing": "front"}], ids=["none", "not there"])
def test_nothing_changes_when_no_limb_is_named(limbs: dict[str, Depth]) -> None:
    assert order_limbs(POSES, SKELETON, limbs) is POSES


def test_bone_that_leads_to_a_limb_stays_with_the_body() -> None:
    groups = order_limbs(POSES, SKELETON, {"left_shoulder": "front"}).groups
    assert {"root", "torso", "left_shoulder"} <= set(groups[0])
    assert ("left_elbow", "left_hand") in groups


def test_every_joint_is_in_one_group() -> None:
    limbs: dict[str, Depth] = {"tail": "back", "left_elbow": "front", "neck": "back"}
    poses = order_limbs(POSES, SKELETON, limbs)
    assert sorted(name for group in poses.groups for name in group) == sorted(PARENTS)
    assert poses.depths.shape == (2, len(poses.groups))
