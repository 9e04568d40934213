"""BackendHandler: serves a model that brings no handler."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import msgspec
import numpy as np

from serving.archive.bare import BackendOptions
from serving.backends.backend import Arrays, Backend, ModelFile, load_backend
from serving.errors import InferenceFailed
from serving.handlers.handler import HandlerContext
from serving.protocol.tensors import Tensors, dtype_from_name

__all__ = ("BackendHandler",)


class BackendHandler:
    """Runs a model's file on tensors; raw bodies are JSON."""

    def load(self, context: HandlerContext) -> None:
        """Load the model with its runtime.

        Raises:
            InvalidModel: when it cannot be loaded.
        """
        self._options = msgspec.convert(dict(context.options), BackendOptions)
        self._backend: Backend = load_backend(
            ModelFile(
                path=Path(context.model_dir) / self._options.model,
                hints=self._options.backend,
                inputs=self._options.inputs,
                outputs=self._options.outputs,
                device=context.device,
                threads=context.threads,
            )
        )

    def decode(self, body: bytes) -> Tensors:
        """Read `{"input": nested lists, ...}`; one input's lists may stand alone.

        Raises:
            ValueError: when the body is no JSON, or an input is missing or no array.
        """
        given = msgspec.json.decode(body)
        declared = self._options.inputs
        if not isinstance(given, Mapping):
            if len(declared) != 1:
                msg = f"the model takes an object of {[tensor.name for tensor in declared]}"
                raise ValueError(msg)
            given = {declared[0].name: given}
        missing = [tensor.name for tensor in declared if tensor.name not in given]
        if missing:
            msg = f"the body lacks {missing}"
            raise ValueError(msg)
        return {t.name: np.array(given[t.name], dtype_from_name(t.datatype)) for t in declared}

    def infer(self, batch: Sequence[Tensors]) -> Sequence[Tensors]:
        """Run the model once on all items when it has a batch axis, else once on each.

        Raises:
            InferenceFailed: when an output has not one row for each item.
        """
        if not self._options.has_batch_axis:
            return [self._backend.run(item) for item in batch]
        stacked = {name: np.stack([item[name] for item in batch]) for name in batch[0]}
        return _rows(self._backend.run(stacked), len(batch))

    def encode(self, outputs: Tensors) -> object:
        """Make nested lists of the arrays."""
        return {name: array.tolist() for name, array in outputs.items()}


def _rows(outputs: Arrays, count: int) -> list[dict[str, Any]]:
    for name, array in outputs.items():
        if array.shape[:1] != (count,):
            msg = f"{name} has the shape {array.shape}, not one row for each of {count} items"
            raise InferenceFailed(msg)
    return [{name: array[index] for name, array in outputs.items()} for index in range(count)]
