"""Brought: something that was found, on this machine, and with what it goes."""

import dataclasses
import shutil
from dataclasses import dataclass
from pathlib import Path

from serving.archive.stored import StoredModel

__all__ = ("Brought", "owning", "take_away")


@dataclass(frozen=True, slots=True)
class Brought:
    """Something that was found, on this machine.

    Attributes:
        path: the file or folder.
        work_dir: what was made for it, and goes with it; None: it was here before.
    """

    path: Path
    work_dir: Path | None = None


def owning(stored: StoredModel, brought: Brought) -> StoredModel:
    """Let what was brought go with the model, or at once where the model has its own copy."""
    if brought.work_dir is None:
        return stored
    if stored.work_dir is None:
        return dataclasses.replace(stored, work_dir=brought.work_dir)
    take_away(brought)
    return stored


def take_away(brought: Brought) -> None:
    """Remove what was made for it."""
    if brought.work_dir is not None:
        shutil.rmtree(brought.work_dir, ignore_errors=True)
