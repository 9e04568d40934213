"""What server and worker say to each other; arrays and bodies follow a message as raw buffers."""

from collections.abc import Sequence
from typing import Any

import msgspec
from numpy.typing import NDArray

from serving.errors import ServingError, error_from_code
from serving.handlers.handler import HandlerContext
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
    "Item",
    "Load",
    "LoadFailed",
    "Loaded",
    "Message",
    "Outcome",
    "Part",
    "Run",
    "pack",
    "unpack",
)

Item = bytes | Tensors
"""A request's raw body, for the handler to decode; or tensors as they are."""

Outcome = bytes | Tensors | ServingError
"""The JSON answer to a raw body; tensors for tensors; or why there is none."""


class BodyPart(msgspec.Struct, frozen=True, tag="body"):
    """Raw bytes; one buffer."""


class TensorsPart(msgspec.Struct, frozen=True, tag="tensors"):
    """Named arrays; one buffer each, in this order."""

    tensors: tuple[TensorMetadata, ...]


class ErrorPart(msgspec.Struct, frozen=True, tag="error"):
    """Why there is no result; no buffer."""

    code: str
    message: str


Part = BodyPart | TensorsPart | ErrorPart


class Load(msgspec.Struct, frozen=True, kw_only=True, tag="load"):
    """First to the worker: load this model.

    Attributes:
        handler: as in the manifest.
        context: where and how.
        trial: inputs to try the model on with zeros; empty tries nothing.
    """

    handler: str
    context: HandlerContext
    trial: tuple[TensorMetadata, ...] = ()


class Loaded(msgspec.Struct, frozen=True, kw_only=True, tag="loaded"):
    """From the worker: the model is loaded and was tried."""

    seconds: float


class LoadFailed(msgspec.Struct, frozen=True, kw_only=True, tag="load_failed"):
    """From the worker, its last words: why the model cannot be loaded."""

    message: str


class Run(msgspec.Struct, frozen=True, kw_only=True, tag="run"):
    """To the worker: a batch."""

    parts: tuple[Part, ...]


class Answered(msgspec.Struct, frozen=True, kw_only=True, tag="answered"):
    """From the worker: one part for each of the batch, in order, and the seconds it took."""

    parts: tuple[Part, ...]
    seconds: float


Message = Load | Loaded | LoadFailed | Run | Answered


def pack(value: Outcome) -> tuple[Part, list[Buffer]]:
    """Split an item or a result into what goes into the message and what follows it.

    Raises:
        BadInput: when an array is of a type that cannot be sent.
    """
    if isinstance(value, bytes):
        return BodyPart(), [value]
    if isinstance(value, ServingError):
        return ErrorPart(value.code, value.message), []
    tensors = tuple(_describe(name, array) for name, array in value.items())
    return TensorsPart(tensors), [array_to_bytes(array) for array in value.values()]


def unpack(parts: Sequence[Part], buffers: Sequence[Buffer]) -> list[Outcome]:
    """Put items or results together again; arrays share the buffers' memory."""
    values: list[Outcome] = []
    left = iter(buffers)
    for part in parts:
        match part:
            case BodyPart():
                values.append(bytes(next(left)))
            case TensorsPart():
                values.append(
                    {
                        t.name: array_from_bytes(next(left), t.datatype, t.shape)
                        for t in part.tensors
                    }
                )
            case ErrorPart():
                values.append(error_from_code(part.code, part.message))
    return values


def _describe(name: str, array: NDArray[Any]) -> TensorMetadata:
    return TensorMetadata(name=name, datatype=datatype_of(array), shape=array.shape)
