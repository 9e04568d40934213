"""Motion files of people: BVH of any tool, by itself or with a map, and keyframes of their own."""

import msgspec

from animator.core.motion import Motion, RetargetMap
from animator.motion.bvh import Up, read_bvh
from animator.motion.documents import decode_toml
from animator.motion.keyframes import Keyframes
from animator.motion.library import puppet_map
from animator.motion.mapping import AUTOMATIC, MapFile, build_map, map_joints, turn_upright
from animator.motion.project import View, choose_views, see_body
from animator.motion.puppet import move_puppet
from animator.motion.timing import thin

__all__ = ("MOST_FPS", "ClipFacts", "inspect_clip", "read_clip", "read_keyframes", "read_map")

MOST_FPS = 60.0
"""Frames a second; a clip of more is thinned out: neither screens nor eyes tell."""


class ClipFacts(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What was found out of a motion file.

    Attributes:
        joints: in the file, end sites included.
        frames: in the file.
        fps: frames a second, as the file says.
        up: the axis of the file that points upwards.
        loop: whether the last frame leads into the first.
        roles: role -> joint of the file; a role that no joint has is left out.
        views: limb group -> from where it is seen, "frontal" or "sagittal".
    """

    joints: int
    frames: int
    fps: float
    up: Up
    loop: bool
    roles: dict[str, str]
    views: dict[str, View]


def inspect_clip(data: bytes | str, *, name: str, options: MapFile = AUTOMATIC) -> ClipFacts:
    """Find out what `read_clip` would make of a file.

    Raises:
        InvalidMotion: as `read_clip` does.
    """
    motion = read_bvh(data, name=name)
    roles = map_joints(motion, options.joints)
    upright = turn_upright(motion, roles, options.up)
    own = build_map(roles, options)
    body = see_body(upright, own)
    views = zip(own.groups, choose_views(body, own), strict=True)
    return ClipFacts(
        joints=len(motion.joints),
        frames=len(motion.root),
        fps=motion.fps,
        up="+y" if upright is motion else "+z",
        loop=body.closed,
        roles=roles,
        views={group.name: view for group, view in views},
    )


def read_clip(
    data: bytes | str, *, name: str = "motion", options: MapFile = AUTOMATIC
) -> tuple[Motion, RetargetMap]:
    """Read a BVH file, and find out how a drawn skeleton follows it.

    Args:
        data: the file.
        name: of the motion, as shown to people.
        options: what is known of it.

    Raises:
        InvalidMotion: with the line where the file goes wrong, or the joints that cannot be told.
    """
    motion = thin(read_bvh(data, name=name), MOST_FPS)
    roles = map_joints(motion, options.joints)
    return turn_upright(motion, roles, options.up), build_map(roles, options)


def read_map(data: bytes, *, name: str = "the map file") -> MapFile:
    """Read what a person says of a motion, in TOML.

    Raises:
        InvalidMotion: when it is no such file, with the place where it goes wrong.
    """
    return decode_toml(data, MapFile, name)


def read_keyframes(data: bytes, *, name: str = "motion") -> tuple[Motion, RetargetMap]:
    """Read a motion that was written by hand, in TOML, as `keyframes.py` says.

    Raises:
        InvalidMotion: when it is no such file, with the place where it goes wrong.
    """
    keyframes = decode_toml(data, Keyframes, name)
    return move_puppet(name, keyframes), puppet_map(keyframes.view)
