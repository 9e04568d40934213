import pytest

from animator.motion.names import candidates, part_of


@pytest.mark.parametrize(
    ("name", "side", "word"),
    [
        ("mixamorig:LeftArm", "left", "arm"),
        ("mixamorig1:Hips", "", "hips"),
        ("Character1_LeftForeArm", "left", "forearm"),
        ("DEF-upper_arm.L.001", "left", "upperarm"),
        ("shin.R", "right", "shin"),
        ("Bip01 L UpperArm", "left", "upperarm"),
        ("Bip001", "", "bip"),
        ("ValveBiped.Bip01_R_Thigh", "right", "thigh"),
        ("J_Bip_C_Hips", "", "hips"),
        ("upperarm_l", "left", "upperarm"),
        ("lShldr", "left", "shldr"),
        ("rThighBend", "right", "thigh"),
        ("L_Hip", "left", "hip"),
        ("LUArm", "left", "uarm"),
        ("Skeleton_Hip", "", "hip"),
        ("Left arm", "left", "arm"),
        ("LEFT-UP-LEG", "left", "upleg"),
        ("rightforearm", "right", "forearm"),
        ("lhand", "left", "hand"),
        ("armLeft", "left", "arm"),
        ("kneeright", "right", "knee"),
        ("LHipJoint", "left", "hipjoint"),
        ("LeftKneeJoint", "left", "knee"),
        ("lowerneck", "", "lowerneck"),
        ("leg", "", "leg"),
        ("RightHandEnd", "right", "handend"),
        ("Linkes Knie", "", "linkesknie"),
        ("Joint_7", "", "joint"),
        ("", "", ""),
    ],
)
def test_name_tells_side_and_part(name: str, side: str, word: str) -> None:
    assert part_of(name) == (side, word)


def test_a_shoulder_is_a_collar_bone_where_there_is_an_arm() -> None:
    assert candidates(("LeftShoulder", "LeftArm", "RightArm"), "left", "shoulder") == [1, 0]
    assert candidates(("LeftCollar", "LeftShoulder"), "left", "shoulder") == [1]
    assert candidates(("LeftArm", "LeftForeArm"), "left", "hand") == []


def test_parents_come_before_the_parts_that_a_bone_was_cut_into() -> None:
    assert candidates(("thigh.L", "thigh.L.001"), "left", "hip") == [0, 1]
