"""Traffic: the requests of one model version that are not answered yet."""

import time
from collections.abc import Callable

from serving.batching.batcher import Batcher
from serving.batching.pending import Pending
from serving.errors import ServingError
from serving.observe.endpoint_metrics import EndpointMetrics
from serving.workers.messages import Item, Outcome

__all__ = ("Posted", "Traffic")


class Traffic:
    """Counts requests as they come and as they are answered.

    Args:
        metrics: told of each answer.

    Attributes:
        count: requests that are not answered yet.
    """

    def __init__(self, metrics: EndpointMetrics) -> None:
        self.count = 0
        self._metrics = metrics

    def enter(self) -> float:
        """Count one that has come; when that was, monotonic seconds."""
        self.count += 1
        return time.monotonic()

    def leave(self, entered: float, result: str) -> None:
        """Count one that is answered: with "ok", "cancelled" or the error's code."""
        self.count -= 1
        self._metrics.answered(time.monotonic() - entered, result)


class Posted:
    """A request whose answer comes by a call; it costs no task and no future.

    Args:
        traffic: what counts it.
        entered: when it came, monotonic seconds.
        on_outcome: called once with what came of it, unless it is cancelled before.
    """

    __slots__ = ("_entered", "_on_outcome", "_pending", "_queue", "_traffic")

    def __init__(
        self, traffic: Traffic, entered: float, on_outcome: Callable[[Outcome], None]
    ) -> None:
        self._traffic = traffic
        self._entered = entered
        self._on_outcome = on_outcome

    def join(self, queue: Batcher[Item, Outcome], pending: Pending[Item, Outcome]) -> None:
        """Stand in a queue.

        Raises:
            ServingError: as `Batcher.put`.
        """
        self._queue = queue
        self._pending = pending
        queue.put(pending)

    def settle(self, outcome: Outcome) -> None:
        """Learn what came of it."""
        result = outcome.code if isinstance(outcome, ServingError) else "ok"
        self._traffic.leave(self._entered, result)
        self._on_outcome(outcome)

    def cancel(self) -> None:
        """Give it up; harmless when it is answered."""
        if not self._pending.is_settled:
            self._queue.cancel(self._pending)
            self._traffic.leave(self._entered, "cancelled")
