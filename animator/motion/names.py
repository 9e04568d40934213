"""What tools call the joints of a body: a name tells its side and its part.

Known are the names of the CMU data base, Mixamo, Rokoko, FAIR, MotionBuilder, Blender and Rigify,
Unity and VRM, Unreal, 3ds Max' biped, Poser and Daz, SMPL, OptiTrack, Xsens, and plain words: with
prefixes and counters, in any case, with the side before or behind ("mixamorig:LeftArm",
"DEF-upper_arm.L", "Bip01 L UpperArm", "lShldr", "Left arm").
"""

import re
from typing import Literal

__all__ = ("CENTRES", "LIMBS", "SIDES", "Part", "Side", "candidates", "part_of")

Side = Literal["left", "right", ""]
Part = Literal["hips", "neck", "head", "shoulder", "elbow", "hand", "hip", "knee", "foot", "toe"]

SIDES: tuple[Side, Side] = ("left", "right")
LIMBS: tuple[tuple[Part, Part, Part], ...] = (
    ("shoulder", "elbow", "hand"),
    ("hip", "knee", "foot"),
)
"""Arm and leg, each from where it begins to where it ends."""
CENTRES: tuple[Part, ...] = ("hips", "neck", "head")

# The first that a skeleton has is meant: a "shoulder" beside an "arm" is the collar bone.
_WORDS: dict[Part, tuple[str, ...]] = {
    "hips": ("hips", "hip", "pelvis"),
    "neck": ("neck", "lowerneck"),
    "head": ("head", "skull"),
    "shoulder": ("upperarm", "uparm", "uarm", "arm", "shldr", "shoulder"),
    "elbow": ("forearm", "lowerarm", "loarm", "farm", "elbow"),
    "hand": ("wrist", "hand"),
    "hip": ("upperleg", "upleg", "uleg", "thigh", "hip", "hipjoint"),
    "knee": ("knee", "shin", "calf", "lowerleg", "loleg", "leg"),
    "foot": ("ankle", "foot"),
    "toe": ("toebase", "toes", "toe", "ball"),
}
_KNOWN = {word for words in _WORDS.values() for word in words}
_SIDE_WORDS: dict[str, Side] = {"left": "left", "l": "left", "right": "right", "r": "right"}
_PREFIXES = {"mixamorig", "bip", "biped", "valve", "character", "skeleton", "armature", "rig"}
_PREFIXES |= {"def", "org", "bind", "jnt", "joint", "bone", "j", "b", "c"}
_TOKEN = re.compile(r"[A-Z]?[^\W\d_A-Z]+|[A-Z]+(?![^\W\d_A-Z])|[^\W\d_]")
_GLUED_SIDE = re.compile(r"(left|right|l|r)(.+)|(.+?)(left|right)")


def part_of(name: str) -> tuple[Side, str]:
    """The side that a joint's name tells, and its other words, lower case and without gaps."""
    tokens = [token.lower() for token in _TOKEN.findall(re.split(r"[:|]", name)[-1])]
    while len(tokens) > 1 and tokens[0] in _PREFIXES:
        tokens = tokens[1:]
    sides = [_SIDE_WORDS[token] for token in tokens if token in _SIDE_WORDS]
    word = "".join(token for token in tokens if token not in _SIDE_WORDS)
    if sides:
        return sides[0], _plain(word)
    return _unglue(word)


def candidates(names: tuple[str, ...], side: Side, part: Part) -> list[int]:
    """Indices of the joints that may be this part, the likeliest first, parents before children."""
    told = [part_of(name) for name in names]
    words = _WORDS[part]
    return [i for word in words for i, found in enumerate(told) if found == (side, word)]


def _unglue(word: str) -> tuple[Side, str]:
    """Side and part of words in one piece, such as "leftarm" or "lhand"."""
    if _plain(word) in _KNOWN:
        return "", _plain(word)
    found = _GLUED_SIDE.fullmatch(word)
    if found:
        side, part = (found[1], found[2]) if found[1] else (found[4], found[3])
        if _plain(part) in _KNOWN:
            return _SIDE_WORDS[side], _plain(part)
    return "", word


def _plain(word: str) -> str:
    """Without what some tools put behind the part."""
    for end in ("bend", "jnt", "bone", "joint"):
        shorter = word.removesuffix(end)
        if shorter != word and shorter in _KNOWN and word not in _KNOWN:
            return shorter
    return word
