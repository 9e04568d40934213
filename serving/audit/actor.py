"""Actor: who asks for a change. The edges say it once for all that is done in their task."""

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass

__all__ = ("SERVER", "Actor", "acting", "acting_as")


@dataclass(frozen=True, slots=True)
class Actor:
    """Who asks for a change.

    Attributes:
        who: the name of the key that was shown ("management key", "unknown key", "no key"), or the
            part of the server that acts by itself ("start", "watcher", "canary", "server").
        key: the first digits of the key's SHA-256, in hexadecimal; "": none was shown.
        address: host and port of a client; "": it has none.
        via: "rest", "grpc", or "server".
        agent: what a client calls itself.
        request_id: of the request.
    """

    who: str
    key: str = ""
    address: str = ""
    via: str = "server"
    agent: str = ""
    request_id: str = ""


SERVER = Actor("server")
"""Nobody asked: the server itself."""

_ACTING: ContextVar[Actor] = ContextVar("acting", default=SERVER)


def acting() -> Actor:
    """Who acts in this task."""
    return _ACTING.get()


@contextmanager
def acting_as(actor: Actor) -> Iterator[None]:
    """Let somebody act in this task, and in those that it starts."""
    token = _ACTING.set(actor)
    try:
        yield
    finally:
        _ACTING.reset(token)
