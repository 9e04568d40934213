"""Place: room for one worker in a pool, and who holds it at the moment."""

import asyncio
from dataclasses import dataclass, field

from serving.workers.process import Worker

__all__ = ("Place",)


@dataclass(slots=True, eq=False)
class Place:
    """Room for one worker, and after its end for the next one.

    Attributes:
        index: of the place in its pool, >= 0; free ones are used again.
        worker: who is there; None while one is started or waited for.
        coming: who is being started.
        runs: batches that it works on.
        is_retired: whether the place shall go once its worker is idle.
        nudge: set when somebody must look at the place again.
        keeper: the task that looks after it.
    """

    index: int
    worker: Worker | None = None
    coming: Worker | None = None
    runs: int = 0
    is_retired: bool = False
    nudge: asyncio.Event = field(default_factory=asyncio.Event)
    keeper: "asyncio.Task[None] | None" = None

    @property
    def is_ready(self) -> bool:
        """Whether its worker may be given work."""
        return self.worker is not None and self.worker.is_usable and not self.is_retired

    def retire(self) -> None:
        """Let it go: at once when nobody is there, else when its worker is idle."""
        self.is_retired = True
        self.nudge.set()
        if self.worker is None and self.keeper is not None:
            self.keeper.cancel()
