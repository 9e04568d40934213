"""SharedMemory: regions that clients on this machine share with the server.

A region is read and written by calls, never mapped: a mapping of memory whose owner makes it
shorter ends the process that touches it. The one copy that this costs is what a socket costs, too.
"""

import os
import re
from dataclasses import dataclass
from pathlib import Path

from serving.errors import BadInput, Conflict
from serving.protocol.infer import Place
from serving.protocol.tensors import Buffer

__all__ = ("MAX_REGIONS", "OWN_PREFIX", "Region", "SharedMemory")

MAX_REGIONS = 1024
"""Most regions at a time, of all clients together; each holds a file open."""

OWN_PREFIX = "serving-"
"""How names of the server's own shared memory begin, which no client may register."""

# Where the system keeps it; nothing is made there.
_FOLDER = Path("/dev/shm")  # nosec B108

_KEY = re.compile(r"/?([A-Za-z0-9_][A-Za-z0-9_.\-]{0,250})")


@dataclass(frozen=True, slots=True)
class Region:
    """One region.

    Attributes:
        name: as the requests call it.
        key: of the memory, as it was given to `shm_open`.
        offset: where the region begins in it, bytes.
        byte_size: of the region.
    """

    name: str
    key: str
    offset: int
    byte_size: int


class SharedMemory:
    """The regions that clients registered.

    Args:
        folder: where the system keeps shared memory.
    """

    def __init__(self, folder: Path = _FOLDER) -> None:
        self._folder = folder
        self._regions: dict[str, tuple[Region, int]] = {}

    def register(self, region: Region) -> None:
        """Open a region; the same one again changes nothing.

        Raises:
            Conflict: when another has its name.
            BadInput: when there is no such memory, it is too small, it is not the client's to give,
                or there are too many regions.
        """
        known = self._regions.get(region.name)
        if known is not None:
            if known[0] == region:
                return
            msg = f"shared memory region {region.name!r} is registered already"
            raise Conflict(msg)
        if len(self._regions) >= MAX_REGIONS:
            msg = f"{MAX_REGIONS} shared memory regions are registered; unregister some"
            raise BadInput(msg)
        descriptor = self._open(region)
        try:
            _check_size(region, descriptor)
        except BadInput:
            os.close(descriptor)
            raise
        self._regions[region.name] = (region, descriptor)

    def unregister(self, name: str = "") -> None:
        """Forget one region, or all; one that is not there is forgotten already."""
        for each in [name] if name else list(self._regions):
            _, descriptor = self._regions.pop(each, (None, None))
            if descriptor is not None:
                os.close(descriptor)

    def regions(self, name: str = "") -> tuple[Region, ...]:
        """The region of that name, or all of them.

        Raises:
            BadInput: when there is none of that name.
        """
        if name:
            return (self._find(name)[0],)
        return tuple(region for region, _ in self._regions.values())

    def read(self, place: Place) -> bytes:
        """Copy what lies in a place.

        Raises:
            BadInput: when it is not within a region, or its owner made the memory shorter.
        """
        descriptor, at = self._locate(place)
        data = os.pread(descriptor, place.size, at)
        if len(data) != place.size:
            raise _shorter(place.region)
        return data

    def write(self, place: Place, data: Buffer) -> None:
        """Copy data to the start of a place.

        Raises:
            BadInput: when it is not within a region, the data is larger, or the memory was made
                shorter.
        """
        if len(data) > place.size:
            msg = f"an output of {len(data)} bytes does not fit into {place.size}"
            raise BadInput(msg)
        descriptor, at = self._locate(place)
        if os.fstat(descriptor).st_size < at + len(data):
            raise _shorter(place.region)
        os.pwrite(descriptor, data, at)

    def _find(self, name: str) -> tuple[Region, int]:
        found = self._regions.get(name)
        if found is None:
            msg = f"no shared memory region {name!r} is registered"
            raise BadInput(msg)
        return found

    def _locate(self, place: Place) -> tuple[int, int]:
        region, descriptor = self._find(place.region)
        if place.offset + place.size > region.byte_size:
            msg = (
                f"bytes {place.offset} to {place.offset + place.size} are not within region "
                f"{region.name!r} of {region.byte_size} bytes"
            )
            raise BadInput(msg)
        return descriptor, region.offset + place.offset

    def _open(self, region: Region) -> int:
        name = _KEY.fullmatch(region.key)
        if name is None or name[1].startswith(OWN_PREFIX):
            msg = f"{region.key!r} is no key of shared memory that a client may register"
            raise BadInput(msg)
        try:
            flags = os.O_RDWR | os.O_NOFOLLOW | os.O_CLOEXEC | os.O_NONBLOCK
            return os.open(self._folder / name[1], flags)
        except OSError as error:
            msg = f"cannot open shared memory {region.key!r}: {error.strerror}"
            raise BadInput(msg) from error


def _check_size(region: Region, descriptor: int) -> None:
    actual = os.fstat(descriptor).st_size
    if region.byte_size == 0 or region.offset + region.byte_size > actual:
        msg = (
            f"bytes {region.offset} to {region.offset + region.byte_size} are not within shared "
            f"memory {region.key!r} of {actual} bytes"
        )
        raise BadInput(msg)


def _shorter(name: str) -> BadInput:
    return BadInput(f"the memory of region {name!r} was made shorter since it was registered")
