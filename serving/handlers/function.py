"""FunctionHandler: a step of an ensemble, one function of its folder."""

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from serving.errors import BadInput, InvalidModel
from serving.handlers.handler import HandlerContext, Tensors
from serving.handlers.loading import load_attribute

__all__ = ("FUNCTION", "FUNCTION_HANDLER", "FunctionHandler")

FUNCTION = "function"
"""The option that names the function: "file.py:function"."""

FUNCTION_HANDLER = "serving.handlers.function:FunctionHandler"


class FunctionHandler:
    """Calls a function with an item's arrays by name; it returns a dict of arrays."""

    def __init__(self) -> None:
        self._function: Callable[..., Mapping[str, Any]] | None = None

    def load(self, context: HandlerContext) -> None:
        """Import the function.

        Raises:
            InvalidModel: when there is none of that name.
        """
        reference = context.options[FUNCTION]
        try:
            self._function = load_attribute(reference, Path(context.model_dir))
        except Exception as error:
            msg = f"cannot load the function {reference}: {type(error).__name__}: {error}"
            raise InvalidModel(msg) from error

    def decode(self, body: bytes) -> Tensors:
        """Refuse: a function takes arrays only.

        Raises:
            BadInput: always.
        """
        msg = "a step of an ensemble takes tensors only"
        raise BadInput(msg)

    def infer(self, batch: Sequence[Tensors]) -> Sequence[Tensors]:
        """Call the function once for each item."""
        if self._function is None:
            msg = "the function is not loaded"
            raise InvalidModel(msg)
        return [_arrays(self._function(**item)) for item in batch]

    def encode(self, outputs: Tensors) -> object:
        """List the arrays' elements."""
        return {name: array.tolist() for name, array in outputs.items()}


def _arrays(result: Mapping[str, Any]) -> Tensors:
    return {name: np.asarray(value) for name, value in result.items()}
