"""Origin: whose request is worked on just now, for the log and for traces."""

from contextvars import ContextVar
from typing import NamedTuple

from serving.observe.tracing import Span

__all__ = ("ORIGIN", "Origin", "carried_on")


class Origin(NamedTuple):
    """Where work comes from.

    Attributes:
        request_ids: of the request; of a batch those of all its items.
        span: that the work is a part of; None: it is not followed.
    """

    request_ids: tuple[str, ...]
    span: Span | None = None


ORIGIN: ContextVar[Origin | None] = ContextVar("origin", default=None)
"""Of what is done in this task, or in this call; None: nobody asked for it."""


def carried_on() -> tuple[tuple[str, ...], str]:
    """What goes along with work that another process does: the requests' ids, a traceparent."""
    origin = ORIGIN.get()
    if origin is None:
        return (), ""
    return origin.request_ids, origin.span.headers["traceparent"] if origin.span else ""
