"""Files of ours for pages: magic, version, and a payload packed with zlib; read with care."""

import struct
import zlib
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from animator.core.errors import InvalidTrack

__all__ = (
    "FILE_HEAD",
    "Kind",
    "Reader",
    "pack",
    "pack_places",
    "pack_texels",
    "read_places",
    "read_texels",
    "unpack",
)

FILE_HEAD = struct.Struct("<4sHHI")
"""Magic, version, 0, bytes of the payload before it was packed."""

MAX_PAYLOAD = 256 * 1024 * 1024
"""Most bytes that are unpacked."""


@dataclass(frozen=True, slots=True)
class Kind:
    """A kind of file.

    Attributes:
        magic: its first four bytes.
        version: the only one that is read.
        noun: what it is called in messages.
        strategy: how zlib looks for what is alike; see `zlib.compressobj`.
    """

    magic: bytes
    version: int
    noun: str
    strategy: int = zlib.Z_DEFAULT_STRATEGY


class Reader:
    """Takes one thing after the other out of a payload.

    Raises:
        InvalidTrack: when there is less than is asked for, or something is left at the end.
    """

    def __init__(self, payload: bytes, noun: str) -> None:
        self._payload = payload
        self._place = 0
        self._noun = noun

    def take(self, count: int) -> bytes:
        """The next bytes."""
        if count > len(self._payload) - self._place:
            msg = f"This {self._noun} ends too early."
            raise InvalidTrack(msg)
        self._place += count
        return self._payload[self._place - count : self._place]

    def head(self, kind: struct.Struct) -> tuple[int | float, ...]:
        """The next numbers."""
        return kind.unpack(self.take(kind.size))

    def array(self, kind: str, *shape: int) -> NDArray[np.generic]:
        """The next array."""
        count = int(np.prod(shape, dtype=np.int64))
        data = self.take(count * np.dtype(kind).itemsize)
        return np.frombuffer(data, kind).reshape(shape)

    def end(self) -> None:
        """See that nothing is left."""
        if self._place != len(self._payload):
            msg = f"This {self._noun} has bytes that belong to nothing."
            raise InvalidTrack(msg)


def pack(kind: Kind, payload: bytes) -> bytes:
    """The bytes of a file."""
    head = FILE_HEAD.pack(kind.magic, kind.version, 0, len(payload))
    packer = zlib.compressobj(strategy=kind.strategy)
    return head + packer.compress(payload) + packer.flush()


def unpack(kind: Kind, data: bytes) -> Reader:
    """Open a file.

    Raises:
        InvalidTrack: when the bytes are of another kind or version, incomplete or damaged.
    """
    if len(data) < FILE_HEAD.size or data[:4] != kind.magic:
        msg = f"This is no {kind.noun}."
        raise InvalidTrack(msg)
    _, version, _, length = FILE_HEAD.unpack_from(data)
    if version != kind.version:
        msg = f"This {kind.noun} is of version {version}; only {kind.version} is read."
        raise InvalidTrack(msg)
    return Reader(_unpack(kind, data[FILE_HEAD.size :], length), kind.noun)


def _unpack(kind: Kind, packed: bytes, length: int) -> bytes:
    if length > MAX_PAYLOAD:
        msg = f"This {kind.noun} holds {length} bytes; at most {MAX_PAYLOAD} are read."
        raise InvalidTrack(msg)
    unpacker = zlib.decompressobj()
    try:
        payload = unpacker.decompress(packed, length + 1)
    except zlib.error as error:
        msg = f"This {kind.noun} is damaged."
        raise InvalidTrack(msg) from error
    if len(payload) != length or not unpacker.eof or unpacker.unused_data:
        msg = f"This {kind.noun} is incomplete or damaged."
        raise InvalidTrack(msg)
    return payload


def pack_places(places: NDArray[np.uint16]) -> bytes:
    """Places (F, V) as what is left of them when neighbours and frames before foretell them.

    Low bytes first, then high ones, which are nearly all 0.
    """
    left = places.copy()
    for axis in (0, 0, 1):
        left = np.diff(left, axis=axis, prepend=np.zeros_like(left.take([0], axis=axis)))
    signed = left.view(np.int16)
    zigzag = ((signed << 1) ^ (signed >> 15)).view(np.uint16)
    return (zigzag & 255).astype(np.uint8).tobytes() + (zigzag >> 8).astype(np.uint8).tobytes()


def read_places(reader: Reader, frames: int, count: int) -> NDArray[np.uint16]:
    """Places (F, V); the sums go around at 65,536."""
    low, high = (reader.array("u1", frames, count).astype(np.uint16) for _ in range(2))
    zigzag = low | (high << 8)
    left = np.asarray((zigzag >> 1) ^ (zigzag & 1) * np.uint16(65535), np.uint16)
    for axis in (1, 0, 0):
        left = np.cumsum(left, axis=axis, dtype=np.uint16)
    return left


def pack_texels(texels: NDArray[np.float32] | NDArray[np.float64]) -> bytes:
    """Places in a texture (V, 2), in [-0.5, 1.5), in 32768ths: all x, then all y."""
    counted = np.clip(np.rint((texels + 0.5) * 32768), 0, 65535).astype("<u2")
    return np.ascontiguousarray(counted.T).tobytes()


def read_texels(reader: Reader, count: int) -> NDArray[np.float64]:
    """Places in a texture (V, 2); float32 holds them exactly, too."""
    return reader.array("<u2", 2, count).T.astype(np.float64) / 32768 - 0.5
