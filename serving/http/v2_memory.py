"""The shared memory extensions over HTTP: of the system, and, as far as to say no, of GPUs."""

from collections.abc import Mapping, Sequence
from typing import Any

import msgspec

from serving.errors import BadInput, NotAllowed
from serving.http.problems import NoRoute, WrongMethod
from serving.open_inference.service import OpenInference
from serving.open_inference.shared_memory import Region

__all__ = ("memory_route",)


class _Registration(msgspec.Struct):
    key: str
    byte_size: int
    offset: int = 0

    def __post_init__(self) -> None:
        if self.byte_size < 1 or self.offset < 0:
            msg = "byte_size must be at least 1, and offset at least 0"
            raise ValueError(msg)


def memory_route(
    serving: OpenInference,
    method: str,
    kind: str,
    rest: Sequence[str],
    body: Mapping[str, Any],
) -> object:
    """Answer a request.

    Args:
        serving: knows the regions.
        method: of the request.
        kind: "systemsharedmemory" or "cudasharedmemory".
        rest: what follows that in its path.
        body: of the request.

    Raises:
        NoRoute: when the path leads nowhere.
        NotAllowed: when the method is another, or no memory is taken here.
        BadInput: when there is no such region or memory.
        Conflict: when another region has the name.
    """
    name, verb = _read_path(rest)
    needed = "GET" if verb == "status" else "POST"
    if method != needed:
        raise WrongMethod(method, needed)
    if kind == "cudasharedmemory":
        return _cuda(verb)
    return _system(serving, name, verb, body)


def _read_path(rest: Sequence[str]) -> tuple[str, str]:
    match tuple(rest):
        case ("region", name, "status" | "register" | "unregister" as verb):
            return name, verb
        case ("status" | "unregister" as verb,):
            return "", verb
    msg = f"there is nothing at {'/'.join(rest)}"
    raise NoRoute(msg)


def _system(serving: OpenInference, name: str, verb: str, body: Mapping[str, Any]) -> object:
    if verb == "register":
        serving.shared_memory_or_refuse().register(_region(name, body))
        return {}
    memory = serving.shared_memory
    if verb == "status":
        return memory.regions(name) if memory else ()
    if memory:
        memory.unregister(name)
    return {}


def _cuda(verb: str) -> object:
    if verb == "register":
        msg = "memory of a GPU is not taken here: send the data, or put it into system memory"
        raise NotAllowed(msg)
    return () if verb == "status" else {}


def _region(name: str, body: Mapping[str, Any]) -> Region:
    try:
        asked = msgspec.convert(body, _Registration)
    except msgspec.ValidationError as error:
        msg = f"a region is registered by key, byte_size and offset: {error}"
        raise BadInput(msg) from error
    return Region(name=name, key=asked.key, offset=asked.offset, byte_size=asked.byte_size)
