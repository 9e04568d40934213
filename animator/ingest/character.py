"""A figure as AnimatedDrawings keeps it: `char_cfg.yaml`, `mask.png` and `texture.png`."""

import lzma
import zlib
from pathlib import Path
from typing import Annotated
from zipfile import BadZipFile, ZipFile
from zipfile import Path as ZipPath

import msgspec

from animator.core.annotation import Annotation, FigureAnnotation
from animator.core.drawing import Drawing
from animator.core.errors import AnimatorError, ImageTooLarge, InvalidImage, InvalidSkeleton
from animator.core.geometry import Box
from animator.core.mask import Mask, RunLengths, run_lengths_from_mask
from animator.core.skeleton import Joint, Skeleton
from animator.ingest.apart import decode_apart
from animator.ingest.fields import MAX_BYTES, convert_fields, parse_yaml
from animator.ingest.limits import DEFAULT_LIMITS

__all__ = ("is_character", "read_character")

CONFIG, MASK, TEXTURE = "char_cfg.yaml", "mask.png", "texture.png"

MAX_JOINTS = 256

_Name = Annotated[str, msgspec.Meta(min_length=1, max_length=100)]


_UNREADABLE = (
    *(OSError, EOFError, BadZipFile, zlib.error, lzma.LZMAError),
    *(NotImplementedError, RuntimeError, ValueError),
)
"""What `zipfile` raises on files that are damaged, encrypted or packed in a way it cannot read."""


class _JointConfig(msgspec.Struct, frozen=True):
    name: _Name
    parent: _Name | None
    loc: tuple[float, float]


class _CharacterConfig(msgspec.Struct, frozen=True):
    """What `char_cfg.yaml` says; further fields are left alone, as AnimatedDrawings does."""

    width: int
    height: int
    skeleton: Annotated[list[_JointConfig], msgspec.Meta(min_length=2, max_length=MAX_JOINTS)]


def is_character(path: Path) -> bool:
    """Whether a path is a folder with a `char_cfg.yaml`, a file like that, or a zip."""
    files = {".zip", ".yaml", ".yml"}
    return (path / CONFIG).is_file() or (path.suffix.lower() in files and path.is_file())


def read_character(path: Path) -> tuple[Drawing, Annotation]:
    """Read a figure's folder, named itself or by its config, or a zip: the texture is its drawing.

    Raises:
        InvalidImage: when a picture is missing, cannot be read, or is not of the stated size.
        InvalidSkeleton: when `char_cfg.yaml` is missing, or does not say what it should.
    """
    try:
        if path.is_dir():
            return _read(path, CONFIG)
        if path.suffix.lower() != ".zip":
            return _read(path.parent, path.name)
        with ZipFile(path) as zipped:
            return _read(ZipPath(zipped), CONFIG)
    except _UNREADABLE as error:
        msg = f"{path} cannot be read: {error}."
        raise InvalidImage(msg) from error


def _read(folder: Path | ZipPath, name: str) -> tuple[Drawing, Annotation]:
    """Read a character by the name of its config; the pictures lie beside it."""
    where = str(folder / name)
    data = _bytes_of(folder, name, MAX_BYTES, InvalidSkeleton)
    plain = parse_yaml(data, where, InvalidSkeleton)
    config = convert_fields(plain, _CharacterConfig, where, InvalidSkeleton)
    size = (config.height, config.width)
    drawing = _picture(folder, TEXTURE, size)
    mask = Mask(_picture(folder, MASK, size).image[..., 0] > 127)
    return drawing, _annotation(run_lengths_from_mask(mask), _skeleton(config, where))


def _annotation(mask: RunLengths, skeleton: Skeleton) -> Annotation:
    height, width = mask.size
    box = Box(0.0, 0.0, float(width), float(height))
    figure = FigureAnnotation(id="figure-1", box=box, mask=mask, skeleton=skeleton)
    return Annotation(width=width, height=height, figures=(figure,))


def _bytes_of(folder: Path | ZipPath, name: str, limit: int, missing: type[AnimatorError]) -> bytes:
    file = folder / name
    if not file.is_file():
        msg = f"There is no {name} in {folder}; a character has {CONFIG}, {MASK} and {TEXTURE}."
        raise missing(msg)
    with file.open("rb") as opened:
        data = opened.read(limit + 1)
    if len(data) > limit:
        msg = f"{name} has more than {limit} bytes, which are not read. Make it smaller."
        raise ImageTooLarge(msg)
    return bytes(data)


def _picture(folder: Path | ZipPath, name: str, size: tuple[int, int]) -> Drawing:
    drawing = decode_apart(_bytes_of(folder, name, DEFAULT_LIMITS.max_bytes, InvalidImage))
    if (drawing.height, drawing.width) != size:
        msg = (
            f"{name} is {drawing.width} x {drawing.height} pixels, but {CONFIG} says "
            f"{size[1]} x {size[0]}. Make them alike."
        )
        raise InvalidImage(msg)
    return drawing


def _skeleton(config: _CharacterConfig, where: str) -> Skeleton:
    names = [joint.name for joint in config.skeleton]
    if len(set(names)) < len(names):
        msg = f"{where}: skeleton: joint {max(names, key=names.count)!r} is named twice."
        raise InvalidSkeleton(msg)
    joints = _sorted(config.skeleton, where)
    return Skeleton(joints=tuple(_joint(joint, config, where) for joint in joints))


def _sorted(joints: list[_JointConfig], where: str) -> list[_JointConfig]:
    """Joints in the file's order, but parents before children."""
    known: set[str | None] = {None}
    found: list[_JointConfig] = []
    while len(found) < len(joints):
        before = len(found)
        for joint in joints:
            if joint.name not in known and joint.parent in known:
                known.add(joint.name)
                found.append(joint)
        if len(found) == before:
            lost = next(joint for joint in joints if joint.name not in known)
            msg = f"{where}: skeleton: joint {lost.name!r} hangs on no root."
            raise InvalidSkeleton(msg)
    return found


def _joint(joint: _JointConfig, config: _CharacterConfig, where: str) -> Joint:
    x, y = joint.loc
    if not (0 <= x <= config.width and 0 <= y <= config.height):
        msg = (
            f"{where}: skeleton: joint {joint.name!r} lies at ({x:g}, {y:g}), "
            f"outside the picture of {config.width} x {config.height} pixels."
        )
        raise InvalidSkeleton(msg)
    return Joint(name=joint.name, parent=joint.parent, x=x, y=y)
