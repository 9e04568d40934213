"""TorchServeHandler: runs handlers written for TorchServe, unchanged."""

import inspect
import json
import logging
import os
import sys
import time
from collections.abc import Awaitable, Sequence
from functools import partial
from typing import Any

import msgspec

from serving.errors import InferenceFailed, OutOfMemory, ServingError
from serving.handlers.aliases import install_aliases
from serving.handlers.compat.context import Context
from serving.handlers.compat.protocol.otf_message_handler import STREAM_HEADER, reply_of
from serving.handlers.compat.service import PREDICTION_METRIC
from serving.handlers.compat.utils.util import PredictionException
from serving.handlers.entry_point import find_entry_point, wrap_in_envelope
from serving.handlers.handler import HandlerContext, Send
from serving.handlers.torchserve_context import (
    TorchServeOptions,
    apart,
    begin_batch,
    limit_threads,
    make_context,
)
from serving.protocol.exchange import RawReply, RawRequest
from serving.protocol.torchserve import ErrorBody, encode_pretty

__all__ = ("TorchServeHandler",)

_JSON = "application/json"

_log = logging.getLogger(__name__)


class _WrongResult(Exception):
    """A handler gave something else than a list with one entry for each request."""


class TorchServeHandler:
    """A raw handler around a handler of TorchServe's."""

    def load(self, context: HandlerContext) -> None:
        """Import the handler in the model's folder and initialise it.

        Raises:
            MemoryError: when the model does not fit.
            Exception: whatever the handler raises.
        """
        self._options = msgspec.convert(dict(context.options), TorchServeOptions)
        install_aliases()
        # TorchServe's handlers may count on being where their files are.
        os.chdir(context.model_dir)
        sys.path.insert(0, context.model_dir)
        limit_threads(context.threads)
        entry = find_entry_point(self._options.handler)
        self._handle = wrap_in_envelope(entry.handle, self._options.service_envelope)
        self._context = make_context(self._options, context)
        try:
            entry.initialize(self._context)
        except RuntimeError as error:
            if "CUDA" in str(error):
                raise MemoryError(str(error)) from error
            raise
        limit_threads(context.threads)

    def answer(
        self, requests: Sequence[RawRequest], send: Send
    ) -> list[RawReply | ServingError | None]:
        """Answer a batch as TorchServe would, or better where `compat` allows it.

        Raises:
            Exception: when a batch of several failed as a whole; each may be tried alone.
        """
        replies: list[RawReply | ServingError | None] = [None] * len(requests)
        for group in self._groups(requests):
            answered = self._answer_group(
                [requests[index] for index in group],
                partial(_send_of, group, send),
            )
            for index, reply in zip(group, answered, strict=True):
                replies[index] = reply
        return replies

    async def answer_async(
        self, requests: Sequence[RawRequest], send: Send
    ) -> list[RawReply | ServingError | None]:
        """Answer a batch while others are being answered; the same as `answer` otherwise."""
        replies: list[RawReply | ServingError | None] = [None] * len(requests)
        for group in self._groups(requests):
            some = [requests[index] for index in group]
            try:
                answered = await self._run_async(some, partial(_send_of, group, send))
            except Exception as error:
                if len(some) > 1 and not self._is_compatible:
                    raise  # the worker tries each of them alone
                answered = [self._failure(error)] * len(some)
            for index, reply in zip(group, answered, strict=True):
                replies[index] = reply
        return replies

    @property
    def _is_compatible(self) -> bool:
        return self._options.compat == "torchserve"

    def _groups(self, requests: Sequence[RawRequest]) -> list[list[int]]:
        """Part a batch: handlers look at the first request to see what all of them ask."""
        if self._is_compatible:
            return [list(range(len(requests)))]
        predict = [i for i, request in enumerate(requests) if request.verb == "predict"]
        others = [[i] for i, request in enumerate(requests) if request.verb != "predict"]
        return [predict, *others] if predict else others

    def _answer_group(
        self, requests: Sequence[RawRequest], send: Send
    ) -> Sequence[RawReply | ServingError | None]:
        try:
            return self._run(requests, send)
        except Exception as error:
            if len(requests) > 1 and not self._is_compatible:
                raise  # the worker tries each of them alone
            return [self._failure(error)] * len(requests)

    def _run(
        self, requests: Sequence[RawRequest], send: Send
    ) -> Sequence[RawReply | ServingError | None]:
        context = self._context
        started = time.perf_counter()
        begin_batch(context, requests, send)
        results = self._handle([self._row(request) for request in requests], context)
        if inspect.isawaitable(results):
            results = _wait_for(results)
        return self._replies(context, results, started, send)

    async def _run_async(
        self, requests: Sequence[RawRequest], send: Send
    ) -> Sequence[RawReply | ServingError | None]:
        context = apart(self._context)
        started = time.perf_counter()
        begin_batch(context, requests, send)
        results = self._handle([self._row(request) for request in requests], context)
        if inspect.isawaitable(results):
            results = await results
        return self._replies(context, results, started, send)

    def _replies(
        self, context: Context, results: Any, started: float, send: Send
    ) -> Sequence[RawReply | ServingError | None]:
        _check_results(results, len(context.request_processor or ()))
        elapsed_ms = round((time.perf_counter() - started) * 1000, 2)
        context.metrics.add_time(PREDICTION_METRIC, elapsed_ms)
        return [self._reply(context, index, result, send) for index, result in enumerate(results)]

    def _reply(
        self, context: Context, index: int, result: Any, send: Send
    ) -> RawReply | ServingError | None:
        """Make the reply, or send it as a part when the handler says that more will come."""
        _mark_stream(context, index, result)
        try:
            reply = reply_of(result, context, index)
        except (TypeError, ValueError) as error:
            if self._is_compatible:
                msg = "Unsupported model output data type."
                raise _WrongResult(msg) from error
            return _failed(f"Unsupported model output data type. {error}", error)
        if context.get_response_headers(index).get(STREAM_HEADER) == "true":
            send(index, reply)
            return None
        return reply

    def _row(self, request: RawRequest) -> dict[str, Any]:
        types = request.content_types
        return {
            name: self._decoded(value, types.get(name, ""))
            for name, value in request.fields.items()
        }

    def _decoded(self, value: bytes, content_type: str) -> Any:
        is_json = content_type == _JSON
        if self._options.decode_input_request and (is_json or content_type.startswith("text")):
            try:
                text = value.decode()
                return json.loads(text) if is_json else text
            except ValueError:
                _log.warning("the body is no %s: the handler gets it as bytes", content_type)
        return bytearray(value)

    def _failure(self, error: Exception) -> RawReply | ServingError:
        if self._is_out_of_memory(error):
            failure: ServingError = OutOfMemory("Out of resources")
            failure.__cause__ = error
            return failure
        if isinstance(error, PredictionException):
            _log.error("the handler refused a request", exc_info=error)
            return _refused(error)
        if isinstance(error, _WrongResult):
            return _failed(str(error), error)
        detail = "" if self._is_compatible else f": {type(error).__name__}: {error}"
        return _failed(f"Prediction failed{detail}", error)

    def _is_out_of_memory(self, error: Exception) -> bool:
        """Whether the handler lacked memory; TorchServe takes every error of CUDA for that."""
        if isinstance(error, MemoryError):
            return True
        text = str(error)
        signs = ("CUDA",) if self._is_compatible else ("out of memory", "CUBLAS_STATUS")
        return "CUDA" in text and any(sign in text for sign in signs)


