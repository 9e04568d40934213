"""TOML files of this room as typed values."""

from pathlib import Path
from typing import TypeVar

import msgspec

from animator.core.errors import InvalidMotion

__all__ = ("read_toml",)

Document = TypeVar("Document")


def read_toml(path: Path, kind: type[Document]) -> Document:
    """Read a file as a struct of the kind given.

    Raises:
        InvalidMotion: when it cannot be read, with the place where it goes wrong.
    """
    try:
        return msgspec.toml.decode(path.read_bytes(), type=kind)
    except (OSError, msgspec.DecodeError) as error:
        msg = f"{path.name}: {error}"
        raise InvalidMotion(msg) from error
