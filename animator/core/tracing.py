"""Following work: whose request it is, and which part of its trace is being done."""

import time
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Literal, Protocol, TypeAlias, TypeVar

__all__ = (
    "PRESENT",
    "REQUEST_ID",
    "Attribute",
    "Span",
    "Tracer",
    "note",
    "outgoing",
    "part",
    "piecewise",
)

Piece = TypeVar("Piece")

Kind = Literal["internal", "server", "client", "producer", "consumer"]

Attribute: TypeAlias = str | int | float | bool


class Span(Protocol):
    """Something that takes time, as a trace shows it; times are monotonic seconds."""

    @property
    def is_recording(self) -> bool:
        """Whether anybody will see it."""
        ...

    @property
    def headers(self) -> Mapping[str, str]:
        """By which others join in: `traceparent`, and `tracestate` where there is one."""
        ...

    def child(self, name: str, *, kind: Kind = "internal", begun: float | None = None) -> "Span":
        """Begin a part of it, now or then."""
        ...

    def rename(self, name: str) -> None:
        """Give it the name that was not known when it began."""
        ...

    def note(self, attributes: Mapping[str, Attribute]) -> None:
        """Say more of it; no pictures, names of files, cookies or keys."""
        ...

    def end(self, error: str = "", at: float | None = None) -> None:
        """End it, now or then; `error` is the code of what went wrong."""
        ...


class Tracer(Protocol):
    """Follows what comes from outside."""

    def begin(
        self, name: str, kind: Kind, carried: Mapping[str, str], *, begun: float | None = None
    ) -> Span:
        """Begin to follow it; `carried` is what came along, by name in lower case."""
        ...

    def close(self, within_s: float) -> None:
        """Send what is not sent yet, in so many seconds at most."""
        ...


REQUEST_ID: ContextVar[str] = ContextVar("request_id", default="")
"""Of the request that is being answered, or that a job comes from; empty outside of one."""

PRESENT: ContextVar[Span | None] = ContextVar("span", default=None)
"""What is being done; None: nobody follows it."""


def outgoing() -> dict[str, str]:
    """What goes along when others are asked to do a part of the work: headers, by name."""
    request_id, span = REQUEST_ID.get(), PRESENT.get()
    headers = {"x-request-id": request_id} if request_id else {}
    return headers | dict(span.headers) if span is not None else headers


def note(attributes: Mapping[str, Attribute]) -> None:
    """Say more of what is being done."""
    span = PRESENT.get()
    if span is not None:
        span.note(attributes)


@contextmanager
def part(
    name: str, kind: Kind = "internal", attributes: Mapping[str, Attribute] | None = None
) -> Iterator[None]:
    """Let a trace show this part of the work, if anybody follows it."""
    whole = PRESENT.get()
    if whole is None or not whole.is_recording:
        yield
        return
    span = whole.child(name, kind=kind)
    span.note(attributes or {})
    token, error = PRESENT.set(span), ""
    try:
        yield
    except Exception as problem:
        error = str(getattr(problem, "code", type(problem).__name__))
        raise
    finally:
        PRESENT.reset(token)
        span.end(error)


def piecewise(name: str, pieces: Iterable[Piece]) -> Iterator[Piece]:
    """Hand pieces on, and let a trace show their making, from the first to the last.

    Other work is done between them, so the span says how many seconds were its own.
    """
    whole = PRESENT.get()
    if whole is None or not whole.is_recording:
        yield from pieces
        return
    span, own, at = whole.child(name), 0.0, time.monotonic()
    try:
        for piece in pieces:
            own += time.monotonic() - at
            yield piece
            at = time.monotonic()
    finally:
        span.note({"animator.own_seconds": own})
        span.end()
