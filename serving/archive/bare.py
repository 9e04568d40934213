"""Bare models: an `.onnx` or `.pt2` file without a handler, served as the tensors it takes."""

from pathlib import Path
from typing import Any

import msgspec

from serving.archive.manifest import Manifest
from serving.errors import InvalidModel

__all__ = ("bare_manifest", "is_bare")

_SUFFIXES = (".onnx", ".pt2")


def is_bare(path: Path) -> bool:
    """Whether a file is a model that needs no handler."""
    return path.suffix in _SUFFIXES


def bare_manifest(path: Path, name: str) -> Manifest:
    """Describe a bare model, by the fields of a manifest in `model.json` beside `model.onnx`.

    Raises:
        InvalidModel: when that file is no manifest.
    """
    fields: dict[str, Any] = {"name": name, "model": path.name}
    described = path.with_suffix(".json")
    try:
        if described.is_file():
            fields |= msgspec.json.decode(described.read_bytes(), type=dict[str, Any])
        return msgspec.convert(fields | {"name": name}, Manifest)
    except (OSError, msgspec.ValidationError, msgspec.DecodeError) as error:
        msg = f"{path.name} cannot be served: {error}"
        raise InvalidModel(msg) from error
