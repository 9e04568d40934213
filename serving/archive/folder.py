"""Our own kind of model: a folder with a manifest.json."""

from pathlib import Path

from serving.archive.bare import describe_bare
from serving.archive.manifest import Manifest, read_manifest
from serving.archive.stored import StoredModel

__all__ = ("open_folder", "stored_native")


def open_folder(folder: Path) -> StoredModel:
    """Make a model on disk of a folder with a manifest.json.

    Raises:
        InvalidModel: when the manifest is missing or not valid.
    """
    return stored_native(folder, read_manifest(folder))


def stored_native(folder: Path, manifest: Manifest) -> StoredModel:
    """Make a model on disk of a folder and its manifest.

    Raises:
        InvalidModel: when it has no handler, and its file does not say what it takes.
    """
    manifest, options = describe_bare(folder, manifest)
    return StoredModel(folder=folder, manifest=manifest, options=options)
