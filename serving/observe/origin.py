"""Origin: whose request is worked on just now, for the log and for traces."""

from contextvars import ContextVar
from typing import NamedTuple

from serving.observe.tracing import Span

__all__ = ("ORIGIN", "Origin", "carried_on")


class Origin(NamedTuple):
    """Where work comes from.

    Attributes:
        request_id: of the request; of a batch those of all its items, with commas.
        span: that the work is a part of; None: it is not followed.
    """

    request_id: str
    span: Span | None = None


ORIGIN: ContextVar[Origin | None] = ContextVar("origin", default=None)
"""Of what is done in this task, or in this call; None: nobody asked for it."""


def carried_on() -> tuple[str, str]:
    """What goes along with work that another process does: the requests' ids, a traceparent."""
    origin = ORIGIN.get()
    if origin is None:
        return "", ""
    request_id, span = origin
    return request_id, "" if span is None else span.headers["traceparent"]
