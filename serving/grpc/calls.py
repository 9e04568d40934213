"""What all calls have in common: who may ask, how long they may take, how errors are told."""

import math
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, TypeAlias

import grpc
from google.protobuf.message import Message

from serving.audit.actor import acting_as
from serving.errors import BadInput, Unauthorized
from serving.grpc.context import Context, metadata_of
from serving.grpc.status import ReferenceService, status_of
from serving.grpc.witness import Witness

__all__ = ("MethodHandler", "Service", "given_name", "seconds_left")

# Text, for the class is generic to the type checker alone.
MethodHandler: TypeAlias = "grpc.RpcMethodHandler[Any, Any]"

_Unary = Callable[[Any, Context], Awaitable[Message]]
_Stream = Callable[[Any, Context], AsyncIterator[Message]]


def seconds_left(context: Context) -> float | None:
    """How long the client still waits, seconds; None: it did not say."""
    left = context.time_remaining()
    if left is None or math.isinf(left):
        return None
    # A deadline that has just passed is still a deadline.
    return max(left, 1e-3)


@dataclass(frozen=True)
class Service:
    """Makes calls of plain functions, each looked at for its right to be here first.

    Attributes:
        authorize: given the metadata `authorization`; raises Unauthorized.
        witness: takes note of who changes what, or was turned away; None: nothing is changed here.
        reference: TorchServe's service in whose way errors are told; "": in ours.
    """

    authorize: Callable[[str | None], None]
    reference: ReferenceService = ""
    witness: Witness | None = None

    def unary(self, method: _Unary, kind: type[Message]) -> MethodHandler:
        """One request, one answer."""

        async def call(request: Any, context: Context) -> Message:
            try:
                if self.witness is None:
                    self._admit(context)
                    return await method(request, context)
                with self._acting(context, self.witness):
                    return await method(request, context)
            except Exception as error:
                await self._fail(error, context)
                raise  # never reached: the call has been aborted

        return grpc.unary_unary_rpc_method_handler(
            call, request_deserializer=kind.FromString, response_serializer=_to_bytes
        )

    def streamed(self, method: _Stream, kind: type[Message]) -> MethodHandler:
        """One request, an answer in parts."""
        return grpc.unary_stream_rpc_method_handler(
            self._guarded(method),
            request_deserializer=kind.FromString,
            response_serializer=_to_bytes,
        )

    def duplex(self, method: _Stream, kind: type[Message]) -> MethodHandler:
        """Requests and answers, both one after the other."""
        return grpc.stream_stream_rpc_method_handler(
            self._guarded(method),
            request_deserializer=kind.FromString,
            response_serializer=_to_bytes,
        )

    def _guarded(self, method: _Stream) -> _Stream:
        async def call(request: Any, context: Context) -> AsyncIterator[Message]:
            try:
                self._admit(context)
                async for answer in method(request, context):
                    yield answer
            except Exception as error:
                await self._fail(error, context)

        return call

    def _admit(self, context: Context) -> None:
        self.authorize(metadata_of(context, "authorization"))

    @contextmanager
    def _acting(self, context: Context, witness: Witness) -> Iterator[None]:
        """Let the client in, and act for it.

        Raises:
            Unauthorized: when it shows no good token.
        """
        try:
            self._admit(context)
        except Unauthorized as error:
            witness.refuse(context, error)
            raise
        with acting_as(witness.actor_of(context)):
            yield

    async def _fail(self, error: Exception, context: Context) -> None:
        if isinstance(error, grpc.aio.AbortError):
            raise error
        status = status_of(error, self.reference)
        told = (*(context.trailing_metadata() or ()), *status.metadata)
        await context.abort(status.code, status.message, told)


def given_name(name: str) -> str:
    """The name of a model as a message has it, where an empty text means that there is none.

    Raises:
        BadInput: when there is none.
    """
    if not name:
        msg = "Parameter model_name is required."
        raise BadInput(msg)
    return name


def _to_bytes(message: Message) -> bytes:
    return message.SerializeToString()
