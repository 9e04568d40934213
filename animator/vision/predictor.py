"""Predictor: what the vision room asks of a model server."""

from collections.abc import Mapping
from typing import Any, Protocol

from numpy.typing import NDArray

__all__ = ("Predictor", "Tensors")

Tensors = Mapping[str, NDArray[Any]]
"""Named arrays of one item, without a batch axis."""


class Predictor(Protocol):
    """Runs a model, near or far."""

    def infer(self, model: str, inputs: Tensors) -> Tensors:
        """Run a model by name on one item.

        Raises:
            ModelUnavailable: when the model cannot be reached or does not answer.
        """
        ...
