"""Asked: whose requests a worker's process is working on, for its log and for handlers that ask."""

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import NamedTuple

__all__ = ("ASKED", "NOBODY", "Asked", "asked", "only_for")


class Asked(NamedTuple):
    """Who asked for the present batch.

    Attributes:
        request_ids: one for each item, in order, with commas; "": none has one.
        traceparent: of the batch's span, for handlers that ask others or make spans of their own
            (https://www.w3.org/TR/trace-context/); "": it is not followed.
    """

    request_ids: str = ""
    traceparent: str = ""


NOBODY = Asked()

ASKED: ContextVar[Asked] = ContextVar("asked", default=NOBODY)


def asked() -> Asked:
    """Who asked for the batch that is being worked on."""
    return ASKED.get()


@contextmanager
def only_for(index: int) -> Iterator[None]:
    """Let what is logged meanwhile be about one item of the batch."""
    present = ASKED.get()
    ids = present.request_ids.split(",")
    own = ids[index] if index < len(ids) else ""
    token = ASKED.set(present._replace(request_ids=own))
    try:
        yield
    finally:
        ASKED.reset(token)
