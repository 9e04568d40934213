"""TOML files of this room as typed values."""

from pathlib import Path
from typing import TypeVar

import msgspec

from animator.core.errors import InvalidMotion

__all__ = ("MOST_BYTES", "decode_toml", "read_toml")

Document = TypeVar("Document")

MOST_BYTES = 64 * 1024


def read_toml(path: Path, kind: type[Document]) -> Document:
    """Read a file as a struct of the kind given.

    Raises:
        InvalidMotion: when it cannot be read, with the place where it goes wrong.
    """
    try:
        data = path.read_bytes()
    except OSError as error:
        msg = f"{path.name}: {error}"
        raise InvalidMotion(msg) from error
    return decode_toml(data, kind, path.name)


def decode_toml(data: bytes, kind: type[Document], name: str) -> Document:
    """Read the bytes of a file of that name as a struct of the kind given.

    Raises:
        InvalidMotion: when they are no such file, or too many, with the place where it goes wrong.
    """
    if len(data) > MOST_BYTES:
        msg = f"{name}: it is larger than {MOST_BYTES} bytes"
        raise InvalidMotion(msg)
    try:
        return msgspec.toml.decode(data, type=kind)
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        why = str(error)
        # The end names the place; between may be all that somebody wrote.
        why = why if len(why) <= 300 else f"{why[:140]} ... {why[-140:]}"
        msg = f"{name}: {why}"
        raise InvalidMotion(msg) from error
