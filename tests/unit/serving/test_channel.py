import asyncio
import socket
from collections.abc import Iterator

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from serving.errors import BadInput, NoWorker, ServingError
from serving.protocol.exchange import RawReply, RawRequest
from serving.workers.async_channel import AsyncChannel
from serving.workers.channel import Channel, ChannelClosed, channel_pair
from serving.workers.frames import Frame, FrameReader, write_frame
from serving.workers.messages import (
    Answered,
    Item,
    Outcome,
    Run,
    pack,
    pack_all,
    unpack_items,
    unpack_outcomes,
)


@pytest.fixture
def ends() -> Iterator[tuple[socket.socket, socket.socket]]:
    ours, theirs = channel_pair()
    with ours, theirs:
        yield ours, theirs


class Server:
    """The server's end, in whose order messages are waited for."""

    def __init__(self, end: socket.socket) -> None:
        self.messages: asyncio.Queue[Frame | None] = asyncio.Queue()
        self.channel = AsyncChannel(
            end,
            lambda message, buffers: self.messages.put_nowait((message, buffers)),
            lambda: self.messages.put_nowait(None),
        )
        self.send = self.channel.send

    async def receive(self) -> Frame:
        frame = await self.messages.get()
        if frame is None:
            raise ChannelClosed
        return frame


def run_of(*items: Item) -> tuple[Run, list[bytes | bytearray | memoryview]]:
    parts, buffers = pack_all(items)
    return Run(7, parts), buffers


async def test_items_cross_the_channel_as_they_were(
    ends: tuple[socket.socket, socket.socket],
) -> None:
    tensors = {
        "image": np.arange(24, dtype=np.uint8).reshape(2, 4, 3),
        "scale": np.array(1.5),
        "names": np.array([b"a", b"\xff"], dtype=object),
    }
    request = RawRequest(
        {"body": b"picture", "empty": b""}, {"body": "image/png"}, {"x": "1"}, "id-1", "explain"
    )
    Server(ends[0]).send(*run_of(request, tensors, RawRequest({})))
    message, buffers = Channel(ends[1]).receive()
    assert isinstance(message, Run)
    assert message.number == 7
    first, second, third = unpack_items(message.parts, buffers)
    assert isinstance(first, RawRequest)
    assert isinstance(third, RawRequest)
    assert first.fields == {"body": b"picture", "empty": b""}
    assert (first.content_types, first.headers) == ({"body": "image/png"}, {"x": "1"})
    assert (first.request_id, first.verb) == ("id-1", "explain")
    assert (third.fields, third.verb) == ({}, "predict")
    assert isinstance(second, dict)
    assert list(second) == list(tensors)
    for name, array in tensors.items():
        np.testing.assert_array_equal(second[name], array)


async def test_results_cross_back_with_their_errors(
    ends: tuple[socket.socket, socket.socket],
) -> None:
    reply = RawReply(b"{}", 201, "Made", (("a", "1"), ("a", "2")), "text/plain")
    outcomes: list[Outcome] = [reply, BadInput("no picture"), NoWorker("gone", 7.5)]
    parts, sent = pack_all(outcomes)
    Channel(ends[1]).send(Answered(7, parts, 0.25), sent)
    message, buffers = await Server(ends[0]).receive()
    assert isinstance(message, Answered)
    assert message.seconds == 0.25
    good, bad, later = unpack_outcomes(message.parts, buffers)
    assert isinstance(good, RawReply)
    assert (good.body, good.status, good.reason) == (b"{}", 201, "Made")
    assert (good.headers, good.content_type) == ((("a", "1"), ("a", "2")), "text/plain")
    assert isinstance(later, NoWorker)
    assert later.retry_after_s == 7.5
    assert isinstance(bad, BadInput)
    assert str(bad) == "no picture"


