"""What holds of the batcher whatever comes: random items, times, priorities and departures."""

import asyncio
import contextlib
from collections.abc import Callable, Coroutine, Sequence
from dataclasses import dataclass
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from serving.batching.batcher import Batcher
from serving.batching.pending import Batch, BatchLimits
from serving.batching.tasks import in_task
from serving.batching.waiting import LaunchReason
from serving.errors import DeadlineExceeded, Overloaded, ServingError

RunLeaping = Callable[[Coroutine[Any, Any, None]], None]


@dataclass(frozen=True)
class Visit:
    """One request: when it comes, what it is, and how long its client waits (seconds)."""

    number: int
    at: float
    key: str
    patience: float
    priority: int
    hangs_up_after: float | None


times = st.integers(0, 200).map(lambda ticks: ticks / 20)
visits = st.lists(
    st.builds(
        Visit,
        number=st.just(0),
        at=times,
        key=st.sampled_from("ab"),
        patience=st.sampled_from([0.3, 1.0, 30.0]),
        priority=st.sampled_from([0, 0, 0, 2]),
        hangs_up_after=st.sampled_from([None, None, None, 0.2]),
    ),
    max_size=16,
)
limits = st.builds(
    BatchLimits,
    size=st.integers(1, 4),
    delay_s=st.sampled_from([0.0, 0.1, 0.5]),
    queue_size=st.integers(1, 30),
    preferred_sizes=st.sampled_from([(), (2,)]),
    wait=st.sampled_from(["expected", "never", "always"]),
)


class Nobody:
    def launched(self, waits_s: Sequence[float], reason: LaunchReason) -> None: ...

    def dropped(self, reason: str) -> None: ...


class Record:
    """Runs batches, each for half a second, and notes which and when."""

    def __init__(self) -> None:
        self.batches: list[tuple[float, list[Visit]]] = []
        self.under_way = 0
        self.most_under_way = 0

    async def run(self, batch: Batch[Visit, int]) -> Sequence[int | ServingError]:
        self.batches.append((asyncio.get_running_loop().time(), list(batch.items)))
        self.under_way += 1
        self.most_under_way = max(self.most_under_way, self.under_way)
        await asyncio.sleep(0.5)
        self.under_way -= 1
        return [item.number for item in batch.items]


async def play(
    plan: Sequence[Visit], kept: BatchLimits, workers: int
) -> tuple[Record, dict[Visit, object], float]:
    """What ran, and what each client was told."""
    record = Record()
    told: dict[Visit, object] = {}
    begun = asyncio.get_running_loop().time()
    batcher: Batcher[Visit, int] = Batcher(in_task(record.run), lambda: workers, kept, Nobody())

    async def client(visit: Visit) -> None:
        await asyncio.sleep(visit.at)
        deadline = asyncio.get_running_loop().time() + visit.patience
        try:
            async with asyncio.timeout(visit.hangs_up_after):
                told[visit] = await batcher.submit(
                    visit, visit.key, deadline, priority=visit.priority
                )
        except (TimeoutError, ServingError) as error:
            told[visit] = error

    await asyncio.gather(*map(client, plan))
    with contextlib.suppress(TimeoutError):
        await asyncio.wait_for(batcher.drain(grace_s=5), 10)
    assert (batcher.waiting, batcher.running) == (0, 0)
    return record, told, begun


@settings(
    deadline=None,
    max_examples=60,
    # The clock of the fixture is new for each loop, which each example makes.
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
@given(drawn=visits, kept=limits, workers=st.integers(1, 3))
def test_laws_of_the_batcher(
    run_leaping: RunLeaping, drawn: list[Visit], kept: BatchLimits, workers: int
) -> None:
    plan = [
        Visit(number, v.at, v.key, v.patience, v.priority, v.hangs_up_after)
        for number, v in enumerate(drawn)
    ]

    async def main() -> None:
        record, told, begun = await play(plan, kept, workers)
        assert record.most_under_way <= workers
        ran = [visit for _, batch in record.batches for visit in batch]
        assert len(ran) == len(set(ran)), "nobody is run twice"
        for at, batch in record.batches:
            assert 1 <= len(batch) <= kept.size
            assert len({visit.key for visit in batch}) == 1
            for visit in batch:
                waited = at - begun - visit.at
                assert waited <= visit.patience + 1e-6, "nobody is run after his time"
                if visit.hangs_up_after is not None:
                    assert waited <= visit.hangs_up_after + 1e-6, "nor after he hung up"
        for visit in plan:
            answer = told[visit]
            if isinstance(answer, Overloaded):
                assert visit not in ran, "who was refused is not run"
            elif not isinstance(answer, TimeoutError | DeadlineExceeded):
                assert answer == visit.number, "everybody gets his own answer"
        for key in "ab":
            arrivals = [v.at for v in ran if v.key == key and v.priority == 0]
            assert arrivals == sorted(arrivals), "first come, first run"

    run_leaping(main())


def test_the_laws_are_about_something(run_leaping: RunLeaping) -> None:
    async def main() -> None:
        plan = [Visit(number, 0.0, "a", 30.0, 0, None) for number in range(5)]
        kept = BatchLimits(size=2, delay_s=0.0, queue_size=30)
        record, told, _ = await play(plan, kept, workers=1)
        assert [len(batch) for _, batch in record.batches] == [2, 2, 1]
        assert [told[visit] for visit in plan] == pytest.approx([0, 1, 2, 3, 4])

    run_leaping(main())
