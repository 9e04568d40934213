"""Motion files and map files from disk."""

from pathlib import Path

from animator.core.errors import InvalidMotion
from animator.motion import DEFAULT_LIMITS, MapFile, read_map

__all__ = ("read_clip_file", "read_map_file")


def read_clip_file(file: Path) -> bytes:
    """The bytes of a motion file, one more than are allowed at most.

    Raises:
        InvalidMotion: when it cannot be read.
    """
    return _read(file, DEFAULT_LIMITS.size)


def read_map_file(file: Path | None) -> MapFile:
    """What a person says of a motion; nothing without a file.

    Raises:
        InvalidMotion: when it cannot be read, with the place where it goes wrong.
    """
    return MapFile() if file is None else read_map(_read(file, 1 << 20), name=str(file))


def _read(file: Path, most: int) -> bytes:
    try:
        with file.open("rb") as stream:
            return stream.read(most + 1)
    except OSError as error:
        msg = f"{file} cannot be read: {error.strerror}."
        raise InvalidMotion(msg) from error
