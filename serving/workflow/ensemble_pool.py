"""EnsemblePool: works on an ensemble's items by asking the endpoints of its steps."""

import asyncio
import time
from collections.abc import Callable, Sequence

from serving.errors import BadInput, InferenceFailed, NoWorker, ServingError
from serving.observe.origin import ORIGIN, Origin
from serving.protocol.exchange import RawRequest
from serving.workers.messages import Item, Outcome
from serving.workers.process import Answer, OnAnswer, OnChunk, Worker
from serving.workflow.ensemble import EnsembleSpec
from serving.workflow.steps import Infer, run_steps

__all__ = ("EnsemblePool",)

_CAPACITY = 64
"""Items under way; the steps' own queues hold the rest back."""


class EnsemblePool:
    """Has no process of its own: its steps have.

    Args:
        spec: the ensemble.
        infer: runs a step.
        is_ready: whether every step can be asked.
    """

    def __init__(self, spec: EnsembleSpec, infer: Infer, is_ready: Callable[[], bool]) -> None:
        self._spec = spec
        self._infer = infer
        self._is_ready = is_ready
        self._tasks: set[asyncio.Task[None]] = set()
        self.min_workers = self.max_workers = 1
        self.restarts = 0
        self.is_raw = False

    @property
    def ready(self) -> int:
        """1 while every step can be asked."""
        return int(self._is_ready())

    @property
    def capacity(self) -> int:
        """How many items may be under way."""
        return _CAPACITY

    @property
    def is_hopeful(self) -> bool:
        """True: a step that cannot be asked says so itself."""
        return True

    @property
    def workers(self) -> Sequence[Worker]:
        """None of its own."""
        return ()

    def unavailable(self) -> NoWorker:
        """The error for an item that nobody can work on."""
        return NoWorker(f"{self._spec.name} has a step without a worker")

    async def start(self, wanted: int = 1) -> None:
        """Nothing to begin: the steps are started before it."""

    async def scale(self, min_workers: int, max_workers: int, *, wait: bool) -> int:
        """Refuse: what can be scaled are the models of the steps.

        Raises:
            BadInput: always.
        """
        msg = f"{self._spec.name} is an ensemble: scale the models of its steps"
        raise BadInput(msg)

    def grow(self) -> None:
        """Nothing to add."""

    def post(
        self, items: Sequence[Item], on_answer: OnAnswer, on_chunk: OnChunk | None = None
    ) -> Callable[[], None]:
        """Run each item through the steps, beside one another."""
        task = asyncio.get_running_loop().create_task(self._answer(items, on_answer))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

        def give_up() -> None:
            task.cancel()

        return give_up

    async def _answer(self, items: Sequence[Item], on_answer: OnAnswer) -> None:
        started = time.monotonic()
        try:
            origins = _origins(len(items))
            outcomes = await asyncio.gather(*map(self._outcome, items, origins))
        except Exception as error:
            on_answer(InferenceFailed(f"{type(error).__name__}: {error}"))
        else:
            on_answer(Answer(outcomes, time.monotonic() - started))

    def retire(self) -> None:
        """Nothing to let go: the steps have workers of their own."""

    async def drain(self, grace_s: float) -> None:
        """Wait at most `grace_s` seconds for what is under way."""
        give_up = time.monotonic() + grace_s
        while self._tasks and time.monotonic() < give_up:
            await asyncio.sleep(0.01)

    async def stop(self, grace_s: float) -> None:
        """Nothing to end: the steps end by themselves."""

    async def _outcome(self, item: Item, origin: Origin | None) -> Outcome:
        # Of a batch each item has somebody else who asks; by him the steps' versions are chosen.
        ORIGIN.set(origin)
        if isinstance(item, RawRequest):
            return BadInput(f"{self._spec.name} is an ensemble: it takes tensors, at /v2")
        try:
            return await run_steps(self._spec, item, self._infer)
        except ServingError as error:
            return error


def _origins(count: int) -> Sequence[Origin | None]:
    """Where each of so many items of the batch comes from that is worked on just now."""
    origin = ORIGIN.get()
    if origin is None or len(origin.askers) != count:
        return [origin] * count
    return [origin._replace(askers=(asker,)) for asker in origin.askers]
