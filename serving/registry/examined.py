"""Examined: what is learnt of a model's files before it is loaded."""

from typing import NamedTuple

from serving.archive.content import content_of
from serving.archive.manifest import check_files
from serving.archive.stored import StoredModel
from serving.observe.reference import Reference, read_reference

__all__ = ("Examined", "examine")


class Examined(NamedTuple):
    """What was learnt.

    Attributes:
        content: a SHA-256 of all of it, hexadecimal; "": it cannot be told.
        reference: what its statistics were in training; None: it brings none.
    """

    content: str
    reference: Reference | None


def examine(model: StoredModel) -> Examined:
    """Compare a model's files with its manifest, and read what stands beside them.

    Raises:
        InvalidModel: when a file is not what the manifest says, or cannot be read.
    """
    check_files(model.manifest, model.folder)
    return Examined(content_of(model), read_reference(model.folder))
