"""Handler: the code of one model, as the server calls it."""

from collections.abc import Sequence
from typing import Protocol

import msgspec

from serving.protocol.tensors import Tensors

__all__ = ("Handler", "HandlerContext", "Tensors")


class HandlerContext(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Where and how a handler loads its model.

    Attributes:
        model_dir: folder with the manifest and the weights.
        device: "cpu", or "cuda:N" with N the index of an NVIDIA GPU.
        threads: CPU threads that inference may use, >= 1.
    """

    model_dir: str
    device: str = "cpu"
    threads: int = 1


class Handler(Protocol):
    """One model's code; built without arguments, loaded once, then called from one thread."""

    def load(self, context: HandlerContext) -> None:
        """Load the weights; whatever it raises keeps the model from being served."""
        ...

    def decode(self, body: bytes) -> Tensors:
        """Turn the raw body of a prediction request into one item.

        Raises:
            ValueError: (or a subclass) when the body is not what this model takes.
        """
        ...

    def infer(self, batch: Sequence[Tensors]) -> Sequence[Tensors]:
        """Run the model on items of equal shapes; as many results, in the same order."""
        ...

    def encode(self, outputs: Tensors) -> object:
        """Turn one item's results into the JSON-able answer of a prediction request."""
        ...
