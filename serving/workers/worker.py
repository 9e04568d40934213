"""The worker: a child process that holds one loaded model and answers batches."""

import gc
import logging
import socket
import sys
import time
from collections.abc import Sequence
from functools import partial
from pathlib import Path

import numpy as np

from serving.handlers.asked import ASKED, NOBODY, Asked
from serving.handlers.handler import AnyHandler
from serving.handlers.loading import is_async, is_raw, load_handler
from serving.handlers.points import take_points
from serving.protocol.metadata import TensorMetadata
from serving.protocol.tensors import Tensors, dtype_from_name
from serving.workers.answering import Laps, answer_batch, code_batch
from serving.workers.channel import Areas, Channel, ChannelClosed
from serving.workers.continuous import ContinuousLoop
from serving.workers.lifetime import die_with_parent, ignore_stop_signals
from serving.workers.memory import keep_freed_memory
from serving.workers.messages import (
    Answered,
    Load,
    Loaded,
    LoadFailed,
    Ping,
    Pong,
    Run,
    unpack_items,
)
from serving.workers.ranks import Ranks, join_ranks
from serving.workers.replies import pack_safely, send_chunk
from serving.workers.shared import SharedArea

__all__ = ("main", "serve_channel", "trial_item")

_TRIAL_SIZE = 64
"""Stands in a trial for a size that may be anything."""

_log = logging.getLogger(__name__)


def main(arguments: Sequence[str]) -> int:
    """Serve one model: over what, is told by `serving.workers.launch.spawn`."""
    parent, descriptor, *areas = map(int, arguments)
    ignore_stop_signals()
    die_with_parent(parent)
    keep_freed_memory()
    _log_by_line()
    with socket.socket(fileno=descriptor) as end:
        return serve_channel(Channel(end, _areas(areas)))


def _areas(descriptors: Sequence[int]) -> Areas:
    if not descriptors:
        return Areas()
    requests, replies = map(SharedArea, descriptors)
    return Areas(outgoing=replies, incoming=requests)


def serve_channel(channel: Channel) -> int:
    """Load what the server asks for and answer its batches until it is gone; the exit code."""
    try:
        load, _ = channel.receive()
        if not isinstance(load, Load):
            return 1
        ranks = None
        if load.processes > 1:
            load, ranks = join_ranks(load)
        handler = _load(channel, load, ranks)
        if handler is None:
            return 1
        if load.is_continuous and is_raw(handler):
            ContinuousLoop(channel, handler).serve()
        if load.is_concurrent and is_async(handler):
            # Few models need an event loop in their workers.
            from serving.workers.concurrent import ConcurrentLoop

            ConcurrentLoop(channel, handler).serve()
        while True:
            _serve_one(channel, handler, ranks, is_codec=load.is_codec)
    except ChannelClosed:
        return 0


def trial_item(inputs: Sequence[TensorMetadata]) -> Tensors | None:
    """Zeros in the shape of the inputs; None when they are not said, or are not numbers."""
    if not inputs or any(tensor.datatype == "BYTES" for tensor in inputs):
        return None
    return {
        tensor.name: np.zeros(
            [_TRIAL_SIZE if size < 0 else size for size in tensor.shape],
            dtype=dtype_from_name(tensor.datatype),
        )
        for tensor in inputs
    }


class _LineFormatter(logging.Formatter):
    """Begins every line with the level, by which the server logs it on, and whose request it is.

    Tracebacks too.
    """

    def format(self, record: logging.LogRecord) -> str:
        lines = super().format(record).splitlines()
        ids = ASKED.get().request_ids
        whose = f"[request {ids}] " if ids else ""
        return "\n".join(f"{record.levelname} {whose}{line}" for line in lines)


def _log_by_line() -> None:
    printer = logging.StreamHandler()
    printer.setFormatter(_LineFormatter())
    logging.basicConfig(level=logging.INFO, handlers=[printer])


def _load(channel: Channel, message: Load, ranks: Ranks | None) -> AnyHandler | None:
    started = time.monotonic()
    try:
        handler = _build(message)
        if ranks is not None:
            ranks.wait()
    except Exception as error:
        _log.exception("cannot load %s", message.handler)
        channel.send(
            LoadFailed(
                message=f"{type(error).__name__}: {error}",
                is_out_of_memory=isinstance(error, MemoryError),
            )
        )
        return None
    # The model stays: collecting garbage need not look at it again, which takes 80 ms with torch.
    gc.freeze()
    channel.send(Loaded(seconds=time.monotonic() - started, is_raw=is_raw(handler)))
    return handler


def _build(message: Load) -> AnyHandler:
    """Load the model and try it; a codec only gets ready to decode and encode."""
    # Folders of models belong to others. And bytecode is told from newer source by whole seconds
    # and its length: a handler that is mended within the second of its first load would not be.
    sys.dont_write_bytecode = True
    handler = load_handler(message.handler, Path(message.context.model_dir))
    if message.is_codec:
        prepare = getattr(handler, "prepare", None)
        if prepare is not None:
            prepare(message.context)
        return handler
    handler.load(message.context)
    trial = trial_item(message.trial)
    if trial is not None and not is_raw(handler):
        handler.infer([trial])
    return handler


def _serve_one(
    channel: Channel, handler: AnyHandler, ranks: Ranks | None, *, is_codec: bool
) -> None:
    message, buffers = channel.receive()
    if ranks is not None:
        ranks.tell(message, buffers)
    if isinstance(message, Ping):
        channel.send(Pong())
        return
    if not isinstance(message, Run):
        msg = f"a worker takes batches, got {type(message).__name__}"
        raise TypeError(msg)
    laps = Laps()
    ASKED.set(Asked(message.request_ids, message.traceparent))
    items = unpack_items(message.parts, buffers)
    if is_codec:
        outcomes = code_batch(handler, items)
    else:
        send = partial(send_chunk, channel, message.number)
        outcomes = answer_batch(handler, items, send, laps)
    packed = [pack_safely(outcome) for outcome in outcomes]
    answer = Answered(
        message.number,
        tuple(part for part, _ in packed),
        (ended := time.monotonic()) - laps.came,
        take_points(),
        laps.called - laps.came if laps.called else 0.0,
        ended - laps.done if laps.done else 0.0,
        laps.came,
    )
    ASKED.set(NOBODY)
    channel.send(answer, [buffer for _, part_buffers in packed for buffer in part_buffers])


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
