"""Backend: a model's file, ready to be run on named arrays."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from importlib import import_module
from pathlib import Path
from typing import Any, Protocol

from numpy.typing import NDArray

from serving.archive.manifest import BackendHints, runtime_of
from serving.errors import InvalidModel
from serving.protocol.metadata import TensorMetadata

__all__ = ("Arrays", "Backend", "ModelFile", "load_backend", "refuse_precision")

Arrays = Mapping[str, NDArray[Any]]
"""Named arrays as the model's file takes and gives them, batch axis and all."""


@dataclass(frozen=True, slots=True)
class ModelFile:
    """What is loaded, and where it runs.

    Attributes:
        path: the model's file.
        hints: runtime and precision.
        inputs: in the order in which the model takes them; names, and types.
        outputs: in the order in which it gives them; empty: numbered.
        device: "cpu" or "cuda:N".
        threads: of one call, >= 1.
    """

    path: Path
    hints: BackendHints = field(default_factory=BackendHints)
    inputs: tuple[TensorMetadata, ...] = ()
    outputs: tuple[TensorMetadata, ...] = ()
    device: str = "cpu"
    threads: int = 1


class Backend(Protocol):
    """One loaded model; called from one thread."""

    def run(self, inputs: Arrays) -> Arrays:
        """Run the model.

        Raises:
            Exception: whatever the runtime raises; a wrong shape, say.
        """
        ...


_MODULES = {
    "onnxruntime": "serving.backends.onnx",
    "openvino": "serving.backends.openvino",
    "export": "serving.backends.exported",
    "torchscript": "serving.backends.torchscript",
    "eager": "serving.backends.eager",
}


def load_backend(file: ModelFile) -> Backend:
    """Load a model with the runtime that its manifest names, or else that of its file's kind.

    Raises:
        InvalidModel: when there is no such runtime, it is not installed, or it cannot do it.
    """
    name = runtime_of(file.path.name, file.hints)
    if not name:
        msg = f"no runtime is known for {file.path.name}: name a backend in the manifest"
        raise InvalidModel(msg)
    try:
        load: Callable[[ModelFile], Backend] = import_module(_MODULES[name]).load
    except ImportError as error:
        msg = f"the backend {name} is not installed: {error}"
        raise InvalidModel(msg) from error
    return load(file)


def refuse_precision(file: ModelFile, backend: str) -> InvalidModel:
    """Say that a runtime does not offer what the manifest asks for."""
    return InvalidModel(f"{backend} does not run {file.path.name} in {file.hints.precision}")
