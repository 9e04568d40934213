"""The worker: a child process that holds one loaded model and answers batches."""

import logging
import socket
import sys
import time
from collections.abc import Sequence
from pathlib import Path

import msgspec
import numpy as np

from serving.batching.batch import infer_in_groups
from serving.errors import BadInput, InferenceFailed, ServingError
from serving.handlers.handler import Handler
from serving.handlers.loading import load_handler
from serving.protocol.metadata import TensorMetadata
from serving.protocol.tensors import DATATYPES, Buffer, Tensors
from serving.workers.channel import Channel, ChannelClosed
from serving.workers.lifetime import die_with_parent, ignore_stop_signals
from serving.workers.messages import (
    Answered,
    Item,
    Load,
    Loaded,
    LoadFailed,
    Outcome,
    Part,
    Run,
    pack,
    unpack,
)

__all__ = ("answer_batch", "main", "serve_channel", "trial_item")

_TRIAL_SIZE = 64
"""Stands in a trial for a size that may be anything."""

_log = logging.getLogger(__name__)


def main(arguments: Sequence[str]) -> int:
    """Serve one model over the socket whose number, with the parent's id, is given."""
    descriptor, parent = map(int, arguments)
    ignore_stop_signals()
    die_with_parent(parent)
    logging.basicConfig(level=logging.INFO, format="%(levelname)s worker %(process)d: %(message)s")
    with socket.socket(fileno=descriptor) as end:
        return serve_channel(Channel(end))


def serve_channel(channel: Channel) -> int:
    """Load what the server asks for and answer its batches until it is gone; the exit code."""
    try:
        handler = _load(channel)
        while handler is not None:
            _answer(channel, handler)
    except ChannelClosed:
        return 0
    return 1


def answer_batch(handler: Handler, items: Sequence[Item]) -> list[Outcome]:
    """Decode, infer and encode; each outcome stands where its item stood.

    Bodies are decoded and results encoded one by one, so that a bad item fails alone.
    """
    decoded = [_decode(handler, item) for item in items]
    good = [index for index, item in enumerate(decoded) if not isinstance(item, ServingError)]
    tensors = [item for item in decoded if not isinstance(item, ServingError)]
    outcomes: list[Outcome] = list(decoded)
    for index, result in zip(good, infer_in_groups(tensors, handler.infer), strict=True):
        if isinstance(result, ServingError):
            _log.error("inference failed", exc_info=result.__cause__)
        is_body = isinstance(items[index], bytes)
        outcomes[index] = _encode(handler, result) if is_body else result
    return outcomes


def trial_item(inputs: Sequence[TensorMetadata]) -> Tensors | None:
    """Zeros in the shape of the inputs; None when they are not said, or are not numbers."""
    if not inputs or any(tensor.datatype == "BYTES" for tensor in inputs):
        return None
    return {
        tensor.name: np.zeros(
            [_TRIAL_SIZE if size < 0 else size for size in tensor.shape],
            dtype=DATATYPES[tensor.datatype],
        )
        for tensor in inputs
    }


def _load(channel: Channel) -> Handler | None:
    message, _ = channel.receive()
    if not isinstance(message, Load):
        return None
    started = time.monotonic()
    try:
        handler = load_handler(message.handler, Path(message.context.model_dir))
        handler.load(message.context)
        trial = trial_item(message.trial)
        if trial is not None:
            handler.infer([trial])
    except Exception as error:
        _log.exception("cannot load %s", message.handler)
        channel.send(LoadFailed(message=f"{type(error).__name__}: {error}"))
        return None
    channel.send(Loaded(seconds=time.monotonic() - started))
    return handler


def _answer(channel: Channel, handler: Handler) -> None:
    message, buffers = channel.receive()
    if not isinstance(message, Run):
        msg = f"a worker takes batches, got {type(message).__name__}"
        raise TypeError(msg)
    started = time.monotonic()
    items = [item for item in unpack(message.parts, buffers) if not isinstance(item, ServingError)]
    packed = [_pack(outcome) for outcome in answer_batch(handler, items)]
    answer = Answered(parts=tuple(part for part, _ in packed), seconds=time.monotonic() - started)
    channel.send(answer, [buffer for _, part_buffers in packed for buffer in part_buffers])


def _pack(outcome: Outcome) -> tuple[Part, list[Buffer]]:
    try:
        return pack(outcome)
    except Exception as error:
        # A handler may return anything; what is no tensors must not take the others with it.
        return pack(InferenceFailed(f"the model's result cannot be sent: {error}"))


def _decode(handler: Handler, item: Item) -> Tensors | ServingError:
    if not isinstance(item, bytes):
        return item
    try:
        return handler.decode(item)
    except ValueError as error:
        return BadInput(str(error))
    except ServingError as error:
        return error
    except Exception as error:
        _log.exception("decoding failed")
        return InferenceFailed(f"{type(error).__name__}: {error}")


def _encode(handler: Handler, result: Tensors | ServingError) -> Outcome:
    if isinstance(result, ServingError):
        return result
    try:
        return msgspec.json.encode(handler.encode(result))
    except Exception as error:
        _log.exception("encoding failed")
        return InferenceFailed(f"{type(error).__name__}: {error}")


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