async def test_received_arrays_are_aligned_and_writable(
    ends: tuple[socket.socket, socket.socket],
) -> None:
    Server(ends[0]).send(*run_of(RawRequest({"body": b"x"}), {"a": np.ones(3, np.float64)}))
    message, buffers = Channel(ends[1]).receive()
    assert isinstance(message, Run)
    _, item = unpack_items(message.parts, buffers)
    assert isinstance(item, dict)
    assert item["a"].flags.aligned
    item["a"][0] = 2


async def test_items_larger_than_the_sockets_buffer_cross_whole(
    ends: tuple[socket.socket, socket.socket],
) -> None:
    picture = np.random.default_rng(1).integers(0, 255, (2000, 3000), dtype=np.uint8)
    received = asyncio.create_task(asyncio.to_thread(Channel(ends[1]).receive))
    Server(ends[0]).send(*run_of({"image": picture}))
    message, buffers = await received
    assert isinstance(message, Run)
    (item,) = unpack_items(message.parts, buffers)
    assert isinstance(item, dict)
    np.testing.assert_array_equal(item["image"], picture)


async def test_server_learns_that_the_worker_is_gone(
    ends: tuple[socket.socket, socket.socket],
) -> None:
    ends[1].close()
    server = Server(ends[0])
    with pytest.raises(ChannelClosed):
        await server.receive()
    with pytest.raises(ChannelClosed):
        server.send(*run_of(RawRequest({"body": b"x"})))


async def test_server_learns_so_while_it_sends(ends: tuple[socket.socket, socket.socket]) -> None:
    server = Server(ends[0])
    ends[1].close()
    with pytest.raises(ChannelClosed):
        server.send(*run_of(RawRequest({"body": b"x"})))


def test_worker_learns_that_the_server_is_gone(
    ends: tuple[socket.socket, socket.socket],
) -> None:
    ends[0].close()
    with pytest.raises(ChannelClosed):
        Channel(ends[1]).receive()
    with pytest.raises(ChannelClosed):
        Channel(ends[1]).send(*run_of(RawRequest({"body": b"x"})))


def test_unknown_error_codes_become_the_root_of_the_tree() -> None:
    class Strange(ServingError):
        code = "strange"

    part, buffers = pack(Strange("from a newer worker"))
    (back,) = unpack_outcomes([part], buffers)
    assert type(back) is ServingError
    assert str(back) == "from a newer worker"


async def test_nonsense_ends_the_talk(ends: tuple[socket.socket, socket.socket]) -> None:
    ends[1].sendall(b"\x03\0\0\0" + bytes(8) + b"abc")
    with pytest.raises(ChannelClosed):
        await Server(ends[0]).receive()


@given(
    bodies=st.lists(st.lists(st.binary(max_size=70_000), max_size=4), min_size=1, max_size=4),
    piece=st.integers(1, 50_000),
)
def test_frames_do_not_depend_on_how_the_stream_was_cut(
    bodies: list[list[bytes]], piece: int
) -> None:
    stream = b"".join(
        bytes(chunk)
        for number, some in enumerate(bodies)
        for chunk in write_frame(Run(number, ()), some)
    )
    reader = FrameReader()
    frames: list[Frame] = []
    while stream:
        room = reader.buffer()
        count = min(len(room), piece, len(stream))
        room[:count] = stream[:count]
        stream = stream[count:]
        frames += reader.take(count)
    assert [[bytes(buffer) for buffer in buffers] for _, buffers in frames] == bodies
    assert [message for message, _ in frames] == [Run(n, ()) for n in range(len(bodies))]


def test_a_header_longer_than_the_scratch_is_read() -> None:
    name = "x" * 100_000
    parts, buffers = pack_all([RawRequest({name: b"body"})])
    stream = b"".join(bytes(chunk) for chunk in write_frame(Run(1, parts), buffers))
    reader = FrameReader()
    frames: list[Frame] = []
    while stream:
        room = reader.buffer()
        count = min(len(room), len(stream))
        room[:count] = stream[:count]
        stream = stream[count:]
        frames += reader.take(count)
    ((message, received),) = frames
    assert message == Run(1, parts)
    assert [bytes(buffer) for buffer in received] == [b"body"]
