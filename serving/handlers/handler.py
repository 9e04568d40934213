"""Handler and RawHandler: the code of one model, as the server calls it."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Protocol

import msgspec

from serving.errors import ServingError
from serving.protocol.exchange import RawReply, RawRequest
from serving.protocol.tensors import Tensors

__all__ = ("AnyHandler", "Handler", "HandlerContext", "RawHandler", "Send", "Tensors")


class HandlerContext(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Where and how a handler loads its model.

    Attributes:
        model_dir: folder with the manifest and the weights.
        device: "cpu", or "cuda:N" with N the index of an NVIDIA GPU.
        threads: CPU threads that inference may use, >= 1.
        model_name: as in the URL.
        model_version: as in the URL.
        batch_size: most items of a batch when it is loaded, >= 1; may be changed later.
        precision: that is asked for, one of the manifest's `precisions`; "": the handler chooses.
        gpu_id: N of "cuda:N"; None on the CPU.
        options: what the archive says beside its files, as it says it.
    """

    model_dir: str
    device: str = "cpu"
    threads: int = 1
    model_name: str = ""
    model_version: str = ""
    batch_size: int = 1
    precision: str = ""
    gpu_id: int | None = None
    options: Mapping[str, Any] = {}


class Handler(Protocol):
    """One model's code; built without arguments, loaded once, then called from one thread.

    Where processes of their own decode and encode (`decode_workers`), they call only `decode` and
    `encode`, and before those, instead of `load`, `prepare(context)` if there is such a method.

    Where there is a method `measure(item, outputs)`, it is asked after each item for numbers by
    name, whose drift from the model's reference is told; it should cost little beside the model.
    """

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


Send = Callable[[int, bytes | RawReply], None]
"""Sends the request of that index a part of its reply at once; status and headers are those of a
RawReply that is the first part."""


class RawHandler(Protocol):
    """Code that reads requests and writes replies itself; otherwise as a Handler.

    Where a worker has several batches at a time (`batches_at_once`), it has besides `answer` a
    coroutine `answer_async` of the same arguments, which is called for each of them.
    """

    def load(self, context: HandlerContext) -> None:
        """Load the weights; whatever it raises keeps the model from being served."""
        ...

    def answer(
        self, requests: Sequence[RawRequest], send: Send
    ) -> Sequence[RawReply | ServingError | None]:
        """Answer a batch: one reply or error for each request, in the same order.

        With continuous batching, None says that a request is not answered yet: it comes again (the
        same object) in the next call, beside new ones. Elsewhere None is an error.
        """
        ...


AnyHandler = Handler | RawHandler
"""What a manifest may name."""
