"""A file that outlives its server: written wholly or not at all, and read within a limit."""

import os
from pathlib import Path
from typing import TypeVar

import msgspec

__all__ = ("read_kept", "write_kept", "write_whole")

_Kept = TypeVar("_Kept")


def read_kept(path: Path, kind: type[_Kept], most_bytes: int) -> _Kept:
    """Read what `write_kept` has written.

    Raises:
        OSError: when it cannot be read, or is larger.
        DecodeError: when it is something else.
    """
    if path.stat().st_size > most_bytes:
        raise OSError(f"it has more than {most_bytes} bytes")
    return msgspec.json.decode(path.read_bytes(), type=kind)


def write_kept(path: Path, kept: object) -> None:
    """Write it as JSON, in lines.

    Raises:
        OSError: when the disk takes nothing; the file is as it was then.
    """
    write_whole(path, msgspec.json.format(msgspec.json.encode(kept), indent=2))


def write_whole(path: Path, data: bytes) -> None:
    """Let a file with this content take the place of the one before; its folder is made.

    Raises:
        OSError: when the disk takes nothing; the file is as it was then.
    """
    written = path.with_name(f".{path.name}.{os.getpid()}")
    path.parent.mkdir(parents=True, exist_ok=True)
    written.write_bytes(data)
    written.replace(path)
