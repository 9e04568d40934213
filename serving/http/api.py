"""Api: what one listener offers, and how a call goes through it.

Listeners of equal addresses are one Api.
"""

import asyncio
import contextlib
import logging
import time
from collections.abc import AsyncGenerator, Callable, Coroutine
from functools import partial
from typing import Any, NamedTuple

from msgspec.structs import replace

from serving.audit.actor import acting_as
from serving.errors import BadInput, InferenceFailed, InputTooLarge, ServingError
from serving.http.call import Call
from serving.http.directory import Answer, Directory
from serving.http.following import asks_model, begin_span, end_span
from serving.http.gate import Gate
from serving.http.head import Refused
from serving.http.inference import Prediction
from serving.http.replies import Replies
from serving.http.request import HttpRequest
from serving.http.v2 import v2_error
from serving.http.v2_infer import V2Inference
from serving.observe.origin import ORIGIN, Origin
from serving.observe.tracing import Tracer
from serving.protocol.asker import Client
from serving.protocol.exchange import RawReply
from serving.protocol.tensors import Buffer

__all__ = ("Api", "Watch", "request_of")

_log = logging.getLogger(__name__)


class Watch(NamedTuple):
    """Who is told of what goes through.

    Attributes:
        note: told of each answer: the call, the status, the seconds since it came, and its id.
        tracer: follows who asks a model; None: nobody is followed.
    """

    note: Callable[[Call, int, float, str], None]
    tracer: Tracer | None


