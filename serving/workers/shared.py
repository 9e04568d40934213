"""SharedArea: memory that server and worker both see, for what is too large for a socket.

Large payloads are copied in on one side and out on the other, which takes two copies within the
processors' caches instead of many trips of 200 KB through the kernel. The receiver copies at once,
so that the memory is free for the next message and no array ever changes under its owner.
"""

import contextlib
import mmap
import os
from collections.abc import Sequence

import numpy as np

from serving.protocol.tensors import Buffer

__all__ = ("SharedArea", "make_areas")

SHARED_FROM = 1 << 14
"""Smaller payloads go through the socket, bytes."""

_LARGEST = 64 << 20
"""Larger ones too: as much memory stays taken for each worker, bytes."""


def make_areas() -> Sequence[int]:
    """Make two areas of no size yet; their descriptors, or none where the system has no such."""
    made: list[int] = []
    try:
        for name in ("requests", "replies"):
            made.append(os.memfd_create(f"serving {name}", os.MFD_CLOEXEC))
    except (AttributeError, OSError):
        for descriptor in made:
            os.close(descriptor)
        return []
    return made


class SharedArea:
    """One direction's memory; one side writes, the other reads before the next message.

    Args:
        descriptor: of the memory; closed with the area.
    """

    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor
        self._map: mmap.mmap | None = None

    def write(self, chunks: Sequence[Buffer], size: int) -> bool:
        """Put a payload in; whether it was: it may be too small or too large, or memory too scarce.

        Args:
            chunks: of the payload, in order.
            size: of all of them, bytes.
        """
        if not SHARED_FROM <= size <= _LARGEST:
            return False
        try:
            memory = self._grown(size)
        except (OSError, ValueError):
            return False
        at = 0
        for chunk in chunks:
            memory[at : at + len(chunk)] = chunk
            at += len(chunk)
        return True

    def read(self, size: int) -> memoryview:
        """Copy a payload out.

        Raises:
            OSError: when there is none of that size.
        """
        if self._map is None or len(self._map) < size:
            self._remap(os.fstat(self._descriptor).st_size)
        if self._map is None or len(self._map) < size:
            msg = f"the shared memory holds no {size} bytes"
            raise OSError(msg)
        payload = np.empty(size, dtype=np.uint8).data
        with memoryview(self._map) as memory:
            payload[:] = memory[:size]
        return payload

    def close(self) -> None:
        """Give the memory up; the other side keeps what it has mapped."""
        self._remap(0)
        with contextlib.suppress(OSError):
            os.close(self._descriptor)

    def _grown(self, size: int) -> mmap.mmap:
        if self._map is not None and len(self._map) >= size:
            return self._map
        capacity = 1 << (size - 1).bit_length()
        os.ftruncate(self._descriptor, capacity)
        self._remap(capacity)
        if self._map is None:
            msg = "the shared memory cannot be seen"
            raise OSError(msg)
        return self._map

    def _remap(self, capacity: int) -> None:
        if self._map is not None:
            self._map.close()
            self._map = None
        if capacity:
            self._map = mmap.mmap(self._descriptor, capacity)
