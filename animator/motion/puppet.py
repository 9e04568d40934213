"""Our own puppet: the 3-D skeleton of the motions that we make, and how keyframes move it.

Metres, y up; the puppet faces +z, so its left is +x; about as tall as a child of five. At rest its
arms and legs hang straight down. Limbs move in the frontal plane, because that is how most figures
are drawn: a knee bends outwards, as in a plié, so that the drawn legs get shorter as the hips sink.
Depth shows in z alone: the arms reach a little to the viewer, the legs stand a little behind.
Seen from the side it is the same puppet with all that turned forwards: what went outwards, on
either side, goes ahead, and the right limbs are the nearer ones.
"""

from collections.abc import Mapping
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from animator.core.errors import InvalidMotion
from animator.core.motion import Motion
from animator.motion.bvh_hierarchy import END
from animator.motion.keyframes import Keyframes, sample_hops, sample_track
from animator.motion.kinematics import joint_paths
from animator.motion.rotations import conjugate, multiply, turn_about

__all__ = ("move_puppet",)

Floats = NDArray[np.float64]

_THIGH = _SHANK = 0.26
_STANCE = 0.1  # of each foot, outwards from below its hip: drawn legs must not fall into one line
_STANDING = 0.509  # height of the hip joints then: the legs are all but straight
_REACH = 0.9995  # of a straight leg, at most
_ARMS_FORWARD = np.radians(14.0)

_TRUNK = (
    ("Hips", "", (0.0, 0.0, 0.0)),
    ("Spine", "Hips", (0.0, 0.08, 0.0)),
    ("Chest", "Spine", (0.0, 0.2, 0.0)),
    ("Neck", "Chest", (0.0, 0.06, 0.0)),
    ("Head", "Neck", (0.0, 0.1, 0.0)),
    ("Head" + END, "Head", (0.0, 0.16, 0.0)),
)
_LIMBS = (
    ("Shoulder", "Chest", (0.13, 0.0, 0.0)),
    ("Elbow", "Shoulder", (0.0, -0.19, 0.0)),
    ("Hand", "Elbow", (0.0, -0.18, 0.0)),
    ("Hand" + END, "Hand", (0.0, -0.07, 0.0)),
    ("Hip", "Hips", (0.08, 0.0, -0.03)),
    ("Knee", "Hip", (0.0, -_THIGH, 0.0)),
    ("Foot", "Knee", (0.0, -_SHANK, 0.0)),
    ("Foot" + END, "Foot", (0.0, -0.05, 0.1)),
)
_SIDES: Mapping[str, float] = {"Left": 1.0, "Right": -1.0}
_SIDED = ("arm", "forearm", "foot_x", "foot_y")
_TRACKS = {
    *("hips_x", "hips_y", "lean", "head", "body_x", "body_y", "roll", "turn"),
    *(side + part for part in _SIDED for side in ("", "left_", "right_")),
}


def move_puppet(name: str, keyframes: Keyframes) -> Motion:
    """Pose the puppet at every frame.

    Raises:
        InvalidMotion: when a track has a name that moves nothing, or keys out of order.
    """
    unknown = keyframes.tracks.keys() - _TRACKS
    if unknown:
        msg = f"{name}: nothing follows the tracks {', '.join(sorted(unknown)):.100}"
        raise InvalidMotion(msg)
    joints = _joints()
    names = [joint for joint, _, _ in joints]
    parents = [names.index(parent) if parent else -1 for _, parent, _ in joints]
    motion = Motion(
        name=name,
        fps=keyframes.fps,
        joints=tuple(names),
        parents=np.array(parents, dtype=np.int16),
        offsets=np.array([offset for _, _, offset in joints], dtype=np.float32),
        root=_hips(keyframes).astype(np.float32),
        rotations=_local_turns(names, parents, _global_turns(keyframes)).astype(np.float32),
    )
    return _lay_down(motion, keyframes) if keyframes.resting else motion


def _lay_down(motion: Motion, keyframes: Keyframes) -> Motion:
    """The same motion, each frame raised or sunk until its lowest joint is where it should be."""
    solid = [not name.endswith(END) for name in motion.joints]
    lowest = joint_paths(motion)[:, solid, 1].min(axis=1)
    root = motion.root.copy()
    root[:, 1] += _lift(keyframes) - lowest
    return replace(motion, root=root)


def _joints() -> list[tuple[str, str, tuple[float, float, float]]]:
    """Name, parent and offset of every joint; parents first."""
    joints = list(_TRUNK)
    for side, sign in _SIDES.items():
        for name, parent, (x, y, z) in _LIMBS:
            on_trunk = parent in ("Chest", "Hips")
            joints.append((side + name, parent if on_trunk else side + parent, (sign * x, y, z)))
    return joints


