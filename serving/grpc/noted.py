"""Calls are noted when they have ended: by whom, what, with which code, and how long they took."""

import time
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from typing import Any, NamedTuple

import grpc
from grpc import StatusCode

from serving.grpc.calls import MethodHandler
from serving.grpc.context import Context
from serving.grpc.following import Follower
from serving.observe.tracing import Span

__all__ = ("Ended", "Note", "note_calls")

_ITS_OWN = frozenset(
    {
        StatusCode.CANCELLED,
        StatusCode.INVALID_ARGUMENT,
        StatusCode.NOT_FOUND,
        StatusCode.ALREADY_EXISTS,
        StatusCode.PERMISSION_DENIED,
        StatusCode.RESOURCE_EXHAUSTED,
        StatusCode.FAILED_PRECONDITION,
        StatusCode.ABORTED,
        StatusCode.OUT_OF_RANGE,
        StatusCode.UNAUTHENTICATED,
    }
)
"""Codes that HTTP tells with 4XX."""


class Ended(NamedTuple):
    """A call that has ended.

    Attributes:
        client: its address, as host:port.
        method: `service/method`.
        code: gRPC's.
        seconds: from its coming to its end.
    """

    client: str
    method: str
    code: StatusCode
    seconds: float

    @property
    def http_status(self) -> int:
        """200, 400 or 500: whose the fault is, if there is one."""
        if self.code is StatusCode.OK:
            return 200
        return 400 if self.code in _ITS_OWN else 500


Note = Callable[[Ended], None]


def note_calls(
    service: str, handlers: Mapping[str, MethodHandler], note: Note, follower: Follower
) -> dict[str, MethodHandler]:
    """The same methods, of which each call is noted, and followed if it asks a model."""
    told = _Teller(note, follower)
    return {name: _noted(f"{service}/{name}", handler, told) for name, handler in handlers.items()}


class _Teller(NamedTuple):
    """Who is told of calls."""

    note: Note
    follower: Follower

    def end(self, ended: Ended, span: Span | None) -> None:
        """Tell of one that has ended."""
        self.note(ended)
        if span is not None:
            span.note({"rpc.response.status_code": ended.code.name})
            span.end(ended.code.name if ended.http_status == 500 else "")


def _noted(method: str, handler: MethodHandler, told: _Teller) -> MethodHandler:
    codec = {
        "request_deserializer": handler.request_deserializer,
        "response_serializer": handler.response_serializer,
    }
    if handler.unary_unary is not None:
        return grpc.unary_unary_rpc_method_handler(
            _noting_one(method, handler.unary_unary, told), **codec
        )
    if handler.unary_stream is not None:
        return grpc.unary_stream_rpc_method_handler(
            _noting_several(method, handler.unary_stream, told), **codec
        )
    if handler.stream_stream is not None:
        return grpc.stream_stream_rpc_method_handler(
            _noting_several(method, handler.stream_stream, told), **codec
        )
    msg = f"{method} takes a stream and gives one answer"
    raise TypeError(msg)


def _noting_one(
    method: str, answer: Callable[..., Any], told: _Teller
) -> Callable[[Any, Context], Awaitable[Any]]:
    async def call(request: Any, context: Context) -> Any:
        began, has_ended = time.monotonic(), False
        span = told.follower.begin(method, context)
        try:
            found = await answer(request, context)
            has_ended = True
            return found
        finally:
            told.end(_ended(method, context, began, has_ended=has_ended), span)

    return call


def _noting_several(
    method: str, answer: Callable[..., Any], told: _Teller
) -> Callable[[Any, Context], AsyncIterator[Any]]:
    async def call(request: Any, context: Context) -> AsyncIterator[Any]:
        began, has_ended = time.monotonic(), False
        span = told.follower.begin(method, context)
        try:
            async for part in answer(request, context):
                yield part
            has_ended = True
        finally:
            told.end(_ended(method, context, began, has_ended=has_ended), span)

    return call


def _ended(method: str, context: Context, began: float, *, has_ended: bool) -> Ended:
    """A call that neither came to its end nor was given a code was given up by its client."""
    code = context.code() or (StatusCode.OK if has_ended else StatusCode.CANCELLED)
    _, _, client = context.peer().partition(":")
    return Ended(client, method, code, time.monotonic() - began)
