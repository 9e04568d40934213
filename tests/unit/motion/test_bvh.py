import numpy as np
import pytest

from animator.core.errors import InvalidMotion
from animator.motion.bvh import BvhLimits, read_bvh
from animator.motion.kinematics import joint_paths

PLAIN = """HIERARCHY
ROOT Hips
{
  OFFSET 0 0 0
  CHANNELS 6 Xposition Yposition Zposition Zrotation Xrotation Yrotation
  JOINT Knee
  {
    OFFSET 0 -2 0
    CHANNELS 3 Zrotation Xrotation Yrotation
    End Site
    {
      OFFSET 0 -1 0
    }
  }
}
MOTION
Frames: 2
Frame Time: 0.0333333
1 2 3 0 0 0 0 0 0
4 5 6 90 0 0 0 0 0
"""


def test_joints_path_and_rate_are_read() -> None:
    motion = read_bvh(PLAIN, name="step")
    assert (motion.name, motion.fps) == ("step", 30.0)
    assert motion.joints == ("Hips", "Knee", "Knee End")
    assert motion.parents.tolist() == [-1, 0, 1]
    assert motion.offsets.tolist() == [[0, 0, 0], [0, -2, 0], [0, -1, 0]]
    assert motion.root.tolist() == [[1, 2, 3], [4, 5, 6]]
    # A quarter turn about z takes "down" to "sideways".
    np.testing.assert_allclose(joint_paths(motion)[:, 2], [[1, -1, 3], [4 + 3, 5, 6]], atol=1e-6)


def _edited(*changes: tuple[str, str]) -> str:
    text = PLAIN
    for old, new in changes:
        assert old in text
        text = text.replace(old, new)
    return text


@pytest.mark.parametrize(
    "data",
    [
        pytest.param("\n\n" + PLAIN.replace("\n", "\n \n"), id="blank lines everywhere"),
        pytest.param(PLAIN + "\n\n \n", id="blank lines at the end"),
        pytest.param(PLAIN.replace(" ", "  "), id="doubled spaces"),
        pytest.param(PLAIN.replace(" ", "\t"), id="tabs"),
        pytest.param(PLAIN.replace("\n", "\r\n"), id="CRLF"),
        pytest.param(PLAIN.replace("\n", "\r\n").encode(), id="bytes with CRLF"),
        pytest.param("\ufeff" + PLAIN, id="byte-order mark in text"),
        pytest.param(("\ufeff" + PLAIN).encode(), id="byte-order mark in bytes"),
        pytest.param(_edited(("Frames: 2", "Frames: 999")), id="frame count too large"),
        pytest.param(_edited(("Frames: 2", "Frames: 1")), id="frame count too small"),
        pytest.param(_edited(("Frames: 2\n", "")), id="no frame count"),
        pytest.param(_edited(("Frames: 2", "Frames 2")), id="no colon"),
        pytest.param(
            _edited(("Frames: 2\nFrame Time: 0.0333333", "Frame Time: 0.0333333\nFrames: 2")),
            id="time before count",
        ),
        pytest.param(
            PLAIN.lower().replace("hips", "Hips").replace("knee", "Knee"), id="lower case"
        ),
        pytest.param(_edited(("Hips\n{", "Hips {")), id="brace on the line of the joint"),
        pytest.param(PLAIN.replace("\n  }\n}", " } }"), id="braces on one line"),
        pytest.param(
            _edited(("    }\n  }", "    }\n    End Site\n    {\n    OFFSET 0 0 0\n    }\n  }")),
            id="end site without length",
        ),
        pytest.param(PLAIN.replace("\n", "\r"), id="CR alone"),
        pytest.param(PLAIN.rstrip("\n"), id="no newline at the end"),
        pytest.param(_edited(("End Site", "End Site Toe_Nub")), id="end site with a name"),
        pytest.param(
            _edited(("OFFSET 0 -2 0", "OFFSET 0 -2.0E+00 1e-12"), ("4 5 6 90", "4e0 5 0.6e+1 9E1")),
            id="exponents",
        ),
        pytest.param(
            _edited(("1 2 3 0 0 0 0 0 0", "1 2 3 0 0 0 0 0 0 ")), id="space at the end of a line"
        ),
    ],
)
def test_what_other_tools_write_is_read_alike(data: bytes | str) -> None:
    motion, plain = read_bvh(data), read_bvh(PLAIN)
    assert motion.joints == plain.joints
    np.testing.assert_array_equal(motion.root, plain.root)
    np.testing.assert_array_equal(motion.rotations, plain.rotations)


def test_joint_names_keep_their_spaces_and_other_alphabets() -> None:
    text = _edited(("JOINT Knee", "JOINT  Left   Knie rechts ü"))
    assert read_bvh(text).joints[1:] == ("Left Knie rechts ü", "Left Knie rechts ü End")
    assert read_bvh(text.encode("latin-1")).joints[1] == "Left Knie rechts ü"


