"""Frames: a message and the buffers that belong to it, as bytes on a stream.

A frame is the lengths of header and payload, the header (the message and the lengths of its
buffers, in MessagePack), and the payload: the buffers, each padded to whole 64 bytes so that
arrays which share the received memory are aligned. A large payload of a batch or of its answer is
in shared memory instead, where there is some; at most one of each kind is ever under way.
"""

import struct
from collections.abc import Iterator, Sequence

import msgspec
import numpy as np

from serving.protocol.tensors import Buffer
from serving.workers.messages import Answered, Message, Run
from serving.workers.shared import SharedArea

__all__ = ("ChannelClosed", "Frame", "FrameReader", "write_frame")

Frame = tuple[Message, list[memoryview]]

_PREFIX = struct.Struct("<IQ")
_ALIGNMENT = 64
_PADDING = tuple(bytes(count) for count in range(_ALIGNMENT))
_SCRATCH_BYTES = 16 * 1024
_MAX_HEADER_BYTES = 1 << 26
_IN_SHARED_MEMORY = 1 << 63
"""Set in the payload's length when it is not in the stream."""


class ChannelClosed(Exception):
    """The other end is gone, or talks nonsense."""


class _Header(msgspec.Struct, frozen=True, array_like=True):
    message: Message
    sizes: tuple[int, ...]


_encoder = msgspec.msgpack.Encoder()
_decoder = msgspec.msgpack.Decoder(_Header)


def write_frame(
    message: Message, buffers: Sequence[Buffer] = (), area: SharedArea | None = None
) -> list[Buffer]:
    """Write a frame; the buffers are in it as they are, not copied, or in the shared memory."""
    sizes = tuple(len(buffer) for buffer in buffers)
    header = _encoder.encode(_Header(message, sizes))
    payload_size = 0
    chunks: list[Buffer] = [b""]
    for buffer, size in zip(buffers, sizes, strict=True):
        padding = -size % _ALIGNMENT
        payload_size += size + padding
        chunks.append(buffer)
        if padding:
            chunks.append(_PADDING[padding])
    # Others may follow one another before the receiver has looked.
    is_alone = isinstance(message, Run | Answered)
    if area is not None and is_alone and area.write(chunks, payload_size):
        return [_PREFIX.pack(len(header), payload_size | _IN_SHARED_MEMORY) + header]
    chunks[0] = _PREFIX.pack(len(header), payload_size) + header
    return chunks


class FrameReader:
    """Puts frames together; payloads are received where they stay.

    Args:
        area: the memory that the other side writes large payloads into.
    """

    def __init__(self, area: SharedArea | None = None) -> None:
        self._area = area
        self._scratch = memoryview(bytearray(_SCRATCH_BYTES))
        self._start = 0
        self._end = 0
        self._header: _Header | None = None  # while its payload is not complete
        self._payload = memoryview(b"")
        self._filled = 0

    def buffer(self) -> memoryview:
        """Where the next bytes belong."""
        if self._header is not None:
            return self._payload[self._filled :]
        return self._scratch[self._end :]

    def take(self, count: int) -> Iterator[Frame]:
        """Learn that bytes have come; the frames that are complete now.

        Raises:
            ChannelClosed: when they are no frames.
        """
        if self._header is None:
            self._end += count
        else:
            self._filled += count
            if self._filled < len(self._payload):
                return
            yield self._complete(self._header)
        while (header := self._read_header()) is not None:
            if self._filled < len(self._payload):
                self._header = header
                return
            yield self._complete(header)

    def _read_header(self) -> _Header | None:
        """Read the next header and what has come of its payload; None when it is not complete."""
        start, end = self._start, self._end
        if end - start < _PREFIX.size:
            self._make_room(_PREFIX.size)
            return None
        header_size, payload_size = _PREFIX.unpack_from(self._scratch, start)
        if header_size > _MAX_HEADER_BYTES:
            raise ChannelClosed
        start += _PREFIX.size
        if end - start < header_size:
            self._make_room(_PREFIX.size + header_size)
            return None
        header = _parse(self._scratch[start : start + header_size])
        start += header_size
        if payload_size & _IN_SHARED_MEMORY:
            self._payload = self._read_area(payload_size ^ _IN_SHARED_MEMORY)
            self._filled = len(self._payload)
            self._start = start
            return header
        self._payload = _allocate(payload_size)
        self._filled = min(payload_size, end - start)
        self._payload[: self._filled] = self._scratch[start : start + self._filled]
        self._start = start + self._filled
        return header

    def _read_area(self, size: int) -> memoryview:
        try:
            if self._area is not None:
                return self._area.read(size)
        except OSError as error:
            raise ChannelClosed from error
        raise ChannelClosed

    def _complete(self, header: _Header) -> Frame:
        payload, self._payload, self._header = self._payload, memoryview(b""), None
        return header.message, _split(payload, header.sizes)

    def _make_room(self, size: int) -> None:
        """Let the scratch hold a header of this size from its beginning on."""
        left = self._scratch[self._start : self._end]
        if not left or len(self._scratch) - self._start < size:
            scratch = self._scratch
            if len(scratch) < size:
                scratch = memoryview(bytearray(2 * size))
            scratch[: len(left)] = bytes(left)
            self._scratch, self._start, self._end = scratch, 0, len(left)


def _parse(data: memoryview) -> _Header:
    try:
        return _decoder.decode(data)
    except msgspec.DecodeError as error:
        # Whoever sent this cannot be talked with: the same as if it were gone.
        raise ChannelClosed from error


def _split(payload: memoryview, sizes: Sequence[int]) -> list[memoryview]:
    buffers: list[memoryview] = []
    at = 0
    for size in sizes:
        buffers.append(payload[at : at + size])
        at += size + -size % _ALIGNMENT
    return buffers


def _allocate(size: int) -> memoryview:
    # Unlike a bytearray, this memory is not filled with zeros first.
    return np.empty(size, dtype=np.uint8).data
