"""Files as they come damaged: every one ends in a sentence or in a motion that can be followed."""

import random
import time
from collections.abc import Callable

import numpy as np
import pytest

from animator.core.errors import InvalidMotion
from animator.core.motion import Motion, RetargetMap
from animator.motion.bvh_writer import write_bvh
from animator.motion.clip_files import read_clip, read_keyframes, read_map
from animator.motion.follow import follow
from animator.motion.library import load_motion
from animator.motion.timing import thin
from tests.unit.motion.bodies import T_POSE, T_WORLD

FILE = write_bvh(thin(load_motion("wave")[0], 5.0)).encode()
SECONDS = 5.0  # of the processor, for one file; a hundred times what any takes


def _flip(dice: random.Random, data: bytearray) -> bytes:
    for _ in range(dice.randint(1, 8)):
        data[dice.randrange(len(data))] = dice.randrange(256)
    return bytes(data)


def _digits(dice: random.Random, data: bytearray) -> bytes:
    places = [i for i, byte in enumerate(data) if chr(byte).isdigit()]
    for at in dice.sample(places, dice.randint(1, 1 + len(places) // 4)):
        data[at] = dice.choice(b"0123456789")
    return bytes(data)


def _cut(dice: random.Random, data: bytearray) -> bytes:
    start = dice.randrange(len(data))
    return bytes(data[:start] + data[start + dice.randint(1, len(data)) :])


def _double(dice: random.Random, data: bytearray) -> bytes:
    lines = bytes(data).split(b"\n")
    for _ in range(dice.randint(1, 5)):
        at = dice.randrange(len(lines))
        lines[at:at] = lines[at : at + dice.randint(1, 12)]
    return b"\n".join(lines)


def _swap(dice: random.Random, data: bytearray) -> bytes:
    lines = bytes(data).split(b"\n")
    for _ in range(3):
        a, b = dice.randrange(len(lines)), dice.randrange(len(lines))
        lines[a], lines[b] = lines[b], lines[a]
    return b"\n".join(lines)


def _huge_numbers(dice: random.Random, data: bytearray) -> bytes:
    odd = [b"1e308", b"-1e39", b"nan", b"-inf", b"1e-320", b"99999999", b"1_0", b"0x1", b"--1"]
    words = bytes(data).split(b" ")
    for _ in range(dice.randint(1, 4)):
        words[dice.randrange(len(words))] = dice.choice(odd)
    return b" ".join(words)


def _nested(dice: random.Random, data: bytearray) -> bytes:
    depth = dice.choice([3, 100, 127, 500, 20_000])
    joints = b"JOINT a\n{\nOFFSET 0 1 0\nCHANNELS 3 Zrotation Xrotation Yrotation\n" * depth
    rest = bytes(data).split(b"\n", 5)
    return b"\n".join(rest[:5]) + b"\n" + joints + b"}\n" * depth + rest[5]


def _repeated(dice: random.Random, data: bytearray) -> bytes:
    piece = dice.choice(
        [b"{", b"}", b"\n", b" ", b"1 ", b"ROOT a ", b"\x00", b"MOTION\n", b"\t{\n"]
    )
    at = dice.randrange(len(data))
    return bytes(data[:at]) + piece * dice.choice([2, 1000, 200_000]) + bytes(data[at:])


KINDS = [_flip, _digits, _cut, _double, _swap, _huge_numbers, _nested, _repeated]


@pytest.mark.parametrize("kind", KINDS, ids=[kind.__name__[1:] for kind in KINDS])
@pytest.mark.parametrize("seed", range(20))
def test_damaged_file_ends_in_a_sentence_or_a_sane_motion(
    kind: Callable[[random.Random, bytearray], bytes], seed: int
) -> None:
    data = kind(random.Random(seed), bytearray(FILE))
    began = time.process_time()
    try:
        motion, own = read_clip(data)
        poses = follow(motion, own, T_POSE, T_WORLD)
    except InvalidMotion as refusal:
        assert 10 < len(refusal.message) < 600
    else:
        assert np.isfinite(motion.root).all()
        np.testing.assert_allclose(np.linalg.norm(motion.rotations, axis=-1), 1, atol=1e-3)
        assert np.isfinite(poses.root).all()
        assert (np.abs(poses.root) < 1e9).all()
        assert not np.isinf(poses.angles).any()
    assert time.process_time() - began < SECONDS


MAP = b"""up = "+y"
turns = true
[joints]
left_hand = "LeftHand"
neck = ""
[planes]
arms = "frontal"
[bones]
tail = { near = "Hips", far = "Chest", relative = true, lag = 0.2 }
"""
KEYS = b"""duration = 1.6
fps = 12.0
hops = [[0.1, 0.6, 0.3]]
[tracks]
head = [[0.0, 0.0], [0.3, 14.0], [0.6, 0.0], [0.9, -14.0], [1.2, 0.0]]
left_arm = [[0.0, 100.0], [0.8, 130.0]]
right_foot_y = 0.05
"""
TEXT_KINDS = [_flip, _digits, _cut, _double, _swap, _huge_numbers, _repeated]


@pytest.mark.parametrize("kind", TEXT_KINDS, ids=[kind.__name__[1:] for kind in TEXT_KINDS])
@pytest.mark.parametrize("seed", range(6))
def test_damaged_maps_and_keyframes_end_in_a_sentence_or_a_sane_motion(
    kind: Callable[[random.Random, bytearray], bytes], seed: int
) -> None:
    own_map = kind(random.Random(seed), bytearray(MAP))
    keyframes = kind(random.Random(seed), bytearray(KEYS))
    readers: list[Callable[[], tuple[Motion, RetargetMap]]] = [
        lambda: read_clip(FILE, options=read_map(own_map)),
        lambda: read_keyframes(keyframes),
    ]
    for read in readers:
        began = time.process_time()
        try:
            poses = follow(*read(), T_POSE, T_WORLD)
        except InvalidMotion as refusal:
            assert 10 < len(refusal.message) < 600
        else:
            assert np.isfinite(poses.root).all()
            assert not np.isinf(poses.angles).any()
        assert time.process_time() - began < SECONDS


def test_file_that_is_not_damaged_is_followed() -> None:
    poses = follow(*read_clip(FILE), T_POSE, T_WORLD)
    assert np.isfinite(poses.angles[:, T_POSE.index("left_hand")]).all()
