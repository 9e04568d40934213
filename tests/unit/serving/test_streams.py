import asyncio

import pytest

from serving.batching.pending import Batch, Pending
from serving.errors import InferenceFailed
from serving.protocol.exchange import RawReply, RawRequest
from serving.registry import streams
from serving.registry.streams import Relay, ReplyStream
from serving.workers.messages import Item, Outcome
from serving.workers.process import Answer


async def parts_of(stream: ReplyStream) -> list[bytes]:
    return [part async for part in stream]


async def test_parts_are_given_in_order_as_they_come() -> None:
    stream = ReplyStream()
    reading = asyncio.create_task(parts_of(stream))
    assert stream.put(b"a")
    await asyncio.sleep(0)
    assert stream.put(b"")
    assert stream.put(b"b")
    stream.finish(RawReply(b"c"))
    assert await reading == [b"a", b"b", b"c"]
    assert not stream.put(b"d")


async def test_stream_breaks_off_with_the_models_error_after_what_came_before() -> None:
    stream = ReplyStream()
    stream.put(b"a")
    stream.finish(InferenceFailed("midway"))
    assert await anext(stream) == b"a"
    with pytest.raises(InferenceFailed, match="midway"):
        await anext(stream)


async def test_stream_breaks_off_for_a_client_who_reads_too_slowly(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(streams, "_MOST_BYTES", 10)
    stream = ReplyStream()
    assert stream.put(bytes(6))
    assert await anext(stream) == bytes(6)
    assert stream.put(bytes(6)), "what was read makes room"
    assert not stream.put(bytes(6))
    assert await anext(stream) == bytes(6)
    with pytest.raises(InferenceFailed, match="reads too slowly"):
        await anext(stream)


async def test_closed_stream_wants_no_more_and_has_no_more() -> None:
    stream = ReplyStream()
    stream.put(b"a")
    await stream.aclose()
    assert not stream.put(b"b")
    assert await parts_of(stream) == []
    await stream.aclose()


def batch_of(told: list[Outcome]) -> Batch[Item, Outcome]:
    pending: Pending[Item, Outcome] = Pending(RawRequest({}), None, 0.0, 1.0, told.append)
    return Batch([pending], lambda batch, outcome: None)


async def test_client_gets_the_first_part_with_the_rest_behind_it() -> None:
    told: list[Outcome] = []
    relay = Relay(batch_of(told))
    assert relay.take(0, RawReply(b"a", 201))
    assert relay.take(0, RawReply(b"b"))
    (reply,) = told
    assert isinstance(reply, RawReply)
    assert (reply.body, reply.status) == (b"a", 201)
    relay.finish(Answer([RawReply(b"c")], 0.1))
    assert isinstance(reply.rest, ReplyStream)
    assert await parts_of(reply.rest) == [b"b", b"c"]


async def test_nothing_is_kept_for_a_client_who_was_gone_before_the_first_part() -> None:
    told: list[Outcome] = []
    batch = batch_of(told)
    batch.pendings[0].is_settled = True
    relay = Relay(batch)
    assert not relay.take(0, RawReply(b"a"))
    assert not relay.take(0, RawReply(b"b"))
    relay.finish(InferenceFailed("nobody hears this"))
    assert told == []
