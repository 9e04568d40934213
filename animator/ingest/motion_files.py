"""AnimatedDrawings' motion and retarget files as what they ask for."""

from pathlib import Path
from typing import Annotated, Any, Literal

import msgspec

from animator.core.errors import InvalidMotion
from animator.core.motion import Plane
from animator.core.script import (
    AboveCheck,
    BvhClip,
    DrawnPart,
    FilmedPlace,
    PlaneGroup,
    RetargetRules,
)
from animator.ingest.fields import Finite, convert_fields, find_file, parse_yaml, read_limited

__all__ = ("read_motion_file", "read_retarget_file")

MAX_ITEMS = 512

_Name = Annotated[str, msgspec.Meta(min_length=1, max_length=200)]
_Names = Annotated[tuple[_Name, ...], msgspec.Meta(min_length=1, max_length=MAX_ITEMS)]
_MaybeNames = Annotated[tuple[_Name, ...], msgspec.Meta(max_length=MAX_ITEMS)]
_Chains = Annotated[tuple[_Names, ...], msgspec.Meta(min_length=1, max_length=MAX_ITEMS)]
_Positive = Annotated[float, msgspec.Meta(gt=0, le=1e6)]
_Frame = Annotated[int, msgspec.Meta(ge=0, le=10**9)]

_PLANES: dict[str, Plane] = {"pca": "principal", "sagittal": "sagittal", "frontal": "frontal"}


class _MotionFile(msgspec.Struct, frozen=True):
    filepath: _Name
    groundplane_joint: _Name
    forward_perp_joint_vectors: Annotated[
        tuple[tuple[_Name, _Name], ...], msgspec.Meta(min_length=1, max_length=MAX_ITEMS)
    ]
    scale: _Positive
    up: Literal["+y", "+z"]
    start_frame_idx: _Frame = 0
    end_frame_idx: _Frame | None = None
    frame_time: _Positive | None = None


class _PlaneGroup(msgspec.Struct, frozen=True):
    name: _Name
    method: Literal["pca", "sagittal", "frontal"]
    bvh_joint_names: _Names


class _BodyPart(msgspec.Struct, frozen=True):
    bvh_depth_drivers: _Names
    char_joints: _MaybeNames


class _RootOffset(msgspec.Struct, frozen=True):
    bvh_projection_bodypart_group_for_offset: _Name
    bvh_joints: _Chains
    char_joints: _Chains


class _RetargetFile(msgspec.Struct, frozen=True):
    char_starting_location: tuple[Finite, Finite, Finite]
    bvh_projection_bodypart_groups: Annotated[
        tuple[_PlaneGroup, ...], msgspec.Meta(min_length=1, max_length=MAX_ITEMS)
    ]
    char_bodypart_groups: Annotated[
        tuple[_BodyPart, ...], msgspec.Meta(min_length=1, max_length=MAX_ITEMS)
    ]
    char_bvh_root_offset: _RootOffset
    char_joint_bvh_joints_mapping: Annotated[dict[str, Any], msgspec.Meta(max_length=MAX_ITEMS)]
    char_runtime_checks: Annotated[
        tuple[tuple[Literal["above"], _Name, _Name, _Name], ...], msgspec.Meta(max_length=MAX_ITEMS)
    ]


def read_motion_file(file: Path) -> BvhClip:
    """Which frames of which BVH file, and how they are turned.

    Raises:
        InvalidMotion: with the file and the path of the field that is wrong.
    """
    where = str(file)
    plain = parse_yaml(read_limited(file, InvalidMotion), where, InvalidMotion)
    asked = convert_fields(plain, _MotionFile, where, InvalidMotion)
    end = asked.end_frame_idx or None  # 0 means the end of the file, as in AnimatedDrawings
    if end is not None and end <= asked.start_frame_idx:
        msg = f"{where}: end_frame_idx: {end} must be more than start_frame_idx."
        raise InvalidMotion(msg)
    return BvhClip(
        file=find_file(asked.filepath, file, f"{where}: filepath", InvalidMotion),
        where=where,
        up=asked.up,
        start=asked.start_frame_idx,
        end=end,
        frame_time=asked.frame_time,
        forward=asked.forward_perp_joint_vectors,
        ground=asked.groundplane_joint,
    )


def read_retarget_file(file: Path) -> tuple[RetargetRules, FilmedPlace]:
    """How a figure follows a motion, and where it begins.

    Raises:
        InvalidMotion: with the file and the path of the field that is wrong.
    """
    where = str(file)
    plain = parse_yaml(read_limited(file, InvalidMotion), where, InvalidMotion)
    asked = convert_fields(plain, _RetargetFile, where, InvalidMotion)
    _check_planes(asked, where)
    x, y, z = asked.char_starting_location
    return _rules(asked, where), FilmedPlace(x=x, y=y, z=z)


def _check_planes(asked: _RetargetFile, where: str) -> None:
    names = [group.name for group in asked.bvh_projection_bodypart_groups]
    for i, name in enumerate(names):
        if name in names[:i]:
            msg = f"{where}: bvh_projection_bodypart_groups[{i}].name: {name!r} is named twice."
            raise InvalidMotion(msg)
    name = asked.char_bvh_root_offset.bvh_projection_bodypart_group_for_offset
    if name not in names:
        msg = (
            f"{where}: char_bvh_root_offset.bvh_projection_bodypart_group_for_offset: "
            f"there is no group {name!r}; there are {', '.join(names)}."
        )
        raise InvalidMotion(msg)


def _rules(asked: _RetargetFile, where: str) -> RetargetRules:
    field = "char_joint_bvh_joints_mapping"
    offset = asked.char_bvh_root_offset
    return RetargetRules(
        where=where,
        planes=tuple(
            PlaneGroup(name=g.name, joints=g.bvh_joint_names, plane=_PLANES[g.method])
            for g in asked.bvh_projection_bodypart_groups
        ),
        parts=tuple(
            DrawnPart(joints=p.char_joints, drivers=p.bvh_depth_drivers)
            for p in asked.char_bodypart_groups
        ),
        path_plane=offset.bvh_projection_bodypart_group_for_offset,
        legs=offset.bvh_joints,
        drawn_legs=offset.char_joints,
        bones={
            bone: convert_fields(
                pair, tuple[_Name, _Name], where, InvalidMotion, f"{field}.{bone:.100}"
            )
            for bone, pair in asked.char_joint_bvh_joints_mapping.items()
        },
        checks=tuple(
            AboveCheck(joint=joint, start=start, end=end)
            for _, joint, start, end in asked.char_runtime_checks
        ),
    )
