"""Manifest: what a model's folder says of itself, in `manifest.json`."""

import hashlib
import logging
from pathlib import Path
from typing import Annotated, Literal

import msgspec

from serving.errors import InvalidModel
from serving.protocol.metadata import TensorMetadata

__all__ = (
    "BackendHints",
    "BatchHints",
    "Manifest",
    "ModelName",
    "check_files",
    "manifest_from_json",
    "read_manifest",
    "runtime_of",
)

MANIFEST_FILE = "manifest.json"

BACKEND_HANDLER = "serving.backends.handler:BackendHandler"
"""Serves models that bring no handler."""

_log = logging.getLogger(__name__)

# What may stand in a URL; TorchServe's archiver asks for the same.
ModelName = Annotated[str, msgspec.Meta(pattern=r"^[A-Za-z0-9][A-Za-z0-9_\-.]*$", max_length=128)]


Precision = Literal["fp32", "fp16", "bf16", "int8"]
"""Of the numbers that a network works with."""


class BatchHints(msgspec.Struct, frozen=True, kw_only=True):
    """How the model likes to be batched; the server's configuration has the last word.

    Attributes:
        batch_size: most items of a batch, >= 1.
        max_batch_delay_ms: longest wait for company, milliseconds, >= 0.
        axis: whether requests of the Open Inference Protocol have a batch axis: each input and
            output then has one axis more than is declared, the first, and each row is one item.
    """

    batch_size: Annotated[int, msgspec.Meta(ge=1)] = 1
    max_batch_delay_ms: Annotated[float, msgspec.Meta(ge=0)] = 5.0
    axis: bool = False


class BackendHints(msgspec.Struct, frozen=True, kw_only=True):
    """How a model without a handler is run.

    Attributes:
        name: "onnxruntime", "openvino", "torchscript", "export" or "eager"; "": by the file's name.
        precision: of the numbers that the model works with; its inputs and outputs stay as they
            are.
        model_file: for "eager", the Python file with the network's class, `file.py` or
            `file.py:Class`.
    """

    name: Literal["", "onnxruntime", "openvino", "torchscript", "export", "eager"] = ""
    precision: Precision = "fp32"
    model_file: str = ""


_RUNTIMES = {
    ".onnx": "onnxruntime",
    ".xml": "openvino",
    ".pt2": "export",
    ".pt": "torchscript",
}


def runtime_of(file: str, hints: BackendHints) -> str:
    """Name what runs a model's file: as its manifest says, or else by the file's kind.

    Returns:
        One of the names of `BackendHints`; "" where none is known.
    """
    if hints.name or hints.model_file:
        return hints.name or "eager"
    return _RUNTIMES.get(Path(file).suffix, "")


class Manifest(msgspec.Struct, frozen=True, kw_only=True):
    """What a model's folder says of itself.

    Attributes:
        name: as in the URL.
        version: as in the URL.
        handler: "package.module:Class", or "file.py:Class" for a file in the model's folder.
        model: the file of a model that needs no handler: `.onnx`, `.pt2`, `.pt` (TorchScript), or
            the weights of `backend.model_file`.
        backend: how such a model is run.
        files: file name to its SHA-256 in hexadecimal, checked before the model is loaded.
        inputs: what an item holds, without a batch axis; empty leaves it to the handler.
        outputs: what a result holds, likewise.
        batch: how the model likes to be batched.
        labels: names of its classes, by index.
        precisions: those that its own handler can be asked for; empty: it chooses itself.
    """

    name: ModelName
    handler: Annotated[str, msgspec.Meta(pattern=r"^[^:]+:[^:]+$")] = BACKEND_HANDLER
    model: str = ""
    backend: BackendHints = BackendHints()
    version: ModelName = "1"
    files: dict[str, str] = {}
    inputs: tuple[TensorMetadata, ...] = ()
    outputs: tuple[TensorMetadata, ...] = ()
    batch: BatchHints = BatchHints()
    labels: tuple[str, ...] = ()
    precisions: tuple[Precision, ...] = ()

    def __post_init__(self) -> None:
        if self.handler == BACKEND_HANDLER and not self.model:
            msg = "a manifest names a handler, or the file of a model that needs none"
            raise ValueError(msg)


def manifest_from_json(data: bytes) -> Manifest:
    """Read a manifest; a field that is unknown is passed over, and logged.

    Raises:
        InvalidModel: when the JSON is no manifest.
    """
    try:
        manifest = msgspec.json.decode(data, type=Manifest)
        fields = msgspec.json.decode(data, type=dict[str, msgspec.Raw])
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        msg = f"the manifest is not valid: {error}"
        raise InvalidModel(msg) from error
    # Newer manifests stay readable, yet a misspelt field does not vanish in silence.
    unknown = sorted(fields.keys() - set(Manifest.__struct_fields__))
    if unknown:
        _log.warning("manifest of %s: unknown fields: %s", manifest.name, ", ".join(unknown))
    return manifest


def read_manifest(folder: Path) -> Manifest:
    """Read the manifest of a model's folder.

    Raises:
        InvalidModel: when there is none, or it is not valid.
    """
    path = folder / MANIFEST_FILE
    try:
        data = path.read_bytes()
    except OSError as error:
        msg = f"cannot read {path}: {error.strerror}"
        raise InvalidModel(msg) from error
    try:
        return manifest_from_json(data)
    except InvalidModel as error:
        msg = f"{path}: {error}"
        raise InvalidModel(msg) from error


def check_files(manifest: Manifest, folder: Path) -> None:
    """Compare the files of a model's folder with the hashes in its manifest.

    Raises:
        InvalidModel: when a file is missing or cannot be read, lies outside the folder, or is
            another one.
    """
    try:
        _check_files(manifest, folder)
    except OSError as error:
        msg = f"{manifest.name}: cannot read {error.filename or folder}: {error.strerror}"
        raise InvalidModel(msg) from error


def _check_files(manifest: Manifest, folder: Path) -> None:
    root = folder.resolve()
    for name, expected in manifest.files.items():
        path = (folder / name).resolve()
        if not path.is_relative_to(root) or not path.is_file():
            msg = f"{manifest.name}: no file {name} in {folder}"
            raise InvalidModel(msg)
        with path.open("rb") as file:
            actual = hashlib.file_digest(file, "sha256").hexdigest()
        if actual != expected.lower():
            msg = f"{manifest.name}: {name} has SHA-256 {actual}, the manifest says {expected}"
            raise InvalidModel(msg)