def _mark_stream(context: Context, index: int, result: Any) -> None:
    if context.stopping_criteria:
        is_last = context.stopping_criteria[index](result)
        if is_last is not None:
            context.set_response_header(index, STREAM_HEADER, "false" if is_last else "true")
    elif context.get_response_headers(index).get(STREAM_HEADER) == "true":
        # Parts were sent while the handler worked; this is the last one.
        context.set_response_header(index, STREAM_HEADER, "false")


def _send_of(group: Sequence[int], send: Send, at: int, part: bytes | RawReply) -> None:
    """Send a part for a request by its place in a group of the batch."""
    send(group[at], part)


def _check_results(results: Any, count: int) -> None:
    if not isinstance(results, list):
        msg = "Invalid model predict output"
        raise _WrongResult(msg)
    if len(results) != count:
        msg = "number of batch response mismatched"
        raise _WrongResult(msg)


def _failed(message: str, error: Exception) -> InferenceFailed:
    failure = InferenceFailed(message)
    failure.__cause__ = error
    return failure


def _refused(error: PredictionException) -> RawReply:
    """Answer with the status that the handler chose, in the form of TorchServe's errors."""
    body = ErrorBody(
        code=error.error_code, type="InternalServerException", message=str(error.message)
    )
    return RawReply(encode_pretty(body), status=error.error_code, content_type=_JSON)


def _wait_for(results: Awaitable[Any]) -> Any:
    # Few handlers are coroutines; the others' workers start without it.
    import asyncio

    async def wait() -> Any:
        return await results

    return asyncio.run(wait())
