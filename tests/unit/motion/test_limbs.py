import msgspec
import numpy as np
import pytest

from animator.core.motion import RetargetMap
from animator.core.skeleton import BIPED_PARENTS, Skeleton
from animator.motion.library import load_motion
from animator.motion.limbs import fit_map
from tests.unit.motion.bodies import PLACES, T_POSE, drawn

MAP = load_motion("walk")[1]
ARMLESS = {n: p for n, p in BIPED_PARENTS.items() if not n.endswith(("shoulder", "elbow", "hand"))}


def _with(
    more: dict[str, tuple[str, float, float]], parents: dict[str, str | None] = BIPED_PARENTS
) -> Skeleton:
    """A T-pose with further joints: name -> parent, x, y."""
    places = PLACES | {name: (x, y) for name, (_, x, y) in more.items()}
    return drawn(places, parents | {name: parent for name, (parent, _, _) in more.items()})


def _sources(fitted: RetargetMap, *bones: str) -> list[tuple[str, str]]:
    return [(fitted.bones[bone].near, fitted.bones[bone].far) for bone in bones]


def _group_of(fitted: RetargetMap, bone: str) -> tuple[str, ...]:
    (bones,) = [group.bones for group in fitted.groups if bone in group.bones]
    return bones


ARM = [("LeftShoulder", "LeftElbow"), ("LeftElbow", "LeftHand")]
LEG = [("LeftHip", "LeftKnee"), ("LeftKnee", "LeftFoot")]
OTHER_LEG = [("RightHip", "RightKnee"), ("RightKnee", "RightFoot")]


@pytest.mark.parametrize("parents", [BIPED_PARENTS, ARMLESS], ids=["usual", "no arms"])
def test_figure_without_further_limbs_gets_the_map_as_it_is(parents: dict[str, str | None]) -> None:
    assert fit_map(MAP, drawn(PLACES, parents)) is MAP


def test_further_arms_follow_the_arm_of_their_side_each_a_little_later() -> None:
    skeleton = _with(
        {
            "left_shoulder2": ("torso", 58, 40),
            "left_elbow2": ("left_shoulder2", 75, 45),
            "left_hand2": ("left_elbow2", 92, 50),
            "left_shoulder3": ("torso", 58, 50),
            "left_elbow3": ("left_shoulder3", 75, 55),
            "left_hand3": ("left_elbow3", 92, 60),
        }
    )
    fitted = fit_map(MAP, skeleton)
    assert _sources(fitted, "left_elbow2", "left_hand2", "left_elbow3", "left_hand3") == ARM * 2
    assert [fitted.bones[f"left_elbow{i}"].lag for i in (2, 3)] == [0.1, 0.2]
    assert "left_shoulder2" not in fitted.bones
    assert _group_of(fitted, "left_hand2") == ("left_elbow2", "left_hand2")
    assert fitted.groups[-1].depth_driver == "LeftHand"
    assert fitted.bones["left_hand"] == MAP.bones["left_hand"]


FOUR_LEGS: dict[str, str | None] = {"root": None, "torso": "root", "neck": "torso"} | {
    f"{side}_{part}_{end}": "root" if part == "hip" else f"{side}_{above}_{end}"
    for end in ("back", "front")
    for side in ("left", "right")
    for part, above in (("hip", ""), ("knee", "hip"), ("foot", "knee"))
}
DOG = {"root": (50.0, 50.0), "torso": (90.0, 45.0), "neck": (95.0, 30.0)} | {
    f"{side}_{part}_{end}": (x + (5 if side == "left" else 0), y)
    for end, x in (("back", 20.0), ("front", 80.0))
    for side in ("left", "right")
    for part, y in (("hip", 55.0), ("knee", 70.0), ("foot", 90.0))
}


def test_front_legs_of_a_dog_go_with_the_hind_legs_of_the_other_side() -> None:
    fitted = fit_map(MAP, drawn(DOG, FOUR_LEGS))
    assert _sources(fitted, "left_knee_back", "left_foot_back") == LEG
    assert _sources(fitted, "left_knee_front", "left_foot_front") == OTHER_LEG
    assert _sources(fitted, "right_knee_front", "right_foot_front") == LEG
    assert [g.depth_driver for g in fitted.groups[-4:]] == [
        "LeftFoot", "RightFoot", "RightFoot", "LeftFoot",
    ]  # fmt: skip


@pytest.mark.parametrize("to_the_left", [False, True])
def test_dog_keeps_its_trunk_as_it_is_drawn_and_faces_where_its_head_is(to_the_left: bool) -> None:
    places = {name: (100 - x if to_the_left else x, y) for name, (x, y) in DOG.items()}
    fitted = fit_map(MAP, drawn(places, FOUR_LEGS))
    assert fitted.bones["torso"].relative
    assert fitted.bones["neck"].relative
    assert fitted.faces_left == to_the_left


