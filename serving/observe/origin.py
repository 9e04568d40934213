"""Origin: whose request is worked on just now, for the log and for traces."""

from contextvars import ContextVar
from typing import NamedTuple

from serving.observe.tracing import Span
from serving.protocol.asker import NOBODY, Asker

__all__ = ("ORIGIN", "Origin", "asker_now", "carried_on")


class Origin(NamedTuple):
    """Where work comes from.

    Attributes:
        request_id: of the request; of a batch those of all its items, with commas.
        span: that the work is a part of; None: it is not followed.
        askers: who asks; of a batch for each of its items, in order; empty: nobody knows.
    """

    request_id: str
    span: Span | None = None
    askers: tuple[Asker, ...] = ()


ORIGIN: ContextVar[Origin | None] = ContextVar("origin", default=None)
"""Of what is done in this task, or in this call; None: nobody asked for it."""


def asker_now(otherwise: Asker = NOBODY) -> Asker:
    """Who asks for the one thing that is done in this task, or else this one."""
    origin = ORIGIN.get()
    return origin.askers[0] if origin is not None and origin.askers else otherwise


def carried_on() -> tuple[str, str]:
    """What goes along with work that another process does: the requests' ids, a traceparent."""
    origin = ORIGIN.get()
    if origin is None:
        return "", ""
    request_id, span = origin.request_id, origin.span
    return request_id, "" if span is None else span.headers["traceparent"]
