"""Continuous batching in the worker: requests join and leave a batch that goes on."""

import time
from dataclasses import dataclass, field

from serving.errors import InferenceFailed, ServingError
from serving.handlers.asked import ASKED, NOBODY, Asked
from serving.handlers.handler import RawHandler
from serving.handlers.points import take_points
from serving.protocol.exchange import RawReply, RawRequest
from serving.workers.answering import answer_raw
from serving.workers.channel import Channel
from serving.workers.messages import (
    Answered,
    Forget,
    Message,
    Outcome,
    Ping,
    Pong,
    Run,
    unpack_items,
)
from serving.workers.replies import pack_safely, send_chunk

__all__ = ("ContinuousLoop",)


@dataclass(slots=True)
class _Going:
    """A request under way, with the number of its batch, which it is alone in."""

    number: int
    request: RawRequest
    asked: Asked = NOBODY
    started: float = field(default_factory=time.monotonic)


class ContinuousLoop:
    """Calls the handler again and again with the requests that are not answered yet.

    Args:
        channel: to the server; each batch that it sends holds one request.
        handler: of the model.
    """

    def __init__(self, channel: Channel, handler: RawHandler) -> None:
        self._channel = channel
        self._handler = handler
        self._going: list[_Going] = []

    def serve(self) -> None:
        """Work until the server is gone.

        Raises:
            ChannelClosed: then.
        """
        while True:
            while not self._going or self._channel.has_message():
                self._take(*self._channel.receive())
            self._step()

    def _take(self, message: Message, buffers: list[memoryview]) -> None:
        match message:
            case Run():
                (item,) = unpack_items(message.parts, buffers)
                if isinstance(item, RawRequest):
                    asked = Asked(message.request_ids, message.traceparent)
                    self._going.append(_Going(message.number, item, asked))
                else:
                    error = InferenceFailed("the model takes requests as they come, no tensors")
                    self._answer(_Going(message.number, RawRequest({})), error)
            case Forget():
                self._going = [going for going in self._going if going.number != message.number]
            case Ping():
                self._channel.send(Pong())
            case _:
                msg = f"a worker takes batches, got {type(message).__name__}"
                raise TypeError(msg)

    def _step(self) -> None:
        going = self._going

        def send(index: int, chunk: bytes | RawReply) -> None:
            send_chunk(self._channel, going[index].number, 0, chunk)

        ASKED.set(Asked(",".join(each.asked.request_ids for each in going)))
        replies = answer_raw(self._handler, [each.request for each in going], send)
        self._going = [each for each, reply in zip(going, replies, strict=True) if reply is None]
        for each, reply in zip(going, replies, strict=True):
            if reply is not None:
                self._answer(each, reply)

    def _answer(self, going: _Going, outcome: Outcome | ServingError) -> None:
        part, buffers = pack_safely(outcome)
        seconds = time.monotonic() - going.started
        answer = Answered(going.number, (part,), seconds, take_points(), began=going.started)
        self._channel.send(answer, buffers)