class Api:
    """What one listener offers.

    Args:
        directory: finds what answers.
        gate: knows who asks.
        replies: what every answer has in common.
        watch: who is told of what goes through.
    """

    def __init__(
        self,
        directory: Directory,
        gate: Gate,
        replies: Replies,
        watch: Watch,
    ) -> None:
        self._directory = directory
        self._gate = gate
        self._replies = replies
        self._watch = watch
        self._tasks: set[asyncio.Task[None]] = set()

    def __call__(self, call: Call) -> None:
        """Begin to answer."""
        began = time.monotonic()
        request = self._request_of(call)
        try:
            answer = self._directory.find(call, request)
        except Exception as error:
            self._finish(call, request, began, error)
            return
        tracer = self._watch.tracer
        if tracer is not None and asks_model(request):
            request.span = begin_span(tracer, request, began)
        # Not the request itself: what is begun meanwhile may keep this for longer than it lasts.
        asker = Client(request.headers, request.address)
        token = ORIGIN.set(Origin(request.told_id, request.span, (asker,)))
        try:
            if not self._post(call, request, began, answer):
                self._run(call, request, self._handle(call, request, began, answer))
        finally:
            ORIGIN.reset(token)

    def _post(self, call: Call, request: HttpRequest, began: float, answer: Answer) -> bool:
        """Begin to answer without a task; whether that can be done."""
        if not isinstance(answer, (Prediction, V2Inference)):
            return False
        try:
            give_up = answer.post(partial(self._finish, call, request, began))
        except Exception as error:
            self._finish(call, request, began, error)
            return True
        if give_up is None:
            return False
        self._heed(call, request, give_up)
        return True

    def _heed(self, call: Call, request: HttpRequest, give_up: Callable[[], None]) -> None:
        """Give up when the client hangs up."""
        span = request.span
        if span is None:
            call.on_gone = give_up
            return

        def give_up_noting() -> None:
            give_up()
            end_span(span, 0, "cancelled")

        call.on_gone = give_up_noting

    def _request_of(self, call: Call) -> HttpRequest:
        request = request_of(call)
        if not self._replies.is_reference:
            request.take_id()
        return request

    def _run(self, call: Call, request: HttpRequest, work: Coroutine[Any, Any, None]) -> None:
        """Go on in a task, which ends when the client hangs up."""
        task = asyncio.get_running_loop().create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

        def give_up() -> None:
            task.cancel()

        self._heed(call, request, give_up)

    def refuse(self, call: Call, refused: Refused) -> None:
        """Answer what is no request."""
        is_too_large = refused.status == 413
        error = (InputTooLarge if is_too_large else BadInput)(refused.message)
        request = self._request_of(call)
        reply = replace(self._error(request, error), status=refused.status)
        self._send(call, request, reply)
        self._note(call, request, time.monotonic(), reply.status)

    async def _handle(self, call: Call, request: HttpRequest, began: float, answer: Answer) -> None:
        try:
            reply = self._reply(request, await self._acted(call, request, answer))
        except Exception as error:
            reply = self._error(request, error)
        if reply.rest is None:
            self._finish(call, request, began, reply)
        else:
            await self._stream(call, request, began, reply)

    async def _acted(self, call: Call, request: HttpRequest, answer: Answer) -> RawReply:
        """Answer in the name of who asks, if it may be for a change."""
        if not self._gate.may_change(request, self._directory.kinds):
            return await answer()
        with acting_as(self._gate.actor_of(call, request)):
            try:
                return await answer()
            except ServingError as error:
                self._gate.note_failure(call, request, error)
                raise

    def _finish(
        self, call: Call, request: HttpRequest, began: float, outcome: RawReply | Exception
    ) -> None:
        """Answer with a reply, or with an error in the form of its protocol."""
        reply = self._reply(request, outcome)
        if reply.rest is not None:
            self._run(call, request, self._stream(call, request, began, reply))
            return
        # Before it is sent: who has the answer shall not have waited for less than we took.
        if request.span is not None:
            end_span(request.span, reply.status)
        try:
            self._send(call, request, reply)
        except Exception:
            _log.exception("an answer could not be sent")
            call.abort()
        self._note(call, request, began, reply.status)

    def _note(self, call: Call, request: HttpRequest, began: float, status: int) -> None:
        """Take note of an answer that is complete."""
        self._watch.note(call, status, time.monotonic() - began, request.told_id)

    def _reply(self, request: HttpRequest, outcome: RawReply | Exception) -> RawReply:
        """What is answered: a reply that is not too large, or an error."""
        if not isinstance(outcome, RawReply):
            return self._error(request, outcome)
        try:
            self._check_size(outcome.body)
        except InferenceFailed as error:
            return self._error(request, error)
        return outcome

    def _check_size(self, part: Buffer) -> None:
        limit = self._replies.max_bytes
        if len(part) > limit:
            msg = f"the answer has {len(part)} bytes, max_response_size is {limit}"
            raise InferenceFailed(msg)

    def _error(self, request: HttpRequest, error: Exception) -> RawReply:
        is_v2 = request.segments[:1] == ("v2",)
        reply = v2_error(error) if is_v2 else self._replies.error(error)
        return replace(reply, headers=(*reply.headers, *request.told)) if request.told else reply

    def _send(self, call: Call, request: HttpRequest, reply: RawReply) -> None:
        fields = self._fields(call, request, reply)
        call.reply(reply.status, reply.body, fields, reason=reply.reason)

    async def _stream(
        self, call: Call, request: HttpRequest, began: float, reply: RawReply
    ) -> None:
        """Send a reply whose parts are still being made."""
        call.begin(reply.status, self._fields(call, request, reply), reason=reply.reason)
        call.send(reply.body)
        try:
            async with contextlib.aclosing(_parts(reply)) as parts:
                async for part in parts:
                    self._check_size(part)
                    call.send(part)
                    await call.drained()
        except ServingError as error:
            # The status is out: that the reply is cut short is all that can still be told.
            _log.error("a streamed reply was cut short: %s", error)
            if request.span is not None:
                end_span(request.span, reply.status, error.code)
            call.abort()
        else:
            if request.span is not None:
                end_span(request.span, reply.status)
            call.end()
        self._note(call, request, began, reply.status)

    def _fields(self, call: Call, request: HttpRequest, reply: RawReply) -> bytes:
        if self._replies.closes_after(reply):
            call.head = replace(call.head, keeps_alive=False)
        try:
            return self._replies.fields_of(reply, request.told_id)
        except ValueError as error:
            # A handler may set any header; one that would break the answer's framing is dropped.
            _log.error("the reply's own headers are dropped: %s", error)
            bare = RawReply(b"", content_type=None, status=reply.status)
            return self._replies.fields_of(bare, request.told_id)


def request_of(call: Call) -> HttpRequest:
    """Read a call as the routes do."""
    head = call.head
    return HttpRequest(
        head.method,
        head.path,
        head.query,
        head.headers,
        call.body,
        find_address=call.client_address,
    )


async def _parts(reply: RawReply) -> AsyncGenerator[bytes, None]:
    """The further parts of a reply; whoever makes them learns when nobody listens any more."""
    rest = reply.rest
    if rest is None:
        return
    try:
        async for part in rest:
            yield part
    finally:
        close = getattr(rest, "aclose", None)
        if close is not None:
            await close()
