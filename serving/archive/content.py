"""Content: what tells one content of a model from another: the hash of all its files."""

import hashlib
import logging
from collections.abc import Mapping
from pathlib import Path

from serving.archive.bare import is_bare
from serving.archive.manifest import MANIFEST_FILE
from serving.archive.mar_manifest import is_torchserve
from serving.archive.stored import StoredModel

__all__ = ("content_of", "digest_of", "is_model", "is_passed_over")

_COMING = (".part", ".partial", ".tmp", ".filepart", ".crdownload", ".swp", "~")
"""What programs put behind the name of a file that is not there wholly yet."""

_CACHE = "__pycache__"
"""What Python writes beside a handler that is loaded."""

_log = logging.getLogger(__name__)


def is_passed_over(name: str) -> bool:
    """Whether a name says that it is hidden, not there wholly yet, or no part of a model."""
    return name.startswith(".") or name.endswith(_COMING) or name == _CACHE


def is_model(folder: Path) -> bool:
    """Whether a folder is one of a model; within that of another it is none of its parts."""
    return (folder / MANIFEST_FILE).is_file() or is_torchserve(folder)


def digest_of(path: Path, known: Mapping[str, str] | None = None) -> str:
    """Hash the content of a file, or names and content of a model's files in a folder: SHA-256.

    Args:
        path: of the file or folder.
        known: hashes of files of the folder, hexadecimal, by their path in it: these are not read.

    Raises:
        OSError: when something cannot be read.
    """
    if not path.is_dir():
        with path.open("rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()
    known = known or {}
    others = {inner.name for inner in path.iterdir() if is_model(inner)}
    files = {
        file.relative_to(path).as_posix(): file
        for file in sorted(path.rglob("*"))
        if file.is_file()
        and file.relative_to(path).parts[0] not in others
        and not any(map(is_passed_over, file.relative_to(path).parts))
    }
    parts = (f"{name} {known.get(name, '').lower() or digest_of(files[name])}" for name in files)
    return hashlib.sha256("\n".join(parts).encode()).hexdigest()


def content_of(stored: StoredModel) -> str:
    """Tell one content of a model from another, by a SHA-256; "": it cannot be read; the log tells.

    Args:
        stored: the model, whose files have been compared with its manifest.
    """
    if stored.sha256:
        return stored.sha256
    folder, manifest = stored.folder, stored.manifest
    bare = folder / manifest.model
    try:
        if is_bare(bare) and not (folder / MANIFEST_FILE).is_file():
            return digest_of(bare)
        return digest_of(folder, manifest.files)
    except OSError as error:
        _log.warning("%s: it cannot be told whether its content is another: %s", folder, error)
        return ""
