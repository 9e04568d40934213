"""Lineage: from the version that answered back to the weights and what they came from.

Every answer names its version (`x-model-version`). What that is made of is told by the hashes in
the manifest and, where whoever trained it left one, by the folder's `lineage.json`, which is passed
on as it is: only its maker knows what training is.
"""

import logging
from typing import Any

import msgspec

from serving.archive.manifest import check_files
from serving.archive.stored import StoredModel
from serving.errors import InvalidModel

__all__ = ("LINEAGE_FILE", "VERSION_HEADER", "ModelLineage", "lineage_of")

LINEAGE_FILE = "lineage.json"
VERSION_HEADER = "x-model-version"
_MOST_BYTES = 1_000_000

_log = logging.getLogger(__name__)


class ModelLineage(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """What a version is made of.

    Attributes:
        model_name: of the model.
        model_version: of the version.
        model_url: what it was registered by; "" for a folder that was found.
        archive_sha256: of the archive's file, hexadecimal; "" for a folder.
        handler: the code that runs it.
        files: file name to SHA-256, hexadecimal, as the manifest says.
        files_are_intact: whether the files are what the manifest says, looked at just now.
        training: what its maker wrote of it; None: nothing.
    """

    model_name: str
    model_version: str
    model_url: str
    archive_sha256: str
    handler: str
    files: dict[str, str]
    files_are_intact: bool
    training: Any = None


def lineage_of(model: StoredModel) -> ModelLineage:
    """Look at a model on disk; its files are read whole."""
    manifest = model.manifest
    return ModelLineage(
        model_name=manifest.name,
        model_version=manifest.version,
        model_url=model.url,
        archive_sha256=model.sha256,
        handler=manifest.handler,
        files=manifest.files,
        files_are_intact=_is_intact(model),
        training=_training(model),
    )


def _is_intact(model: StoredModel) -> bool:
    try:
        check_files(model.manifest, model.folder)
    except InvalidModel:
        return False
    return True


def _training(model: StoredModel) -> Any:
    file = model.folder / LINEAGE_FILE
    try:
        if not file.is_file() or file.stat().st_size > _MOST_BYTES:
            return None
        return msgspec.json.decode(file.read_bytes())
    except (OSError, msgspec.DecodeError) as error:
        _log.warning("%s is no lineage: %s", file, error)
        return None
