from pathlib import Path

import numpy as np
import pytest

from animator.core.errors import InvalidMotion
from animator.core.motion import BoneSource
from animator.motion.bvh_writer import write_bvh
from animator.motion.clip_files import read_clip, read_keyframes, read_map
from animator.motion.library import load_motion
from animator.motion.mapping import AUTOMATIC, MapFile
from tests.unit.motion.bodies import BODY, stand


def test_a_file_is_read_with_a_map_of_its_own() -> None:
    motion, own = load_motion("wave")
    again, found = read_clip(write_bvh(motion), name="again")
    assert again.name == "again"
    assert again.joints == motion.joints
    assert found.bones["left_hand"] == own.bones["left_hand"]
    assert found.forward == (("RightShoulder", "LeftShoulder"), ("RightHip", "LeftHip"))
    assert [group.plane for group in found.groups] == ["frontal"] + ["principal"] * 4


def test_what_the_map_file_says_comes_first() -> None:
    options = read_map(
        b'up = "+z"\n[joints]\nleft_hand = "left_finger"\n[planes]\nlegs = "frontal"'
    )
    motion, found = read_clip(write_bvh(stand(BODY)), options=options)
    assert found.bones["left_hand"] == BoneSource(near="left_elbow", far="left_finger")
    assert found.groups[-1].plane == "frontal"
    assert np.allclose(motion.root[0], [0, 0, -1])  # it was upright along y


def test_more_frames_than_are_seen_are_thinned_out(shared_data: Path) -> None:
    folder = shared_data / "animated-drawings/bvh"
    motion, _ = read_clip((folder / "fair1/wave_hello.bvh").read_bytes())
    assert motion.fps == pytest.approx(59.94, abs=0.01)
    assert len(motion.root) == 420
    upright = motion.root[:, 1]
    assert np.median(upright) > 20
    assert np.ptp(upright) < 1


def test_an_empty_map_file_leaves_all_to_the_program() -> None:
    assert read_map(b"") == AUTOMATIC


@pytest.mark.parametrize(
    ("text", "why"),
    [
        (b"[joints", "bad.toml: "),
        (b"joint = 3", "unknown field `joint`"),
        (b'up = "+x"', "Invalid enum value"),
        (b'[planes]\narms = "side"', r"\$\.planes\.arms"),
        (b"[bones]\ntail = { near = 'a', far = 'b', lag = 3.0 }", "<= 2"),
        (b"\xff\xfe", "bad.toml: "),
        (b"#" * 70_000, "larger than 65536 bytes"),
    ],
)
def test_broken_map_files_are_refused_with_the_place(text: bytes, why: str) -> None:
    with pytest.raises(InvalidMotion, match=why):
        read_map(text, name="bad.toml")


def test_broken_bvh_files_and_unknown_bodies_are_refused() -> None:
    with pytest.raises(InvalidMotion, match="line 1"):
        read_clip(b"GIF89a")
    with pytest.raises(InvalidMotion, match=r"\[joints\]"):
        read_clip(write_bvh(stand(BODY[:6])))
    with pytest.raises(InvalidMotion, match="no joint 'Paw'"):
        read_clip(write_bvh(stand(BODY)), options=MapFile(joints={"left_hand": "Paw"}))


NOD = b"duration = 0.5\n[tracks]\nhead = [[0.0, 0.0], [0.2, 10.0]]\n"


def test_keyframes_are_read_with_the_map_of_their_view() -> None:
    motion, front = read_keyframes(NOD, name="nod")
    assert (motion.name, len(motion.root), motion.fps) == ("nod", 15, 30.0)
    _, side = read_keyframes(b'view = "side"\n' + NOD)
    assert {group.plane for group in front.groups} == {"frontal"}
    assert {group.plane for group in side.groups} == {"sagittal"}


@pytest.mark.parametrize(
    ("text", "why"),
    [
        (b"duration = 1.0", "missing required field `tracks`"),
        (b"duration = -1.0\n[tracks]", "3600 frames"),
        (b"duration = 1e9\n[tracks]", "3600 frames"),
        (b"duration = nan\n[tracks]", "3600 frames"),
        (b"duration = 1.0\nfps = 0.1\n[tracks]", "fps must be 1 to 120"),
        (b"duration = 1.0\nunit = -1.0\n[tracks]", "unit more than 0"),
        (b"duration = 1.0\n[tracks]\narm = []", "length >= 1"),
        (b"duration = 1.0\n[tracks]\narm = inf", "100000 at most"),
        (b"duration = 1.0\n[tracks]\narm = [[0.0, nan]]", "100000 at most"),
        (b"duration = 1.0\nhops = [[0.5, 0.5, 1.0]]\n[tracks]", "end after it starts"),
        (b"duration = 1.0\n[tracks]\nwings = 3.0", "nothing follows the tracks"),
        (b"duration = 1.0\n[tracks]\narm = [[1.0, 1.0], [0.5, 1.0]]", "ascending order"),
    ],
)
def test_broken_keyframes_are_refused_with_the_reason(text: bytes, why: str) -> None:
    with pytest.raises(InvalidMotion, match=why):
        read_keyframes(text, name="nod")
