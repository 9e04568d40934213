"""Motion files and map files from disk."""

from pathlib import Path

from animator.core.errors import InvalidMotion
from animator.core.motion import Motion, RetargetMap
from animator.motion import DEFAULT_LIMITS, MapFile, read_clip, read_keyframes, read_map

__all__ = ("read_clip_file", "read_map_file", "read_motion")

_MOST_TOML = 1 << 20  # bytes; the room of motions takes less, and says so


def read_motion(file: Path, map_file: Path | None) -> tuple[Motion, RetargetMap]:
    """A motion from BVH or from keyframes, and how a drawn skeleton follows it.

    map_file: what is known of a BVH file.

    Raises:
        InvalidMotion: when a file cannot be read, with the place where it goes wrong.
    """
    if file.suffix.lower() == ".toml":
        return read_keyframes(_read(file, _MOST_TOML), name=file.stem)
    options = read_map_file(map_file)
    return read_clip(read_clip_file(file), name=file.stem, options=options)


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
    return MapFile() if file is None else read_map(_read(file, _MOST_TOML), name=str(file))


def _read(file: Path, most: int) -> bytes:
    try:
        with file.open("rb") as stream:
            return stream.read(most + 1)
    except OSError as error:
        msg = f"{file} cannot be read: {error.strerror}."
        raise InvalidMotion(msg) from error
