"""Handlers written for TorchServe, loaded in this process or packed as archives."""

import json
import os
import sys
import zipfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from serving.archive.archive import open_archive
from serving.handlers.handler import HandlerContext
from serving.handlers.torchserve import TorchServeHandler

__all__ = ("loaded", "pack")


def pack(path: Path, files: Mapping[str, str | bytes], **model: str) -> Path:
    """Write a `.mar` as torch-model-archiver does.

    Args:
        path: of the archive.
        files: name to content.
        model: of the manifest, by its own names; handler, modelName and modelVersion have defaults.
    """
    described = {"modelName": path.stem, "modelVersion": "1.0", "handler": "handler.py", **model}
    manifest = {"createdOn": "29/11/2026 20:00:00", "runtime": "python", "model": described}
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files.items():
            archive.writestr(name, content)
        archive.writestr("MAR-INF/MANIFEST.json", json.dumps(manifest))
    return path


@contextmanager
def loaded(archive: Path, **options: Any) -> Iterator[TorchServeHandler]:
    """Load an archive's handler in this process, and take away what that leaves behind."""
    folder, path, modules = Path.cwd(), list(sys.path), set(sys.modules)
    environment = dict(os.environ)
    stored = open_archive(archive, archive.parent / "work")
    handler = TorchServeHandler()
    try:
        handler.load(
            HandlerContext(
                model_dir=str(stored.folder),
                model_name=stored.manifest.name,
                model_version=stored.manifest.version,
                batch_size=4,
                options={**stored.options, **options},
            )
        )
        yield handler
    finally:
        os.chdir(folder)
        os.environ.clear()
        os.environ.update(environment)
        sys.path[:] = path
        for name in set(sys.modules) - modules:
            file = getattr(sys.modules[name], "__file__", None)
            if file is not None and Path(file).is_relative_to(stored.folder):
                del sys.modules[name]
