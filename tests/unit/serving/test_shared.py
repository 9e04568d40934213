import os
import socket
import threading
from collections.abc import Iterator, Sequence

import numpy as np
import pytest

from serving.protocol.exchange import RawReply, RawRequest
from serving.protocol.tensors import Buffer
from serving.workers.channel import Areas, Channel, ChannelClosed, channel_pair
from serving.workers.frames import FrameReader, write_frame
from serving.workers.messages import (
    Answered,
    Chunk,
    Item,
    ReplyPart,
    Run,
    pack_all,
    unpack_items,
)
from serving.workers.shared import SHARED_FROM, SharedArea, make_areas

pytestmark = pytest.mark.skipif(not hasattr(os, "memfd_create"), reason="needs Linux' memfd")

LARGE = 3 * SHARED_FROM


@pytest.fixture
def areas() -> Iterator[tuple[SharedArea, SharedArea]]:
    """Both ends of one direction, as two processes have them."""
    (first, second) = make_areas()
    os.close(second)
    writer, reader = SharedArea(first), SharedArea(os.dup(first))
    yield writer, reader
    writer.close()
    reader.close()


def picture(size: int = LARGE, seed: int = 1) -> np.ndarray[tuple[int], np.dtype[np.uint8]]:
    return np.random.default_rng(seed).integers(0, 255, size, dtype=np.uint8)


def run_of(item: Item) -> tuple[Run, Sequence[Buffer]]:
    parts, buffers = pack_all([item])
    return Run(7, parts), buffers


def read_frames(reader: FrameReader, data: bytes) -> list[tuple[object, list[memoryview]]]:
    frames: list[tuple[object, list[memoryview]]] = []
    while data:
        buffer = reader.buffer()
        count = min(len(buffer), len(data))
        buffer[:count] = data[:count]
        data = data[count:]
        frames += reader.take(count)
    return frames


def test_large_batch_takes_the_way_through_memory(areas: tuple[SharedArea, SharedArea]) -> None:
    writer, reader = areas
    frames = FrameReader(reader)
    for seed in (1, 2):
        image = picture(LARGE * seed, seed)
        data = b"".join(write_frame(*run_of({"a": image, "b": np.ones(3)}), writer))
        assert len(data) < 1000
        ((message, buffers),) = read_frames(frames, data)
        assert isinstance(message, Run)
        (item,) = unpack_items(message.parts, buffers)
        assert isinstance(item, dict)
        np.testing.assert_array_equal(item["a"], image)
        assert item["b"].tolist() == [1, 1, 1]
        assert item["b"].flags.aligned


def test_what_was_received_does_not_change_with_the_next_message(
    areas: tuple[SharedArea, SharedArea],
) -> None:
    writer, reader = areas
    assert writer.write([bytes(LARGE)], LARGE)
    first = reader.read(LARGE)
    assert writer.write([b"\xff" * LARGE], LARGE)
    assert not any(first[:100])
    assert bytes(reader.read(LARGE)[:2]) == b"\xff\xff"


@pytest.mark.parametrize("size", [SHARED_FROM - 1, (64 << 20) + 1], ids=["small", "huge"])
def test_small_and_huge_payloads_take_the_socket(
    areas: tuple[SharedArea, SharedArea], size: int
) -> None:
    assert not areas[0].write([bytes(size)], size)


def test_parts_of_a_stream_take_the_socket_for_they_may_follow_one_another(
    areas: tuple[SharedArea, SharedArea],
) -> None:
    part = ReplyPart(200, "", (), None)
    data = write_frame(Chunk(7, 0, part), [bytes(LARGE)], areas[0])
    assert sum(map(len, data)) > LARGE


def test_payload_takes_the_socket_where_memory_is_refused(
    areas: tuple[SharedArea, SharedArea], monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object) -> None:
        raise OSError

    monkeypatch.setattr(os, "ftruncate", refuse)
    data = b"".join(write_frame(*run_of({"a": picture()}), areas[0]))
    assert len(data) > LARGE
    assert len(read_frames(FrameReader(areas[1]), data)) == 1


@pytest.mark.parametrize("has_area", [True, False])
def test_payload_that_is_not_there_ends_the_talk(
    areas: tuple[SharedArea, SharedArea], has_area: bool
) -> None:
    frame = b"".join(write_frame(*run_of({"a": picture()}), areas[0]))
    (other, spare) = make_areas()
    os.close(spare)
    empty = SharedArea(other)
    with pytest.raises(ChannelClosed):
        read_frames(FrameReader(empty if has_area else None), frame)
    empty.close()


def test_system_without_such_memory_has_no_areas(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delattr(os, "memfd_create")
    assert make_areas() == []


def test_question_and_answer_cross_both_ways() -> None:
    ours, theirs = channel_pair()
    ours.setblocking(True)
    requests, replies = make_areas()
    here = Areas(SharedArea(requests), SharedArea(replies))
    there = Areas(SharedArea(os.dup(replies)), SharedArea(os.dup(requests)))
    body = picture().tobytes()
    with ours, theirs:
        echo = threading.Thread(target=_echo, args=(theirs, there))
        echo.start()
        channel = Channel(ours, here)
        for _ in range(3):
            channel.send(*run_of(RawRequest({"body": body})))
            message, buffers = channel.receive()
            assert isinstance(message, Answered)
            assert buffers == [body]
        ours.shutdown(socket.SHUT_RDWR)
        echo.join()
    here.close()
    there.close()


def _echo(end: socket.socket, areas: Areas) -> None:
    channel = Channel(end, areas)
    while True:
        try:
            message, buffers = channel.receive()
        except ChannelClosed:
            return
        assert isinstance(message, Run)
        parts, reply = pack_all([RawReply(bytes(buffers[0]))])
        channel.send(Answered(message.number, parts, 0.0), reply)