def test_joints_of_one_name_are_told_apart() -> None:
    text = _edited(("JOINT Knee", "JOINT Hips"))
    assert read_bvh(text).joints == ("Hips", "Hips 2", "Hips 2 End")


def test_rotations_follow_the_order_of_the_channels() -> None:
    turns = "Yrotation Zrotation Xrotation"
    text = _edited(
        (
            "CHANNELS 6 Xposition Yposition Zposition Zrotation Xrotation Yrotation",
            f"CHANNELS 6 Zposition Xposition Yposition {turns}",
        ),
        ("4 5 6 90 0 0", "6 4 5 90 90 0"),
    )
    # About z, "down" goes to +x; then about y, +x goes to -z.
    np.testing.assert_allclose(joint_paths(read_bvh(text))[1, 1], [4, 5, 4], atol=1e-6)


def test_positions_of_lower_joints_do_not_stretch_bones() -> None:
    text = _edited(
        ("CHANNELS 3 Zrotation", "CHANNELS 6 Xposition Yposition Zposition Zrotation"),
        ("1 2 3 0 0 0 0 0 0", "1 2 3 0 0 0 7 7 7 0 0 0"),
        ("4 5 6 90 0 0 0 0 0", "4 5 6 90 0 0 7 7 7 0 0 0"),
        ("ROOT Hips\n{", "ROOT Hips\n{\nJOINT Tail\n{\nOFFSET 0 0 1\nCHANNELS 0\n}"),
    )
    motion = read_bvh(text)
    assert motion.joints[:3] == ("Hips", "Tail", "Knee")
    assert motion.offsets[2].tolist() == [0, -2, 0]


def test_root_that_wraps_the_real_one_is_folded_into_it() -> None:
    text = _edited(
        ("CHANNELS 3 Zrotation", "CHANNELS 6 Xposition Yposition Zposition Zrotation"),
        ("1 2 3 0 0 0 0 0 0", "1 2 3 0 0 0 0 9 0 0 0 0"),
        ("4 5 6 90 0 0 0 0 0", "4 5 6 90 0 0 0 9 0 0 0 0"),
    )
    motion = read_bvh(text)
    assert motion.joints == ("Knee", "Knee End")
    assert motion.parents.tolist() == [-1, 0]
    np.testing.assert_allclose(motion.root, [[1, 2 + 9, 3], [4 - 9, 5, 6]], atol=1e-6)
    np.testing.assert_allclose(joint_paths(motion)[1, 1], [-5 + 1, 5, 6], atol=1e-6)


def test_root_without_position_channels_stays_at_its_offset() -> None:
    text = _edited(
        ("OFFSET 0 0 0", "OFFSET 0 8 0"),
        ("CHANNELS 6 Xposition Yposition Zposition", "CHANNELS 3"),
        ("1 2 3 0 0 0", "0 0 0"),
        ("4 5 6 90 0 0", "90 0 0"),
    )
    assert read_bvh(text).root.tolist() == [[0, 8, 0], [0, 8, 0]]


def test_z_up_files_are_turned_upright_and_scaled_to_metres() -> None:
    text = _edited(("OFFSET 0 -2 0", "OFFSET 0 0 -2"))
    motion = read_bvh(text, up="+z", metres_per_unit=0.01)
    np.testing.assert_allclose(motion.root[0], [0.01, 0.03, -0.02], atol=1e-7)
    np.testing.assert_allclose(joint_paths(motion)[0, 1], [0.01, 0.01, -0.02], atol=1e-7)


@pytest.mark.parametrize(
    ("seconds", "fps"),
    [("0.033333", 30.0), ("0.0333667", 1 / 0.0333667), ("0.008342", 1 / 0.008342), ("1", 1.0)],
)
def test_rates_are_rounded_only_where_a_whole_one_is_meant(seconds: str, fps: float) -> None:
    assert read_bvh(_edited(("0.0333333", seconds))).fps == pytest.approx(fps, rel=1e-12)


