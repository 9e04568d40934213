"""One batch in the worker: from items to outcomes, each where its item stood."""

import logging
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

import msgspec

from serving.batching.batch import as_serving_error, infer_in_groups, run_apart
from serving.errors import BadInput, InferenceFailed, ServingError
from serving.handlers.asked import only_for
from serving.handlers.handler import AnyHandler, Handler, RawHandler, Send
from serving.handlers.loading import is_raw
from serving.handlers.points import MetricPoint, emit
from serving.protocol.exchange import RawReply, RawRequest
from serving.protocol.tensors import Tensors
from serving.workers.messages import Item, Outcome

__all__ = ("Laps", "answer_batch", "answer_raw", "code_batch", "expect_reply", "log_failure")

Measure = Callable[[Tensors, Tensors], Mapping[str, float]]
"""Measures an item and its result: numbers by name."""

_JSON = "application/json"

_log = logging.getLogger(__name__)


@dataclass(slots=True)
class Laps:
    """When a batch came, when the model was called, and when it was done; monotonic seconds."""

    came: float = field(default_factory=time.monotonic)
    called: float = 0.0
    done: float = 0.0


def answer_batch(
    handler: AnyHandler, items: Sequence[Item], send: Send, laps: Laps
) -> list[Outcome]:
    """Let the handler answer; a bad item fails alone.

    Args:
        handler: of either kind.
        items: what came.
        send: sends a part of the reply to the item of that index at once.
        laps: gets the times at which the model was called and was done.
    """
    if not is_raw(handler):
        return _answer_native(handler, items, laps)
    requests = [item for item in items if isinstance(item, RawRequest)]
    if len(requests) < len(items):
        error = BadInput("the model takes requests as they come, no tensors")
        return [error] * len(items)
    laps.called = time.monotonic()
    replies = answer_raw(handler, requests, send)
    laps.done = time.monotonic()
    return [expect_reply(reply) for reply in replies]


def answer_raw(
    handler: RawHandler, requests: Sequence[RawRequest], send: Send
) -> list[RawReply | ServingError | None]:
    """Let a raw handler answer; None where it has not finished.

    When a batch fails of which nothing was sent yet, each of its requests is tried alone.
    """
    sent = False

    def send_noting(index: int, chunk: bytes | RawReply) -> None:
        nonlocal sent
        sent = True
        send(index, chunk)

    def run(group: Sequence[RawRequest]) -> Sequence[RawReply | ServingError | None]:
        if len(group) == len(requests):
            return handler.answer(group, send_noting)
        if sent:
            msg = "the model failed on the batch that this request was in"
            raise InferenceFailed(msg)
        index = next(i for i, request in enumerate(requests) if request is group[0])
        return handler.answer(group, lambda _, chunk: send(index, chunk))

    replies = list(run_apart(requests, run))
    for index, reply in enumerate(replies):
        if isinstance(reply, ServingError):
            log_failure("the handler failed", reply, index)
    return replies


def code_batch(handler: AnyHandler, items: Sequence[Item]) -> list[Outcome]:
    """Decode requests and encode tensors, without the model."""
    if is_raw(handler):
        return [BadInput("the model's handler decodes nothing apart")] * len(items)
    return [
        decode_item(handler, item) if isinstance(item, RawRequest) else _encode(handler, item)
        for item in items
    ]


def decode_item(handler: Handler, item: Item) -> Tensors | ServingError:
    """What the model shall see of an item, or why it cannot."""
    if not isinstance(item, RawRequest):
        return item
    try:
        if item.verb != "predict":
            return BadInput(f"the model's handler has no {item.verb}")
        return handler.decode(item.only_input())
    except ServingError as error:
        return error
    except ValueError as error:
        return BadInput(str(error))
    except Exception as error:
        _log.exception("decoding failed")
        return as_serving_error(error)


def _answer_native(handler: Handler, items: Sequence[Item], laps: Laps) -> list[Outcome]:
    """Decode, infer and encode; bodies one by one."""
    decoded = [decode_item(handler, item) for item in items]
    good = [index for index, item in enumerate(decoded) if not isinstance(item, ServingError)]
    tensors = [item for item in decoded if not isinstance(item, ServingError)]
    outcomes: list[Outcome] = list(decoded)
    laps.called = time.monotonic()
    results = infer_in_groups(tensors, handler.infer)
    laps.done = time.monotonic()
    measure = getattr(handler, "measure", None)
    for index, result in zip(good, results, strict=True):
        if isinstance(result, ServingError):
            log_failure("inference failed", result, index)
        elif measure is not None:
            _emit_statistics(measure, decoded[index], result)
        is_raw_request = isinstance(items[index], RawRequest)
        outcomes[index] = _encode(handler, result) if is_raw_request else result
    return outcomes


def _emit_statistics(measure: Measure, item: Tensors | ServingError, outputs: Tensors) -> None:
    """Tell the server what the handler measures of an item; nobody fails for it."""
    if isinstance(item, ServingError):
        return
    try:
        for name, value in measure(item, outputs).items():
            emit(MetricPoint(name=name, value=float(value), kind="statistic"))
    except Exception:
        _log.exception("measuring failed")


def _encode(handler: Handler, result: Tensors | ServingError) -> RawReply | ServingError:
    if isinstance(result, ServingError):
        return result
    try:
        return RawReply(msgspec.json.encode(handler.encode(result)), content_type=_JSON)
    except Exception as error:
        _log.exception("encoding failed")
        return as_serving_error(error)


def expect_reply(reply: RawReply | ServingError | None) -> RawReply | ServingError:
    """What a raw handler gave, or the error that it is no reply."""
    if isinstance(reply, RawReply | ServingError):
        return reply
    return InferenceFailed(f"the handler gave {type(reply).__name__} instead of a reply")


def log_failure(what: str, error: ServingError, index: int) -> None:
    """Write down why there is no reply to the item of that index, with what the model raised."""
    with only_for(index):
        _log.error("%s: %s", what, error, exc_info=error.__cause__)