def _hips(keyframes: Keyframes) -> Floats:
    along = sample_track(keyframes, "hips_x") + sample_track(keyframes, "body_x")
    up = _STANDING + sample_track(keyframes, "hips_y") + _lift(keyframes)
    still = np.zeros_like(up)
    ahead = keyframes.view == "side"
    return np.stack((still, up, along) if ahead else (along, up, still), axis=1)


def _lift(keyframes: Keyframes) -> Floats:
    """Height of the whole figure above where it stands, metres."""
    return sample_track(keyframes, "body_y") + sample_hops(keyframes)


def _global_turns(keyframes: Keyframes) -> dict[str, Floats]:
    """Turn (F, 4) of each joint that moves by itself."""
    whole = multiply(
        _swing(keyframes, -np.radians(sample_track(keyframes, "roll"))),
        turn_about("Y", np.radians(sample_track(keyframes, "turn"))),
    )
    turns = {joint: multiply(whole, turn) for joint, turn in _own_turns(keyframes).items()}
    return {"Hips": whole, **turns}


def _own_turns(keyframes: Keyframes) -> dict[str, Floats]:
    """Turn (F, 4), in the puppet's own frame, of each joint that moves below the hips."""
    lean = -np.radians(sample_track(keyframes, "lean"))
    head = lean - np.radians(sample_track(keyframes, "head"))
    turns = {"Spine": _swing(keyframes, lean), "Neck": _swing(keyframes, head)}
    reach = 0.0 if keyframes.view == "side" else _ARMS_FORWARD
    forward = turn_about("X", np.full(len(lean), -reach))
    for side in _SIDES:
        outwards = _outwards(keyframes, side)
        for joint, part in (("Shoulder", "arm"), ("Elbow", "forearm")):
            angle = outwards * np.radians(_sided(keyframes, side, part))
            turns[side + joint] = multiply(_swing(keyframes, angle), forward)
        thigh, shank = _bend_leg(*_foot_from_hip(keyframes, side))
        turns[side + "Hip"] = _swing(keyframes, outwards * thigh)
        turns[side + "Knee"] = _swing(keyframes, outwards * shank)
        turns[side + "Foot"] = _swing(keyframes, np.zeros_like(lean))
    return turns


def _swing(keyframes: Keyframes, angles: Floats) -> Floats:
    """Turns (F, 4) in the plane that is seen: what hangs goes to the left, or forwards."""
    return turn_about("X", -angles) if keyframes.view == "side" else turn_about("Z", angles)


def _outwards(keyframes: Keyframes, side: str) -> float:
    return 1.0 if keyframes.view == "side" else _SIDES[side]


def _local_turns(names: list[str], parents: list[int], turns: dict[str, Floats]) -> Floats:
    """Turns (F, J, 4) against the parents; a joint that has none of its own follows its parent."""
    whole = [turns["Hips"]]
    local = [turns["Hips"]]
    for name, parent in zip(names[1:], parents[1:], strict=True):
        whole.append(turns.get(name, whole[parent]))
        local.append(multiply(conjugate(whole[parent]), whole[-1]))
    return np.stack(local, axis=1)


def _sided(keyframes: Keyframes, side: str, part: str) -> Floats:
    follows = keyframes.alternate and side == "Right"
    own = sample_track(keyframes, f"{'left' if follows else side.lower()}_{part}")
    if follows:
        own = np.roll(own, len(own) // 2)
    return sample_track(keyframes, part) + own


def _foot_from_hip(keyframes: Keyframes, side: str) -> tuple[Floats, Floats]:
    """How far the foot is from its hip joint: outwards, or ahead, and down, metres.

    A hop lifts hips and feet alike, so it does not show here.
    """
    stance = 0.0 if keyframes.view == "side" else _STANCE
    outwards = stance + _sided(keyframes, side, "foot_x")
    outwards = outwards - _outwards(keyframes, side) * sample_track(keyframes, "hips_x")
    down = _STANDING + sample_track(keyframes, "hips_y") - _sided(keyframes, side, "foot_y")
    return outwards, down


def _bend_leg(outwards: Floats, down: Floats) -> tuple[Floats, Floats]:
    """Directions of thigh and shank, radians from straight down, outwards, the knee outwards.

    The foot stays short of a place that is too far away.
    """
    distance = np.hypot(outwards, down)
    reach = np.clip(distance, 1e-3, _REACH * (_THIGH + _SHANK))
    straight = np.arctan2(outwards, down)
    at_hip = np.arccos((_THIGH**2 + reach**2 - _SHANK**2) / (2 * _THIGH * reach))
    at_foot = np.arccos((_SHANK**2 + reach**2 - _THIGH**2) / (2 * _SHANK * reach))
    return straight + at_hip, straight - at_foot