def test_dog_without_torso_faces_where_its_neck_is() -> None:
    parents = FOUR_LEGS | {"neck": "root"}
    del parents["torso"]
    fitted = fit_map(MAP, drawn(DOG, parents))
    assert fitted.bones["neck"].relative
    assert not fitted.faces_left


@pytest.mark.parametrize("parents", [BIPED_PARENTS, ARMLESS], ids=["beside arms", "without arms"])
def test_wings_follow_the_arms_only_where_there_are_none(parents: dict[str, str | None]) -> None:
    fitted = fit_map(
        MAP,
        _with({"left_wing": ("torso", 80, 25), "left_wing_tip": ("left_wing", 99, 15)}, parents),
    )
    if parents is ARMLESS:
        assert _sources(fitted, "left_wing_tip") == [("LeftShoulder", "LeftHand")]
        assert "left_wing" not in fitted.bones  # where it grows from
    else:
        assert fitted is not MAP
        assert "left_wing" not in fitted.bones


def test_tails_and_ears_are_driven_by_nothing() -> None:
    more = {"tail1": ("root", 40.0, 60.0), "tail2": ("tail1", 20.0, 55.0), "ear": ("neck", 60, 5)}
    fitted = fit_map(MAP, _with(more))
    assert fitted.bones == MAP.bones
    assert fitted.groups == MAP.groups


def test_limbs_without_telling_names_are_known_by_where_they_are() -> None:
    fitted = fit_map(
        MAP,
        _with(
            {
                "a": ("torso", 30, 35), "b": ("a", 20, 40), "c": ("b", 5, 45),  # an arm, right
                "d": ("root", 70, 75), "e": ("d", 72, 95),  # a leg, left
                "f": ("neck", 55, 10),  # a feather
            }
        ),
    )  # fmt: skip
    assert _sources(fitted, "b", "c") == [
        ("RightShoulder", "RightElbow"),
        ("RightElbow", "RightHand"),
    ]
    assert "a" not in fitted.bones  # a shoulder
    assert _sources(fitted, "d", "e") == OTHER_LEG  # the second of its side
    assert "f" not in fitted.bones


def test_any_tree_of_any_names_moves() -> None:
    places = {
        "p": (50, 60), "s": (50, 45), "c": (50, 30), "h": (50, 5), "tip": (50, 0),
        "al": (75, 30), "bl": (95, 30), "ar": (25, 30), "br": (5, 30),
        "kl": (55, 80), "fl": (56, 98), "kr": (45, 80), "fr": (44, 98), "one": (70, 75),
    }  # fmt: skip
    parents: dict[str, str | None] = {"p": None, "s": "p", "c": "s", "h": "c", "tip": "h"}
    parents |= {"al": "c", "bl": "al", "ar": "c", "br": "ar"}
    parents |= {"kl": "p", "fl": "kl", "kr": "p", "fr": "kr", "one": "p"}
    fitted = fit_map(MAP, drawn(places, parents))
    torso, neck = ("Hips", "Chest"), ("Neck", "Head")
    assert _sources(fitted, "s", "c", "h", "tip") == [torso, torso, neck, neck]
    assert _sources(fitted, "al", "bl", "kl", "fl") == ARM + LEG
    assert _sources(fitted, "kr", "fr") == OTHER_LEG
    # A leg of one bone follows from hip to foot; the second of its side goes with the other.
    assert _sources(fitted, "one") == [("RightHip", "RightFoot")]


def test_a_back_that_does_not_part_is_torso_and_neck_by_halves() -> None:
    places = {"p": (50, 60), "s": (50, 45), "c": (50, 30)}
    fitted = fit_map(MAP, drawn(places, {"p": None, "s": "p", "c": "s"}))
    assert _sources(fitted, "s", "c") == [("Hips", "Chest"), ("Neck", "Head")]
    lying = {"p": (50, 60), "s": (70, 55), "c": (90, 50)}
    assert "s" not in fit_map(MAP, drawn(lying, {"p": None, "s": "p", "c": "s"})).bones


def test_limb_whose_driver_the_map_lacks_is_not_driven() -> None:
    bones = {bone: source for bone, source in MAP.bones.items() if "hand" not in bone}
    armless = msgspec.structs.replace(MAP, bones=bones)
    skeleton = _with({"left_elbow2": ("torso", 75, 45), "left_hand2": ("left_elbow2", 92, 50)})
    assert "left_hand2" not in fit_map(armless, skeleton).bones


def test_every_drawn_joint_of_the_usual_figure_keeps_its_group() -> None:
    groups = [group.bones for group in MAP.groups]
    assert np.unique([bone for bones in groups for bone in bones]).size == len(T_POSE.joints) - 1
