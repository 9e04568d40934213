from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from animator.core.errors import InvalidMotion
from animator.core.motion import Motion
from animator.motion.bvh import read_bvh
from animator.motion.bvh_writer import write_bvh
from animator.motion.kinematics import joint_paths, trim
from animator.motion.rotations import compose_turns


@st.composite
def motions(draw: st.DrawFn) -> Motion:
    """Any tree, depth first, whose joints turn and whose bones have a length."""
    count = draw(st.integers(1, 7))
    parents, open_joints = [-1], [0]
    for joint in range(1, count):
        depth = draw(st.integers(1, len(open_joints)))
        open_joints = [*open_joints[:depth], joint]
        parents.append(open_joints[-2])
    dice = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    frames = draw(st.integers(1, 4))
    turns = compose_turns(("X", "Y", "Z"), dice.uniform(-9, 9, (frames, count, 3)))
    names = st.text("aZ09_:-. äß", min_size=1).map(lambda name: " ".join(name.split())).filter(bool)
    return Motion(
        name="any",
        fps=draw(st.sampled_from([24.0, 30.0, 60.0, 119.88])),
        joints=tuple(draw(st.lists(names, min_size=count, max_size=count, unique=True))),
        parents=np.array(parents, dtype=np.int16),
        offsets=dice.uniform(-2, 2, (count, 3)).astype(np.float32),
        root=dice.uniform(-5, 5, (frames, 3)).astype(np.float32),
        rotations=turns.astype(np.float32),
    )


@settings(deadline=None)  # a busy machine may pause in any example
@given(motions())
def test_what_is_written_is_read_back(motion: Motion) -> None:
    again = read_bvh(write_bvh(motion), name="any")
    assert again.joints == motion.joints
    assert again.fps == pytest.approx(motion.fps, rel=1e-6)
    np.testing.assert_array_equal(again.parents, motion.parents)
    np.testing.assert_allclose(again.offsets, motion.offsets, atol=1e-5)
    # Five decimals of a degree, over at most seven bones of less than four metres.
    np.testing.assert_allclose(joint_paths(again), joint_paths(motion), atol=1e-4)


@pytest.mark.parametrize("clip", ["cmu1/jumping_jacks", "fair1/dab", "rokoko/jesse_dance"])
def test_clips_of_other_tools_are_written_and_read_back(shared_data: Path, clip: str) -> None:
    whole = read_bvh((shared_data / f"animated-drawings/bvh/{clip}.bvh").read_bytes())
    motion = trim(whole, 20, 40)
    again = read_bvh(write_bvh(motion))
    assert again.joints == motion.joints
    np.testing.assert_array_equal(again.parents, motion.parents)
    # Lengths are inches and centimetres here: a hundredth of a millimetre is far below a marker.
    np.testing.assert_allclose(joint_paths(again), joint_paths(motion), atol=1e-3)


def _arm(rotations: list[list[float]]) -> Motion:
    return Motion(
        name="arm",
        fps=25.0,
        joints=("Arm", "Arm End"),
        parents=np.array([-1, 0], dtype=np.int16),
        offsets=np.array([[0, 0, 0], [0, -0.5, 0]], dtype=np.float32),
        root=np.array([[0, 1, 0]], dtype=np.float32),
        rotations=np.array([rotations], dtype=np.float32),
    )


def test_a_still_end_is_written_as_an_end_site() -> None:
    text = write_bvh(_arm([[1, 0, 0, 0], [1, 0, 0, 0]]))
    assert text == (
        "HIERARCHY\n"
        "ROOT Arm\n"
        "{\n"
        "  OFFSET 0 0 0\n"
        "  CHANNELS 6 Xposition Yposition Zposition Zrotation Xrotation Yrotation\n"
        "  End Site\n"
        "  {\n"
        "    OFFSET 0 -0.5 0\n"
        "  }\n"
        "}\n"
        "MOTION\n"
        "Frames: 1\n"
        "Frame Time: 0.04\n"
        "0 1 0 0 0 0\n"
    )


def test_an_end_that_turns_stays_a_joint() -> None:
    motion = _arm([[1, 0, 0, 0], [0, 1, 0, 0]])
    text = write_bvh(motion)
    assert "JOINT Arm End" in text
    again = read_bvh(text)
    assert again.joints == motion.joints
    np.testing.assert_allclose(np.abs(again.rotations), np.abs(motion.rotations), atol=1e-6)


@pytest.mark.parametrize("name", ["", " Arm", "Arm  A", "Arm\nB", "Arm{"])
def test_names_that_would_not_be_read_back_are_refused(name: str) -> None:
    motion = _arm([[1, 0, 0, 0], [1, 0, 0, 0]])
    renamed = Motion(
        name="arm",
        fps=25.0,
        joints=(name, "Other"),
        parents=motion.parents,
        offsets=motion.offsets,
        root=motion.root,
        rotations=motion.rotations,
    )
    with pytest.raises(InvalidMotion, match="cannot be written"):
        write_bvh(renamed)
