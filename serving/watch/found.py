"""Found: an archive or a folder of a model that a look has found."""

import hashlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Protocol

from serving.registry.repository import version_rank
from serving.watch.brought import Brought

__all__ = (
    "SUFFIXES",
    "Found",
    "LookFailed",
    "Source",
    "in_order",
    "signature_of",
)

SUFFIXES = (".mar", ".tar.gz", ".tgz", ".onnx", ".pt2")
"""Of archives and bare models."""


class LookFailed(Exception):
    """The place cannot be looked at just now, or is being written."""


@dataclass(frozen=True, slots=True)
class Found:
    """An archive, or a folder of a model.

    Attributes:
        key: where it lies below the place that is watched, with slashes.
        signature: another one whenever its content may be another.
        modified_at: when it was changed last, seconds since 1970.
        is_whole: whether it cannot be there in part.
        problem: why it must not be taken; "": it may.
    """

    key: str
    signature: str
    modified_at: float = 0.0
    is_whole: bool = False
    problem: str = ""


class Source(Protocol):
    """A place that is watched. Its methods wait, and are called beside the event loop."""

    def look(self) -> Sequence[Found]:
        """What is there, lower versions first.

        Raises:
            LookFailed: when that cannot be told.
        """
        ...

    def bring(self, found: Found) -> Brought:
        """Have its content on this machine.

        Raises:
            LookFailed: when it cannot be had just now, or is another by now.
        """
        ...


def in_order(found: Iterable[Found]) -> list[Found]:
    """Lower versions first, as their names tell them: 1.9 goes before 1.10."""
    return sorted(found, key=lambda each: version_rank(each.key))


def signature_of(parts: Iterable[object]) -> str:
    """Make a short text of what tells one content from another."""
    return hashlib.sha256("\0".join(map(str, parts)).encode()).hexdigest()[:32]