@pytest.mark.parametrize(
    ("text", "line", "why"),
    [
        pytest.param("", 1, "HIERARCHY", id="empty"),
        pytest.param("GIF89a", 1, "HIERARCHY", id="another format"),
        pytest.param(PLAIN[: PLAIN.index("MOTION")], 15, "before MOTION", id="no motion"),
        pytest.param(_edited(("}\nMOTION", "MOTION")), 15, "complete", id="brace missing"),
        pytest.param("HIERARCHY\nMOTION\n", 2, "complete", id="no joints"),
        pytest.param(_edited(("ROOT Hips\n{", "ROOT Hips")), 3, "expected {", id="no brace"),
        pytest.param(_edited(("  OFFSET 0 0 0", "  {")), 4, "got '{'", id="brace too many"),
        pytest.param(_edited(("}\nMOTION", "}\n}\nMOTION")), 16, "outside", id="closed twice"),
        pytest.param(
            _edited(("}\nMOTION", "}\nROOT B\nMOTION")), 16, "second ROOT", id="second root"
        ),
        pytest.param(_edited(("ROOT", "JOINT")), 2, "one ROOT", id="joint first"),
        pytest.param(
            _edited(("}\nMOTION", "}\nJOINT B\nMOTION")), 16, "one ROOT", id="joint outside"
        ),
        pytest.param(_edited(("JOINT Knee", "JOINT")), 6, "1 to 100 characters", id="no name"),
        pytest.param(_edited(("  OFFSET 0 0 0\n", "")), 14, "no OFFSET", id="no offset"),
        pytest.param(
            _edited(("OFFSET 0 -2 0", "OFFSET 0 -2")), 8, "three numbers", id="short offset"
        ),
        pytest.param(
            _edited(("OFFSET 0 -2 0", "OFFSET 0 x 0")), 8, "three numbers", id="offset of letters"
        ),
        pytest.param(
            _edited(("OFFSET 0 -2 0", "OFFSET 0 inf 0")), 8, "three numbers", id="endless offset"
        ),
        pytest.param(
            _edited(("CHANNELS 3", "CHANNELS 4")), 9, "CHANNELS", id="wrong channel count"
        ),
        pytest.param(
            _edited((" 6 Xposition Yposition Zposition Zrotation Xrotation Yrotation", "")),
            5,
            "CHANNELS",
            id="no channels",
        ),
        pytest.param(_edited(("6 Xposition", "6 Xscale")), 5, "Xscale", id="unknown channel"),
        pytest.param(_edited(("6 Xposition", "6 Wposition")), 5, "Wposition", id="unknown axis"),
        pytest.param(
            _edited(("      OFFSET 0 -1 0", "      JOINT B")),
            12,
            "End Site",
            id="joint in end site",
        ),
        pytest.param(
            _edited(("  OFFSET 0 0 0", "  SCALE 0 0 0")), 4, "SCALE", id="unknown keyword"
        ),
        pytest.param(_edited(("Frame Time: 0.0333333\n", "")), 18, "expected", id="no frame time"),
        pytest.param(_edited(("0.0333333", "0")), 18, "frame time", id="no time"),
        pytest.param(_edited(("0.0333333", "nan")), 18, "frame time", id="not a time"),
        pytest.param(_edited(("0.0333333", "often")), 18, "frame time", id="time of letters"),
        pytest.param(_edited(("4 5 6 90", "4 5 6")), 20, "9 numbers", id="short frame"),
        pytest.param(_edited(("4 5 6 90", "4 5 6 90 1")), 20, "9 numbers", id="long frame"),
        pytest.param(_edited(("4 5 6 90", "4 5 6 9x")), 20, "numbers", id="letters in a frame"),
        pytest.param(_edited(("4 5 6 90", "4 5 6 nan")), 20, "finite", id="not a number"),
        pytest.param(_edited(("4 5 6 90", "4 5 6 1e30")), 20, "finite", id="number too large"),
    ],
)
def test_broken_files_are_refused_with_the_line(text: str, line: int, why: str) -> None:
    with pytest.raises(InvalidMotion) as refusal:
        read_bvh(text)
    assert refusal.value.message.startswith(f"line {line}: ")
    assert why in refusal.value.message


@pytest.mark.parametrize("end", ["Frames", "1 2 3"])
def test_files_without_a_frame_are_refused(end: str) -> None:
    with pytest.raises(InvalidMotion, match="before its first frame"):
        read_bvh(PLAIN[: PLAIN.index(end)])


@pytest.mark.parametrize(
    "limits",
    [
        BvhLimits(size=100),
        BvhLimits(joints=2),
        BvhLimits(depth=2),
        BvhLimits(frames=1),
        BvhLimits(numbers=17),
    ],
    ids=str,
)
def test_files_beyond_the_limits_are_refused(limits: BvhLimits) -> None:
    with pytest.raises(InvalidMotion, match=r"larger than 100|more than [12] "):
        read_bvh(PLAIN, limits=limits)


def test_channels_of_an_end_site_are_counted() -> None:
    text = _edited(
        ("      OFFSET 0 -1 0\n", "      OFFSET 0 0 0\n      CHANNELS 1 Xrotation\n"),
        ("1 2 3 0 0 0 0 0 0", "1 2 3 0 0 0 0 0 0 0"),
        ("4 5 6 90 0 0 0 0 0", "4 5 6 90 0 0 0 0 0 0"),
    )
    assert read_bvh(text).joints == ("Hips", "Knee", "Knee End")
