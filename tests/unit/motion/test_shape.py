from dataclasses import replace

import numpy as np
import pytest

from animator.motion.library import list_motions, load_motion
from animator.motion.rotations import compose_turns
from animator.motion.shape import Tree, find_head, find_shape
from tests.unit.motion.bodies import BODY, Bones, stand

LIMBS = [f"{side}_{part}" for side in ("left", "right")
         for part in ("shoulder", "elbow", "hand", "hip", "knee", "foot")]  # fmt: skip


def _found(bones: Bones) -> dict[str, str]:
    motion = stand(bones)
    return {role: motion.joints[joint] for role, joint in find_shape(motion).items()}


def test_every_joint_of_a_body_is_found() -> None:
    assert _found(BODY) == {name: name for name in ["hips", *LIMBS, "head"]}


def test_side_is_told_by_the_toes_wherever_the_body_faces() -> None:
    turned = [(name, parent, (-x, y, -z)) for name, parent, (x, y, z) in BODY]
    assert _found(turned)["left_knee"] == "left_knee"
    mirrored = [(name, parent, (-x, y, z)) for name, parent, (x, y, z) in BODY]
    assert _found(mirrored)["left_knee"] == "right_knee"
    assert _found(mirrored)["left_hand"] == "right_hand"


@pytest.mark.parametrize(("knee_z", "left"), [(0.02, "left"), (-0.02, "right"), (0, "left")])
def test_side_is_told_by_the_knees_without_toes_and_else_left_is_at_x(
    knee_z: float, left: str
) -> None:
    bent: Bones = []
    for name, parent, (x, y, z) in BODY:
        if "toe" not in name:
            at_knee = {"knee": knee_z, "foot": -knee_z}.get(name.split("_")[-1], z)
            bent.append((name, parent, (x, y, at_knee)))
    assert _found(bent)["left_knee"] == f"{left}_knee"


def test_arms_that_begin_in_the_chest_itself_have_no_joint_between() -> None:
    short = [bone for bone in BODY if "collar" not in bone[0]]
    plain: Bones = [
        (name, "chest" if "shoulder" in name else parent, (0, 0, 0) if "shoulder" in name else at)
        for name, parent, at in short
    ]
    found = _found(plain)
    assert found["left_elbow"] == "left_elbow"
    sticks: Bones = [
        ("a", "", (0, 0, 0)),
        ("b", "a", (0, 0.5, 0)),
        ("c", "b", (0, 0.4, 0)),
        ("d", "b", (0.5, 0, 0)),
        ("e", "b", (-0.5, 0, 0)),
        ("f", "a", (0.1, -0.7, 0)),
        ("g", "a", (-0.1, -0.7, 0)),
    ]
    found = _found(sticks)
    assert (found["left_shoulder"], found["left_elbow"], found["left_hand"]) == ("b", "d", "d")
    assert (found["right_hip"], found["right_foot"], found["head"]) == ("a", "g", "c")


def test_tree_without_pairs_tells_nothing_and_one_without_arms_only_its_legs() -> None:
    assert find_shape(stand(BODY[:6])) == {}
    assert find_shape(stand(BODY[:1])) == {}
    arms = ("collar", "shoulder", "elbow", "hand", "thumb", "finger")
    walker = [bone for bone in BODY if not bone[0].endswith(arms)]
    legs = {limb for limb in LIMBS if limb.endswith(("hip", "knee", "foot"))}
    assert set(_found(walker)) == {"hips"} | legs


def test_head_is_found_above_the_chest_and_is_no_hand() -> None:
    motion = stand(BODY)
    tree = Tree.of(motion)
    hands = [motion.joints.index(f"{side}_hand") for side in ("left", "right")]
    assert find_head(tree, motion.joints.index("chest"), hands) == motion.joints.index("head")
    assert find_head(tree, motion.joints.index("left_finger"), hands) is None


@pytest.mark.parametrize("name", [info.name for info in list_motions()])
def test_our_own_puppet_is_found_in_every_motion(name: str) -> None:
    motion, _ = load_motion(name)
    found = {role: motion.joints[joint] for role, joint in find_shape(motion).items()}
    own = {role: "".join(word.title() for word in role.split("_")) for role in LIMBS}
    assert found == own | {"hips": "Hips", "head": "Head"}


def test_any_pose_and_any_place_are_the_same_body() -> None:
    motion = stand(BODY, frames=3)
    dice = np.random.default_rng(7)
    turns = compose_turns(("X", "Y", "Z"), dice.uniform(-0.4, 0.4, (3, len(BODY), 3)))
    turns[:, 0] = compose_turns(("Y",), dice.uniform(-3, 3, (3, 1)))
    moved = replace(motion, rotations=turns.astype(np.float32), root=motion.root + 9)
    assert find_shape(moved) == find_shape(motion)
