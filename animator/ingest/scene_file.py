"""Scenes of our own, in TOML: figures, where and when they move, in front of what."""

from pathlib import Path
from typing import Annotated

import msgspec

from animator.core.animation import MAX_SIDE, FrameSize
from animator.core.colour import colour_from_text
from animator.core.errors import InvalidScene
from animator.core.motion import Playback
from animator.core.rigging import RigOptions
from animator.core.scene import Background, Fit, Overlay
from animator.core.script import BvhClip, FrameShare, LibraryClip, RetargetRules, Role, Script
from animator.ingest.fields import Finite, convert_fields, find_file, parse_toml, read_limited
from animator.ingest.motion_files import read_motion_file, read_retarget_file
from animator.ingest.mvc_file import MAX_ROLES, read_mvc

__all__ = ("read_scene",)

MAX_START = 600.0

_Text = Annotated[str, msgspec.Meta(min_length=1)]
_Bones = Annotated[tuple[_Text, ...], msgspec.Meta(max_length=64)]
_Side = Annotated[int, msgspec.Meta(ge=16, le=MAX_SIDE, multiple_of=2)]


class _Figure(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    drawing: _Text
    motion: _Text = "dance"
    retarget: _Text | None = None
    place: tuple[Finite, Finite] | None = None
    height: Annotated[float, msgspec.Meta(gt=0, le=10)] = 0.6
    start: Annotated[float, msgspec.Meta(ge=0, le=MAX_START)] = 0.0
    repeat: bool = True
    speed: Annotated[float, msgspec.Meta(ge=0.25, le=4)] = 1.0
    mirror: bool = False
    loop: bool = False
    map: _Text | None = None
    skeleton: _Text | None = None
    stiff: _Bones = ()
    stretchy: _Bones = ()


class _Scene(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    figures: Annotated[tuple[_Figure, ...], msgspec.Meta(min_length=1, max_length=MAX_ROLES)]
    size: tuple[_Side, _Side] = (640, 480)
    background: _Text = "white"
    fit: Fit = "cover"
    shadow: bool = False
    overlays: tuple[Overlay, ...] = ()
    keep_inside: bool = True
    output: _Text | None = None


def read_scene(file: Path) -> Script:
    """Read a scene: one of ours where its name ends in .toml, else one of AnimatedDrawings.

    Raises:
        InvalidScene: with the file and the path of the field that is wrong.
        InvalidMotion: so for a motion or retarget file that it names.
    """
    return _read_toml(file) if file.suffix.lower() == ".toml" else read_mvc(file)


def _read_toml(file: Path) -> Script:
    where = str(file)
    plain = parse_toml(read_limited(file, InvalidScene), where, InvalidScene)
    asked = convert_fields(plain, _Scene, where, InvalidScene)
    background, picture = _background(asked, file)
    count = len(asked.figures)
    return Script(
        where=where,
        roles=tuple(_role(part, file, i, count) for i, part in enumerate(asked.figures)),
        size=FrameSize(width=asked.size[0], height=asked.size[1]),
        background=background,
        picture=picture,
        overlays=asked.overlays,
        output=None if asked.output is None else Path(asked.output),
        moves_camera=asked.keep_inside,
    )


def _background(asked: _Scene, file: Path) -> tuple[Background, Path | None]:
    """A colour, or a picture's file."""
    try:
        colour = colour_from_text(asked.background)
    except ValueError as error:
        field = f"{file}: background"
        if asked.background.startswith("#"):
            msg = f"{field}: {error}."
            raise InvalidScene(msg) from error
        picture = find_file(asked.background, file, field, InvalidScene)
        return Background(kind="picture", fit=asked.fit, shadow=asked.shadow), picture
    if colour is None:
        return Background(kind="transparent", shadow=asked.shadow), None
    return Background(colour=colour, shadow=asked.shadow), None


def _role(part: _Figure, file: Path, index: int, count: int) -> Role:
    """A figure; those without a place stand in a row."""
    field = f"{file}: figures[{index}]"
    x, y = part.place or ((index + 1) / (count + 1), 0.1)
    return Role(
        where=field,
        figure=find_file(part.drawing, file, f"{field}.drawing", InvalidScene),
        clip=_clip(part, file, field),
        rules=_rules(part, file, field),
        place=FrameShare(x=x, y=y, height=part.height),
        map_file=_map_file(part, file, field),
        rigging=_rigging(part, field),
        playback=Playback(speed=part.speed, mirror=part.mirror, loop=part.loop),
        start=part.start,
        repeats=part.repeat,
    )


def _clip(part: _Figure, file: Path, field: str) -> LibraryClip | BvhClip:
    """A name of the library, a BVH file, or a motion file of AnimatedDrawings."""
    suffix = Path(part.motion[-100:]).suffix.lower()
    if suffix not in {".bvh", ".yaml", ".yml"}:
        return LibraryClip(name=part.motion)
    found = find_file(part.motion, file, f"{field}.motion", InvalidScene)
    if suffix == ".bvh":
        return BvhClip(file=found, where=f"{field}.motion")
    return read_motion_file(found)


def _rigging(part: _Figure, field: str) -> RigOptions:
    try:
        return RigOptions(stiff=part.stiff, stretchy=part.stretchy, skeleton=part.skeleton)
    except ValueError as error:
        msg = f"{field}.skeleton: {error}."
        raise InvalidScene(msg) from error


def _map_file(part: _Figure, file: Path, field: str) -> Path | None:
    if part.map is None:
        return None
    if not part.motion.lower().endswith(".bvh"):
        msg = f"{field}.map: it goes with a motion of the kind .bvh only."
        raise InvalidScene(msg)
    return find_file(part.map, file, f"{field}.map", InvalidScene)


def _rules(part: _Figure, file: Path, field: str) -> RetargetRules | None:
    if part.retarget is None:
        return None
    if not part.motion.lower().endswith((".yaml", ".yml")):
        msg = f"{field}.retarget: it goes with a motion file of AnimatedDrawings (.yaml) only."
        raise InvalidScene(msg)
    found = find_file(part.retarget, file, f"{field}.retarget", InvalidScene)
    return read_retarget_file(found)[0]
