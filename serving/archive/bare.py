"""Models without a handler: an `.onnx`, `.pt2` or `.pt` file, served as the tensors it takes."""

from pathlib import Path
from typing import Any

import msgspec

from serving.archive.manifest import BACKEND_HANDLER, BackendHints, BatchHints, Manifest
from serving.archive.onnx_signature import read_onnx_signature
from serving.archive.pt2_signature import read_pt2_signature
from serving.errors import InvalidModel
from serving.protocol.metadata import TensorMetadata

__all__ = ("BackendOptions", "bare_manifest", "describe_bare", "is_bare")

_SUFFIXES = (".onnx", ".pt2")

_Axes = tuple[TensorMetadata, ...]


class BackendOptions(msgspec.Struct, frozen=True, kw_only=True):
    """What `BackendHandler` is told of the model that it serves.

    Attributes:
        model: its file, in the model's folder.
        backend: how it is run.
        inputs: without a batch axis.
        outputs: likewise.
        has_batch_axis: whether the model's own inputs and outputs have one, the first.
    """

    model: str
    backend: BackendHints = BackendHints()
    inputs: tuple[TensorMetadata, ...] = ()
    outputs: tuple[TensorMetadata, ...] = ()
    has_batch_axis: bool = False


def is_bare(path: Path) -> bool:
    """Whether a file is a model that needs no handler."""
    return path.suffix in _SUFFIXES


def bare_manifest(path: Path, name: str) -> Manifest:
    """Describe a bare model, by the fields of a manifest in `model.json` beside `model.onnx`.

    Raises:
        InvalidModel: when that file is no manifest.
    """
    fields: dict[str, Any] = {"model": path.name}
    described = path.with_suffix(".json")
    try:
        if described.is_file():
            fields |= msgspec.json.decode(described.read_bytes(), type=dict[str, Any])
        return msgspec.convert(fields | {"name": name}, Manifest)
    except (OSError, msgspec.ValidationError, msgspec.DecodeError) as error:
        msg = f"{path.name} cannot be served: {error}"
        raise InvalidModel(msg) from error


def describe_bare(folder: Path, manifest: Manifest) -> tuple[Manifest, dict[str, Any]]:
    """Fill a manifest up with what the model's file says, and tell its handler.

    What the manifest declares itself has the last word. A first axis that may be of any size in all
    inputs and outputs counts items.

    Returns:
        The manifest, and the handler's options; none for a model with a handler of its own.

    Raises:
        InvalidModel: when the file is missing, or neither it nor the manifest says what it takes.
    """
    if manifest.handler != BACKEND_HANDLER:
        return manifest, {}
    if not manifest.inputs:
        manifest = _filled_up(folder, manifest)
    options = BackendOptions(
        model=manifest.model,
        backend=manifest.backend,
        inputs=manifest.inputs,
        outputs=manifest.outputs,
        has_batch_axis=manifest.batch.axis,
    )
    return manifest, msgspec.to_builtins(options)


def _filled_up(folder: Path, manifest: Manifest) -> Manifest:
    path = folder / manifest.model
    signature = None
    if path.suffix == ".onnx":
        signature = read_onnx_signature(path)
    elif path.suffix == ".pt2":
        signature = read_pt2_signature(path)
    if signature is None:
        msg = f"{manifest.model} does not say what it takes: declare inputs and outputs"
        raise InvalidModel(msg)
    inputs, outputs = signature
    has_axis = bool(inputs) and all(t.shape[:1] == (-1,) for t in (*inputs, *outputs))
    batch = msgspec.to_builtins(manifest.batch) | {"axis": has_axis}
    return msgspec.structs.replace(
        manifest,
        inputs=_items(inputs) if has_axis else inputs,
        outputs=_items(outputs) if has_axis else outputs,
        batch=msgspec.convert(batch, BatchHints),
    )


def _items(tensors: _Axes) -> _Axes:
    """Drop the axis that counts items."""
    return tuple(msgspec.structs.replace(t, shape=t.shape[1:]) for t in tensors)
