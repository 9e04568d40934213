"""What server and worker say to each other; arrays and bodies follow a message as raw buffers."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import msgspec
from numpy.typing import NDArray

from serving.errors import ServerUnavailable, ServingError, error_from_code
from serving.handlers.handler import HandlerContext
from serving.handlers.points import MetricPoint
from serving.protocol.exchange import RawReply, RawRequest, Verb
from serving.protocol.metadata import TensorMetadata
from serving.protocol.tensors import (
    Buffer,
    Tensors,
    array_from_bytes,
    array_to_bytes,
    datatype_of,
)

__all__ = (
    "Answered",
    "Chunk",
    "Forget",
    "Item",
    "Load",
    "LoadFailed",
    "Loaded",
    "Message",
    "Outcome",
    "Part",
    "Ping",
    "Pong",
    "Run",
    "pack",
    "pack_all",
    "unpack_items",
    "unpack_outcomes",
)

Item = RawRequest | Tensors
"""A request as it came, for the handler to read; or tensors as they are."""

Outcome = RawReply | Tensors | ServingError
"""The reply to a request; tensors for tensors; or why there is none."""


class RequestPart(msgspec.Struct, frozen=True, tag="request", array_like=True):
    """A RawRequest; one buffer for each field, in this order."""

    fields: tuple[str, ...]
    content_types: Mapping[str, str]
    headers: Mapping[str, str]
    request_id: str
    verb: Verb


class ReplyPart(msgspec.Struct, frozen=True, tag="reply", array_like=True):
    """A RawReply; one buffer."""

    status: int
    reason: str
    headers: tuple[tuple[str, str], ...]
    content_type: str | None


class TensorsPart(msgspec.Struct, frozen=True, tag="tensors", array_like=True):
    """Named arrays; one buffer each, in this order."""

    tensors: tuple[TensorMetadata, ...]


class ErrorPart(msgspec.Struct, frozen=True, tag="error", array_like=True):
    """Why there is no result; no buffer."""

    code: str
    message: str
    retry_after_s: float | None = None


Part = RequestPart | ReplyPart | TensorsPart | ErrorPart


class Load(msgspec.Struct, frozen=True, kw_only=True, tag="load", array_like=True):
    """First to the worker: load this model.

    Attributes:
        handler: as in the manifest.
        context: where and how.
        trial: inputs to try the model on with zeros; empty tries nothing.
        is_continuous: whether further batches may join the one under way.
        is_concurrent: whether several batches may be under way.
        is_codec: whether it shall only decode and encode.
        processes: how many hold the model together, the worker being the first, >= 1.
        takes_batches: whether each of them gets every batch; else the first alone does.
    """

    handler: str
    context: HandlerContext
    trial: tuple[TensorMetadata, ...] = ()
    is_continuous: bool = False
    is_concurrent: bool = False
    is_codec: bool = False
    processes: int = 1
    takes_batches: bool = True


class Loaded(msgspec.Struct, frozen=True, kw_only=True, tag="loaded", array_like=True):
    """From the worker: the model is loaded and was tried.

    Attributes:
        seconds: what that took.
        is_raw: whether the handler reads requests itself.
    """

    seconds: float
    is_raw: bool = False


class LoadFailed(msgspec.Struct, frozen=True, kw_only=True, tag="load_failed", array_like=True):
    """From the worker, its last words: why the model cannot be loaded.

    Attributes:
        message: one sentence.
        is_out_of_memory: whether memory was what it lacked.
    """

    message: str
    is_out_of_memory: bool = False


class Run(msgspec.Struct, frozen=True, tag="run", array_like=True):
    """To the worker: a batch, and a number by which its answer is known.

    Attributes:
        number: of the batch.
        parts: one for each item.
        request_ids: one for each item, with commas, for the log; "": none has one.
        traceparent: of the batch; "": it is not followed.
    """

    number: int
    parts: tuple[Part, ...]
    request_ids: str = ""
    traceparent: str = ""


class Forget(msgspec.Struct, frozen=True, tag="forget", array_like=True):
    """To a worker with continuous batching: nobody waits for that batch any more."""

    number: int


class Chunk(msgspec.Struct, frozen=True, tag="chunk", array_like=True):
    """From the worker, while a batch runs: a part of the reply to the item of that index."""

    number: int
    index: int
    part: ReplyPart


class Answered(msgspec.Struct, frozen=True, tag="answered", array_like=True):
    """From the worker: what it makes of a batch.

    Attributes:
        number: of the batch.
        parts: one for each of the batch, in order.
        seconds: what decoding, inference and encoding took together.
        points: what the handler measured meanwhile.
        input_s: of these seconds, those before the model was called; 0.0: not told apart.
        output_s: and those after it.
        began: when it was begun, monotonic seconds, which all processes of a machine share.
    """

    number: int
    parts: tuple[Part, ...]
    seconds: float
    points: tuple[MetricPoint, ...] = ()
    input_s: float = 0.0
    output_s: float = 0.0
    began: float = 0.0


class Ping(msgspec.Struct, frozen=True, tag="ping", array_like=True):
    """To an idle worker: are you there?"""


class Pong(msgspec.Struct, frozen=True, tag="pong", array_like=True):
    """From the worker: yes."""


Message = Load | Loaded | LoadFailed | Run | Forget | Chunk | Answered | Ping | Pong


def pack(value: Item | Outcome) -> tuple[Part, list[Buffer]]:
    """Split an item or an outcome into what goes into the message and what follows it.

    Raises:
        BadInput: when an array is of a type that cannot be sent.
    """
    if isinstance(value, RawRequest):
        part = RequestPart(
            tuple(value.fields), value.content_types, value.headers, value.request_id, value.verb
        )
        return part, list(value.fields.values())
    if isinstance(value, RawReply):
        return ReplyPart(value.status, value.reason, value.headers, value.content_type), [
            value.body
        ]
    if isinstance(value, ServingError):
        retry_after_s = value.retry_after_s if isinstance(value, ServerUnavailable) else None
        return ErrorPart(value.code, value.message, retry_after_s), []
    tensors = tuple(_describe(name, array) for name, array in value.items())
    return TensorsPart(tensors), [array_to_bytes(array) for array in value.values()]


def pack_all(values: Sequence[Item | Outcome]) -> tuple[tuple[Part, ...], list[Buffer]]:
    """Split several, their buffers one after another."""
    packed = [pack(value) for value in values]
    return tuple(part for part, _ in packed), [buffer for _, some in packed for buffer in some]


def unpack_items(parts: Sequence[Part], buffers: Sequence[Buffer]) -> list[Item]:
    """Put items together again; arrays share the buffers' memory."""
    left = iter(buffers)
    values = [_unpack(part, left) for part in parts]
    return [value for value in values if not isinstance(value, RawReply | ServingError)]


def unpack_outcomes(parts: Sequence[Part], buffers: Sequence[Buffer]) -> list[Outcome]:
    """Put outcomes together again; arrays share the buffers' memory."""
    left = iter(buffers)
    values = [_unpack(part, left) for part in parts]
    return [value for value in values if not isinstance(value, RawRequest)]


def _unpack(part: Part, buffers: Iterator[Buffer]) -> Item | Outcome:
    match part:
        case RequestPart():
            fields = {name: bytes(next(buffers)) for name in part.fields}
            return RawRequest(fields, part.content_types, part.headers, part.request_id, part.verb)
        case ReplyPart():
            body = bytes(next(buffers))
            return RawReply(body, part.status, part.reason, part.headers, part.content_type)
        case TensorsPart():
            return {
                t.name: array_from_bytes(next(buffers), t.datatype, t.shape) for t in part.tensors
            }
        case ErrorPart():
            error = error_from_code(part.code, part.message)
            if isinstance(error, ServerUnavailable) and part.retry_after_s is not None:
                error.retry_after_s = part.retry_after_s
            return error


def _describe(name: str, array: NDArray[Any]) -> TensorMetadata:
    return TensorMetadata(name=name, datatype=datatype_of(array), shape=array.shape)
