"""A pool without processes: answers as a function says, in the event loop."""

import asyncio
from collections.abc import Callable, Sequence

from serving.errors import NoWorker, ServingError
from serving.handlers.points import MetricPoint
from serving.workers.messages import Item, Outcome
from serving.workers.process import Worker
from serving.workers.runs import Answer, OnAnswer, OnChunk


class FunctionPool:
    """Answers each item at once, or when `release` is called; may lose its worker."""

    def __init__(self, function: Callable[[Item], Outcome]) -> None:
        self.function = function
        self.min_workers = self.max_workers = 1
        self.is_raw = False
        self.has_worker = True
        self.restarts = 0
        self.seconds = 0.01
        self.points: Sequence[MetricPoint] = ()
        self.is_held = False
        self.held: list[Callable[[], None]] = []

    @property
    def ready(self) -> int:
        return int(self.has_worker and self.min_workers > 0)

    @property
    def capacity(self) -> int:
        return 1000 * self.ready

    @property
    def is_hopeful(self) -> bool:
        return True

    @property
    def workers(self) -> Sequence[Worker]:
        return ()

    def unavailable(self) -> NoWorker:
        return NoWorker("nobody is here")

    async def start(self, wanted: int = 1) -> None: ...

    async def scale(self, min_workers: int, max_workers: int, *, wait: bool) -> int:
        self.min_workers, self.max_workers = min_workers, max_workers
        return min_workers

    def grow(self) -> None: ...

    def post(
        self, items: Sequence[Item], on_answer: OnAnswer, on_chunk: OnChunk | None = None
    ) -> Callable[[], None]:
        def answer() -> None:
            outcomes: list[Outcome] = []
            for item in items:
                try:
                    outcomes.append(self.function(item))
                except ServingError as error:
                    outcomes.append(error)
            on_answer(Answer(outcomes, self.seconds, self.points))

        if self.is_held:
            self.held.append(answer)
        else:
            asyncio.get_running_loop().call_soon(answer)
        return lambda: None

    def retire(self) -> None: ...

    async def drain(self, grace_s: float) -> None: ...

    async def stop(self, grace_s: float) -> None: ...
