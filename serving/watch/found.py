"""Found: an archive or a folder of a model that a look has found."""

import hashlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from serving.archive.manifest import MANIFEST_FILE
from serving.archive.mar_manifest import is_torchserve
from serving.registry.repository import version_rank

__all__ = (
    "SUFFIXES",
    "Brought",
    "Found",
    "LookFailed",
    "Source",
    "digest_of",
    "in_order",
    "is_model",
    "is_passed_over",
    "signature_of",
)

SUFFIXES = (".mar", ".tar.gz", ".tgz", ".onnx", ".pt2")
"""Of archives and bare models."""

_COMING = (".part", ".partial", ".tmp", ".filepart", ".crdownload", ".swp", "~")
"""What programs put behind the name of a file that is not there wholly yet."""

_CACHE = "__pycache__"
"""What Python writes beside a handler that is loaded."""


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


@dataclass(frozen=True, slots=True)
class Brought:
    """Something that was found, on this machine.

    Attributes:
        path: the file or folder.
        work_dir: what was made for it, and goes with it; None: it was here before.
    """

    path: Path
    work_dir: Path | None = None


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


def is_passed_over(name: str) -> bool:
    """Whether a name says that it is hidden, not there wholly yet, or no part of a model."""
    return name.startswith(".") or name.endswith(_COMING) or name == _CACHE


def is_model(folder: Path) -> bool:
    """Whether a folder is one of a model; within that of another it is none of its parts."""
    return (folder / MANIFEST_FILE).is_file() or is_torchserve(folder)


def in_order(found: Iterable[Found]) -> list[Found]:
    """Lower versions first, as their names tell them: 1.9 goes before 1.10."""
    return sorted(found, key=lambda each: version_rank(each.key))


def signature_of(parts: Iterable[object]) -> str:
    """Make a short text of what tells one content from another."""
    return hashlib.sha256("\0".join(map(str, parts)).encode()).hexdigest()[:32]


def digest_of(path: Path) -> str:
    """Hash the content of a file, or names and content of a model's files in a folder: SHA-256.

    Raises:
        OSError: when something cannot be read.
    """
    if not path.is_dir():
        with path.open("rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()
    others = {inner.name for inner in path.iterdir() if is_model(inner)}
    files = (
        file
        for file in sorted(path.rglob("*"))
        if file.is_file()
        and file.relative_to(path).parts[0] not in others
        and not any(map(is_passed_over, file.relative_to(path).parts))
    )
    parts = (f"{file.relative_to(path).as_posix()} {digest_of(file)}" for file in files)
    return hashlib.sha256("\n".join(parts).encode()).hexdigest()
