"""Orders: what an operator asks of management, and what he is told was done."""

from typing import NamedTuple

__all__ = ("Batches", "Status")


class Status(NamedTuple):
    """What was done.

    Attributes:
        code: HTTP's; 202 when it is still being done.
        text: one sentence.
    """

    code: int
    text: str


class Batches(NamedTuple):
    """How batches are made from now on; None: as before.

    Attributes:
        size: most items of one.
        max_delay_ms: longest wait for company, milliseconds.
        slo_p99_ms: of the latency, milliseconds; 0: none any more.
    """

    size: int | None
    max_delay_ms: int | None
    slo_p99_ms: int | None = None
