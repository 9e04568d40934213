"""StoredModel: one model on disk, ready to be served."""

import shutil
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from serving.archive.manifest import Manifest

__all__ = ("StoredModel", "discard")


@dataclass(frozen=True, slots=True)
class StoredModel:
    """One model on disk.

    Attributes:
        folder: where its files are.
        manifest: what it says of itself.
        url: what it was registered by; "" for a folder that was found.
        options: what its handler is told beside its files (`HandlerContext.options`).
        config: how it asks to be served, as fields of `ModelConfig`; who registers has the last
            word.
        sha256: of the archive's file, in hexadecimal; "" for a folder.
        work_dir: an own folder that holds `folder` and goes when the model goes; None: the files
            are somebody else's.
        brought: the archive's file where it was fetched for this model, with which it goes; None:
            it was there before.
        python: the interpreter with the model's own packages; None: the server's.
    """

    folder: Path
    manifest: Manifest
    url: str = ""
    options: Mapping[str, Any] = field(default_factory=dict)
    config: Mapping[str, Any] = field(default_factory=dict)
    sha256: str = ""
    work_dir: Path | None = None
    brought: Path | None = None
    python: Path | None = None


def discard(stored: StoredModel) -> None:
    """Remove what was fetched and unpacked for a model; what a user put there stays."""
    if stored.work_dir is not None:
        shutil.rmtree(stored.work_dir, ignore_errors=True)
    if stored.brought is not None:
        stored.brought.unlink(missing_ok=True)
