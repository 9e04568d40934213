import asyncio
import math
import time
from collections.abc import Callable, Coroutine, Sequence
from typing import Any

import pytest

from serving.batching.batcher import Batcher
from serving.batching.pending import Batch, BatchLimits, Pending, hold_until
from serving.batching.tasks import in_task
from serving.batching.waiting import LaunchReason
from serving.errors import (
    DeadlineExceeded,
    InferenceFailed,
    NoWorker,
    Overloaded,
    ServerUnavailable,
    ServingError,
    WorkerDied,
)

RunLeaping = Callable[[Coroutine[Any, Any, None]], None]


class Workers:
    """Answers each item with its negative after `seconds`, on as many batches as `capacity`."""

    def __init__(self, seconds: float = 1.0, capacity: int = 1) -> None:
        self.seconds = seconds
        self.capacity = capacity
        self.batches: list[list[int]] = []
        self.starts: list[float] = []

    async def run(self, batch: Batch[int, int]) -> Sequence[int | ServingError]:
        self.batches.append(list(batch.items))
        self.starts.append(round(asyncio.get_running_loop().time() - 1000, 6))
        await asyncio.sleep(self.seconds)
        return [-item for item in batch.items]


class Notes:
    def __init__(self) -> None:
        self.launches: list[tuple[int, LaunchReason]] = []
        self.waits: list[float] = []
        self.drops: list[str] = []

    def launched(self, waits_s: Sequence[float], reason: LaunchReason) -> None:
        self.launches.append((len(waits_s), reason))
        self.waits += [round(wait, 6) for wait in waits_s]

    def dropped(self, reason: str) -> None:
        self.drops.append(reason)


class Bench:
    """A batcher with its workers and its notes."""

    def __init__(
        self,
        workers: Workers,
        *,
        size: int = 4,
        delay_s: float = 0.1,
        queue_size: int = 100,
        **more: Any,
    ) -> None:
        self.workers = workers
        self.notes = Notes()
        limits = BatchLimits(size=size, delay_s=delay_s, queue_size=queue_size, **more)
        self.batcher: Batcher[int, int] = Batcher(
            in_task(workers.run), lambda: workers.capacity, limits, self.notes
        )

    def ask(
        self, item: int, *, key: str = "", within: float = 60.0, **more: Any
    ) -> asyncio.Task[int]:
        deadline = asyncio.get_running_loop().time() + within
        return asyncio.create_task(self.batcher.submit(item, key, deadline, **more))


def now() -> float:
    return round(asyncio.get_running_loop().time() - 1000, 6)


def test_lone_request_leaves_at_once(run_leaping: RunLeaping) -> None:
    async def main() -> None:
        bench = Bench(Workers(), delay_s=10)
        assert await bench.ask(1) == -1
        assert bench.workers.starts == [0]
        assert bench.notes.launches == [(1, "idle")]

    run_leaping(main())


def test_client_that_comes_back_alone_never_waits(run_leaping: RunLeaping) -> None:
    async def main() -> None:
        bench = Bench(Workers(), delay_s=10)
        for item in range(3):
            await bench.ask(item)
        assert bench.workers.starts == [0, 1, 2]

    run_leaping(main())


def test_items_of_one_moment_go_together_in_order(run_leaping: RunLeaping) -> None:
    async def main() -> None:
        bench = Bench(Workers())
        assert await asyncio.gather(*(bench.ask(item) for item in (1, 2, 3))) == [-1, -2, -3]
        assert bench.workers.batches == [[1, 2, 3]]

    run_leaping(main())


def test_batch_is_never_larger_than_the_limit(run_leaping: RunLeaping) -> None:
    async def main() -> None:
        bench = Bench(Workers(), size=2)
        await asyncio.gather(*(bench.ask(item) for item in range(5)))
        assert bench.workers.batches == [[0, 1], [2, 3], [4]]
        assert bench.notes.launches[0] == (2, "full")

    run_leaping(main())


def test_idle_workers_share_what_waits(run_leaping: RunLeaping) -> None:
    async def main() -> None:
        bench = Bench(Workers(capacity=2), size=8)
        await asyncio.gather(*(bench.ask(item) for item in range(6)))
        assert bench.workers.batches == [[0, 1, 2], [3, 4, 5]]
        assert bench.workers.starts == [0, 0]

    run_leaping(main())


def test_both_workers_work_for_as_many_clients_as_go_into_one_batch(
    run_leaping: RunLeaping,
) -> None:
    async def main() -> None:
        bench = Bench(Workers(capacity=2), size=4, delay_s=0.1)

        async def client() -> None:
            for item in range(10):
                await bench.ask(item)

        await asyncio.gather(*(client() for _ in range(4)))
        assert [len(batch) for batch in bench.workers.batches] == [2] * 20
        assert bench.workers.starts[-1] <= 9 + 9 * 0.1

    run_leaping(main())


def test_batch_waits_for_clients_who_were_just_answered(run_leaping: RunLeaping) -> None:
    async def main() -> None:
        bench = Bench(Workers(), size=4, delay_s=0.1)
        await asyncio.gather(bench.ask(1), bench.ask(2))
        first = bench.ask(3)
        await asyncio.sleep(0.05)
        await asyncio.gather(first, bench.ask(4))
        assert bench.workers.batches == [[1, 2], [3, 4]]
        assert bench.workers.starts == [0, 1.05]

    run_leaping(main())


def test_who_waited_for_a_worker_still_waits_for_company_that_is_worth_it(
    run_leaping: RunLeaping,
) -> None:
    async def main() -> None:
        bench = Bench(Workers(), size=4, delay_s=0.1)
        first = asyncio.gather(bench.ask(1), bench.ask(2))
        await asyncio.sleep(0.5)
        second = asyncio.gather(bench.ask(3), bench.ask(4))
        await first
        await asyncio.sleep(0.05)
        await asyncio.gather(second, bench.ask(1), bench.ask(2))
        assert bench.workers.batches == [[1, 2], [3, 4, 1, 2]]
        assert bench.workers.starts == [0, 1.05]

    run_leaping(main())


def test_who_waited_for_a_worker_waits_for_company_no_longer_than_the_delay(
    run_leaping: RunLeaping,
) -> None:
    async def main() -> None:
        bench = Bench(Workers(), size=4, delay_s=0.1)
        first = asyncio.gather(bench.ask(1), bench.ask(2))
        await asyncio.sleep(0.5)
        second = asyncio.gather(bench.ask(3), bench.ask(4))
        await first
        await second
        assert bench.workers.batches == [[1, 2], [3, 4]]
        assert bench.workers.starts == [0, 1.1]

    run_leaping(main())


def test_batch_waits_no_longer_than_the_delay(run_leaping: RunLeaping) -> None:
    async def main() -> None:
        bench = Bench(Workers(), size=4, delay_s=0.1)
        await asyncio.gather(bench.ask(1), bench.ask(2))
        await asyncio.sleep(0.04)
        await bench.ask(3)
        # the second client was answered at 1.0, so nobody is expected after 1.1
        assert bench.workers.starts == [0, 1.1]
        assert bench.notes.launches[-1] == (1, "idle")

    run_leaping(main())


def test_batch_does_not_wait_for_clients_who_take_longer_to_return_than_it_takes(
    run_leaping: RunLeaping,
) -> None:
    async def main() -> None:
        bench = Bench(Workers(seconds=0.01), size=4, delay_s=0.1)
        for _ in range(3):
            await asyncio.gather(bench.ask(1), bench.ask(2))
            await asyncio.sleep(0.05)
        began = now()
        first = bench.ask(3)
        await asyncio.sleep(0.005)
        await asyncio.gather(first, bench.ask(4))
        assert bench.workers.batches[3:] == [[3], [4]]
        assert bench.workers.starts[3] == began

    run_leaping(main())


def test_full_batch_begins_before_the_answers_of_the_last_are_told(
    run_leaping: RunLeaping,
) -> None:
    async def main() -> None:
        begun: list[Batch[int, int]] = []
        told_when: list[int] = []
        limits = BatchLimits(size=2, delay_s=0.1, queue_size=9)
        batcher: Batcher[int, int] = Batcher(begun.append, lambda: 1, limits, Notes())
        for item in range(4):
            batcher.put(Pending(item, "", 1000.0, 1060.0, lambda _: told_when.append(len(begun))))
        await asyncio.sleep(0)
        begun[0].finish([0, 0])
        assert told_when == [2, 2]
        begun[1].finish([0, 0])

    run_leaping(main())


def test_batch_never_waits_longer_than_the_oldest_items_budget(run_leaping: RunLeaping) -> None:
    async def main() -> None:
        bench = Bench(Workers(), size=4, delay_s=10)
        await asyncio.gather(*(bench.ask(item) for item in range(3)))
        assert await bench.ask(7, within=4) == -7
        # half of its four seconds, though two clients may still come back until 11
        assert bench.workers.starts == [0, 3]
        assert bench.notes.launches[-1] == (1, "delay")

    run_leaping(main())


def test_hold_is_the_shortest_budget_of_all() -> None:
    heard: list[int | ServingError] = []
    pendings: list[Pending[int, int]] = [
        Pending(1, "", 100.0, 160.0, heard.append),
        Pending(2, "", 100.01, 100.03, heard.append),
    ]
    assert hold_until(pendings, 0.5) == pytest.approx(100.02)
    assert hold_until(pendings[:1], 0.5) == pytest.approx(100.5)


def test_only_equal_keys_come_into_one_batch(run_leaping: RunLeaping) -> None:
    async def main() -> None:
        bench = Bench(Workers())
        await asyncio.gather(bench.ask(1, key="a"), bench.ask(2, key="b"), bench.ask(3, key="a"))
        assert bench.workers.batches == [[1, 3], [2]]

    run_leaping(main())


def test_full_group_does_not_wait_behind_a_group_that_is_held(run_leaping: RunLeaping) -> None:
    async def main() -> None:
        bench = Bench(Workers(), size=2, delay_s=10, wait="always")
        await asyncio.gather(*(bench.ask(item) for item in range(8)))
        held = bench.ask(10, key="a")
        await asyncio.gather(bench.ask(11, key="b"), bench.ask(12, key="b"))
        await held
        assert bench.workers.batches[-2:] == [[11, 12], [10]]

    run_leaping(main())


def test_late_item_is_dropped_before_inference(run_leaping: RunLeaping) -> None:
    async def main() -> None:
        bench = Bench(Workers(seconds=5))
        first = bench.ask(1)
        await asyncio.sleep(0.1)
        late = bench.ask(2, within=1)
        with pytest.raises(DeadlineExceeded, match="no answer came within 1 s"):
            await late
        assert now() == 1.1
        await first
        await bench.ask(3)
        assert bench.workers.batches == [[1], [3]]
        assert bench.notes.drops == ["deadline_exceeded"]

    run_leaping(main())


def test_item_is_late_even_when_its_timer_has_not_rung(run_leaping: RunLeaping) -> None:
    async def main() -> None:
        bench = Bench(Workers())
        late = bench.ask(1, within=0)
        good = bench.ask(2)
        with pytest.raises(DeadlineExceeded):
            await late
        await good
        assert bench.workers.batches == [[2]]
        assert bench.notes.drops == ["deadline_exceeded"]

    run_leaping(main())


def test_batch_of_late_items_only_is_no_batch(run_leaping: RunLeaping) -> None:
    async def main() -> None:
        bench = Bench(Workers())
        with pytest.raises(DeadlineExceeded):
            await bench.ask(1, within=0)
        assert bench.workers.batches == []
        assert bench.batcher.waiting == 0

    run_leaping(main())


def test_deadline_is_kept_while_the_item_is_being_run(run_leaping: RunLeaping) -> None:
    async def main() -> None:
        bench = Bench(Workers(seconds=5))
        with pytest.raises(DeadlineExceeded):
            await bench.ask(1, within=2)
        assert now() == 2
        assert bench.batcher.running == 1
        await bench.ask(2)
        assert bench.workers.starts == [0, 5]
        assert bench.notes.drops == []

    run_leaping(main())


def test_cancelled_item_is_dropped_before_inference(run_leaping: RunLeaping) -> None:
    async def main() -> None:
        bench = Bench(Workers(seconds=5))
        first = bench.ask(1)
        await asyncio.sleep(0)
        gone = bench.ask(2)
        await asyncio.sleep(1)
        gone.cancel()
        await asyncio.wait([gone])
        assert bench.batcher.waiting == 0
        await first
        assert bench.workers.batches == [[1]]
        assert bench.notes.drops == ["cancelled"]

    run_leaping(main())


def test_full_queue_refuses_and_says_so(run_leaping: RunLeaping) -> None:
    async def main() -> None:
        bench = Bench(Workers(), size=1, queue_size=2)
        running = bench.ask(0)
        await asyncio.sleep(0.1)
        waiting = [bench.ask(item) for item in (1, 2)]
        await asyncio.sleep(0.1)
        with pytest.raises(Overloaded, match="2 requests wait"):
            await bench.ask(3)
        assert await asyncio.gather(running, *waiting) == [0, -1, -2]
        assert bench.notes.drops == ["queue_full"]

    run_leaping(main())


@pytest.mark.parametrize(
    ("seconds", "capacity", "queue_size", "expected"),
    [
        (5.0, 1, 4, 10.0),  # two batches of two, one after the other
        (5.0, 2, 4, 5.0),  # at the same time
        (0.02, 1, 4, 0.1),
        (5.0, 1, 40, 30.0),
    ],
    ids=["slow", "two workers", "not at once", "not too late"],
)
def test_who_is_refused_learns_how_long_the_queue_takes(
    run_leaping: RunLeaping, seconds: float, capacity: int, queue_size: int, expected: float
) -> None:
    async def main() -> None:
        workers = Workers(seconds, capacity)
        bench = Bench(workers, size=2, queue_size=queue_size, wait="never")
        await bench.ask(0)
        asked = [bench.ask(item, within=1000) for item in range(2 * capacity)]
        await asyncio.sleep(seconds / 10)
        asked += [bench.ask(item, within=1000) for item in range(queue_size)]
        await asyncio.sleep(seconds / 10)
        with pytest.raises(Overloaded) as refused:
            await bench.ask(1)
        assert refused.value.retry_after_s == pytest.approx(expected)
        await asyncio.gather(*asked)

    run_leaping(main())


def test_expired_items_leave_room_in_the_queue(run_leaping: RunLeaping) -> None:
    async def main() -> None:
        bench = Bench(Workers(seconds=5), queue_size=1)
        first = bench.ask(0)
        await asyncio.sleep(0.1)
        with pytest.raises(DeadlineExceeded):
            await bench.ask(1, within=1)
        second = bench.ask(2)
        assert [await first, await second] == [0, -2]

    run_leaping(main())


def test_items_wait_while_there_is_no_capacity(run_leaping: RunLeaping) -> None:
    async def main() -> None:
        bench = Bench(Workers(capacity=0))
        asked = bench.ask(1)
        await asyncio.sleep(3)
        assert bench.batcher.waiting == 1
        bench.workers.capacity = 1
        bench.batcher.wake()
        assert await asked == -1
        assert bench.notes.waits == [3]

    run_leaping(main())


def test_waiting_items_can_be_told_that_nobody_comes(run_leaping: RunLeaping) -> None:
    async def main() -> None:
        bench = Bench(Workers(capacity=0))
        asked = [bench.ask(1), bench.ask(2, key="other")]
        await asyncio.sleep(0)
        bench.batcher.fail_waiting(NoWorker("it cannot be loaded"))
        for each in asked:
            with pytest.raises(NoWorker):
                await each
        assert bench.notes.drops == ["no_worker", "no_worker"]
        assert bench.batcher.waiting == 0

    run_leaping(main())


def test_settled_item_that_still_stands_in_the_queue_is_not_run(run_leaping: RunLeaping) -> None:
    async def main() -> None:
        bench = Bench(Workers())
        asked = bench.ask(1)
        await asyncio.sleep(0)  # it has queued, the pump is due
        bench.batcher.fail_waiting(NoWorker("gone"))
        with pytest.raises(NoWorker):
            await asked
        assert bench.workers.batches == []
        assert bench.notes.drops == ["no_worker"]

    run_leaping(main())


@pytest.mark.parametrize(
    ("error", "kind", "text"),
    [
        (WorkerDied("killed"), WorkerDied, "killed"),
        (ZeroDivisionError("oh"), InferenceFailed, "ZeroDivisionError: oh"),
    ],
    ids=["typed", "untyped"],
)
def test_error_of_a_run_reaches_exactly_its_items(
    run_leaping: RunLeaping, error: Exception, kind: type[ServingError], text: str
) -> None:
    class Failing(Workers):
        async def run(self, batch: Batch[int, int]) -> Sequence[int | ServingError]:
            results = await super().run(batch)
            if 1 in batch.items:
                raise error
            return results

    async def main() -> None:
        bench = Bench(Failing(capacity=2), size=2)
        asked = [bench.ask(item) for item in (1, 2, 3, 4)]
        results = await asyncio.gather(*asked, return_exceptions=True)
        assert bench.workers.batches == [[1, 2], [3, 4]]
        assert [type(result) for result in results[:2]] == [kind, kind]
        assert str(results[0]) == text
        assert results[2:] == [-3, -4]

    run_leaping(main())


def test_one_items_error_is_its_own(run_leaping: RunLeaping) -> None:
    class Picky(Workers):
        async def run(self, batch: Batch[int, int]) -> Sequence[int | ServingError]:
            return [InferenceFailed("odd") if item % 2 else -item for item in batch.items]

    async def main() -> None:
        bench = Bench(Picky())
        asked = [bench.ask(item) for item in (1, 2)]
        results = await asyncio.gather(*asked, return_exceptions=True)
        assert isinstance(results[0], InferenceFailed)
        assert results[1] == -2

    run_leaping(main())


def test_wrong_number_of_results_fails_the_batch(run_leaping: RunLeaping) -> None:
    class Short(Workers):
        async def run(self, batch: Batch[int, int]) -> Sequence[int | ServingError]:
            return [0]

    async def main() -> None:
        bench = Bench(Short())
        asked = [bench.ask(item) for item in (1, 2)]
        results = await asyncio.gather(*asked, return_exceptions=True)
        assert [str(result) for result in results] == ["1 results came for 2 items"] * 2

    run_leaping(main())


def test_stop_finishes_what_runs_and_refuses_the_rest(run_leaping: RunLeaping) -> None:
    async def main() -> None:
        bench = Bench(Workers(seconds=2), size=1)
        running, waiting = bench.ask(1), bench.ask(2)
        await asyncio.sleep(0.1)
        await bench.batcher.stop(grace_s=5)
        assert now() == 2
        assert await running == -1
        for late in (waiting, bench.ask(3)):
            with pytest.raises(ServerUnavailable, match="stopping"):
                await late
        assert bench.notes.drops == ["server_unavailable"]

    run_leaping(main())


def test_stop_does_not_wait_longer_than_its_grace(run_leaping: RunLeaping) -> None:
    async def main() -> None:
        bench = Bench(Workers(seconds=100))
        running = bench.ask(1)
        await asyncio.sleep(0.1)
        await bench.batcher.stop(grace_s=3)
        assert now() == 3.1
        with pytest.raises(ServerUnavailable):
            await running

    run_leaping(main())


def test_idle_batcher_stops_at_once(run_leaping: RunLeaping) -> None:
    async def main() -> None:
        await Bench(Workers()).batcher.stop(grace_s=3)
        assert now() == 0

    run_leaping(main())


def test_constructing_a_batcher_starts_nothing() -> None:
    Bench(Workers())  # without an event loop


def test_higher_priority_goes_first_and_equals_keep_their_order(run_leaping: RunLeaping) -> None:
    async def main() -> None:
        bench = Bench(Workers(), size=1)
        running = bench.ask(0)
        await asyncio.sleep(0.1)
        items = ((1, 0), (2, 5), (3, -1), (4, 5), (5, 0))
        waiting = [bench.ask(item, priority=priority) for item, priority in items]
        await asyncio.gather(running, *waiting)
        assert bench.workers.batches == [[0], [2], [4], [1], [5], [3]]

    run_leaping(main())


def test_low_priority_waits_a_second_for_each_step_and_not_for_ever(
    run_leaping: RunLeaping,
) -> None:
    async def main() -> None:
        bench = Bench(Workers(seconds=1), size=1)
        tasks = [bench.ask(0)]
        await asyncio.sleep(0.1)
        tasks.append(bench.ask(100, priority=0))
        for item in range(1, 7):
            # somebody of a priority three higher is there whenever the worker gets free
            tasks.append(bench.ask(item, priority=3))
            await asyncio.sleep(0.9 if item == 1 else 1)
        await asyncio.gather(*tasks)
        # Those who came less than three seconds later (0.1, 1.0, 2.0, 3.0) go first, no other.
        assert bench.workers.batches == [[0], [1], [2], [3], [4], [100], [5], [6]]

    run_leaping(main())


def test_priority_counts_between_groups_too(run_leaping: RunLeaping) -> None:
    async def main() -> None:
        bench = Bench(Workers(), size=2)
        running = bench.ask(0)
        await asyncio.sleep(0.1)
        waiting = [bench.ask(1, key="a"), bench.ask(2, key="b", priority=1)]
        await asyncio.gather(running, *waiting)
        assert bench.workers.batches == [[0], [2], [1]]

    run_leaping(main())


@pytest.mark.parametrize(
    ("waiting", "batches"),
    [(3, [2, 1]), (5, [4, 1]), (7, [4, 2, 1]), (8, [8]), (9, [8, 1])],
)
def test_batch_is_cut_to_a_preferred_size(
    run_leaping: RunLeaping, waiting: int, batches: list[int]
) -> None:
    async def main() -> None:
        bench = Bench(Workers(), size=8, preferred_sizes=(2, 4))
        await asyncio.gather(*(bench.ask(item) for item in range(waiting)))
        assert list(map(len, bench.workers.batches)) == batches

    run_leaping(main())


def test_batch_never_waits_where_that_was_asked_for(run_leaping: RunLeaping) -> None:
    async def main() -> None:
        bench = Bench(Workers(), size=4, delay_s=10, wait="never")
        await asyncio.gather(bench.ask(1), bench.ask(2))
        # two clients may come back, but nobody waits for them
        await bench.ask(3)
        assert bench.workers.starts == [0, 1]
        assert bench.notes.launches[-1] == (1, "idle")

    run_leaping(main())


def test_batch_always_waits_where_that_was_asked_for(run_leaping: RunLeaping) -> None:
    async def main() -> None:
        bench = Bench(Workers(), size=4, delay_s=0.5, wait="always")
        await bench.ask(1)
        assert bench.workers.starts == [0.5]
        assert bench.notes.launches == [(1, "delay")]
        await asyncio.gather(*(bench.ask(item) for item in range(4)))
        assert bench.workers.starts == [0.5, 1.5]

    run_leaping(main())


def test_nobody_waits_where_only_the_idle_take_work(run_leaping: RunLeaping) -> None:
    async def main() -> None:
        bench = Bench(Workers(capacity=2), size=1, needs_idle=True)
        first, second = bench.ask(1), bench.ask(2)
        await asyncio.sleep(0.1)
        with pytest.raises(Overloaded, match="every worker is busy"):
            await bench.ask(3)
        await asyncio.gather(first, second)
        assert await bench.ask(4) == -4
        assert bench.notes.drops == ["queue_full"]

    run_leaping(main())


def test_one_of_each_sequence_goes_into_a_batch(run_leaping: RunLeaping) -> None:
    async def main() -> None:
        bench = Bench(Workers(), size=4)
        asked = [(1, "a"), (2, "a"), (3, "b"), (4, None), (5, "a")]
        await asyncio.gather(*(bench.ask(item, sequence=name) for item, name in asked))
        assert bench.workers.batches == [[1, 3, 4], [2], [5]]

    run_leaping(main())


def test_item_may_be_answered_before_its_batch_is_done(run_leaping: RunLeaping) -> None:
    class Early(Workers):
        async def run(self, batch: Batch[int, int]) -> Sequence[int | ServingError]:
            assert batch.settle(1, 77)
            assert not batch.settle(1, 78)
            return await super().run(batch)

    async def main() -> None:
        bench = Bench(Early(seconds=5))
        first, second = bench.ask(1), bench.ask(2)
        assert await second == 77
        assert now() == 0
        assert await first == -1
        assert now() == 5

    run_leaping(main())


def test_drain_answers_what_is_here_and_takes_no_more(run_leaping: RunLeaping) -> None:
    async def main() -> None:
        bench = Bench(Workers(seconds=2), size=1)
        asked = [bench.ask(item) for item in (1, 2, 3)]
        await asyncio.sleep(0.1)
        draining = asyncio.create_task(bench.batcher.drain(grace_s=60))
        await asyncio.sleep(0.1)
        with pytest.raises(ServerUnavailable):
            await bench.ask(4)
        await draining
        assert now() == 6
        assert await asyncio.gather(*asked) == [-1, -2, -3]

    run_leaping(main())


def test_drain_does_not_take_longer_than_its_grace(run_leaping: RunLeaping) -> None:
    async def main() -> None:
        bench = Bench(Workers(seconds=2), size=1)
        asked = [bench.ask(item) for item in (1, 2, 3)]
        await asyncio.sleep(0.1)
        await bench.batcher.drain(grace_s=2.9)
        assert now() == 3
        results = await asyncio.gather(*asked, return_exceptions=True)
        assert results[0] == -1
        assert all(isinstance(result, ServerUnavailable) for result in results[1:])

    run_leaping(main())


def test_longest_wait_is_known(run_leaping: RunLeaping) -> None:
    async def main() -> None:
        bench = Bench(Workers(seconds=5), size=1)
        assert bench.batcher.oldest_wait_s() == 0
        first = bench.ask(0)
        await asyncio.sleep(1)
        waiting = [bench.ask(1), bench.ask(2, priority=9, key="other")]
        await asyncio.sleep(2)
        assert bench.batcher.oldest_wait_s() == pytest.approx(2)
        await asyncio.gather(first, *waiting)

    run_leaping(main())


async def test_real_clock_and_many_clients() -> None:
    workers = Workers(seconds=0.001, capacity=2)
    bench = Bench(workers, size=4, delay_s=0.005)

    async def client(first: int) -> None:
        for item in range(first, first + 20):
            assert await bench.batcher.submit(item, "", time.monotonic() + 10) == -item

    await asyncio.gather(*(client(first * 100) for first in range(8)))
    assert sum(map(len, workers.batches)) == 160
    assert max(map(len, workers.batches)) <= 4
    assert sorted(item for batch in workers.batches for item in batch) == sorted(
        first * 100 + item for first in range(8) for item in range(20)
    )
    assert not math.isnan(max(bench.notes.waits))


def test_many_deadlines_come_each_at_its_time(run_leaping: RunLeaping) -> None:
    async def main() -> None:
        bench = Bench(Workers(seconds=100), size=1)
        late: list[tuple[int, float]] = []

        async def ask(item: int, within: float) -> None:
            with pytest.raises(DeadlineExceeded):
                await bench.ask(item, within=within)
            late.append((item, now()))

        await asyncio.gather(*(ask(item, within) for item, within in enumerate((5, 3, 4, 3, 9))))
        assert late == [(1, 3), (3, 3), (2, 4), (0, 5), (4, 9)]

    run_leaping(main())


def test_who_waits_without_a_task_hears_it_once(run_leaping: RunLeaping) -> None:
    async def main() -> None:
        bench = Bench(Workers(), size=2)
        heard: list[int | ServingError] = []
        at = asyncio.get_running_loop().time()
        pendings: list[Pending[int, int]] = [
            Pending(item, "", at, at + 60, heard.append) for item in (1, 2, 3, 4)
        ]
        for pending in pendings:
            bench.batcher.put(pending)
        gone = pendings[3]
        bench.batcher.cancel(gone)
        bench.batcher.cancel(gone)
        assert heard == []
        await asyncio.sleep(10)
        assert heard == [-1, -2, -3]
        assert bench.workers.batches == [[1, 2], [3]]
        assert bench.notes.drops == ["cancelled"]

    run_leaping(main())


def test_who_cannot_take_a_result_takes_it_from_nobody_else(run_leaping: RunLeaping) -> None:
    async def main() -> None:
        bench = Bench(Workers(), size=3)
        heard: list[int | ServingError] = []

        def fail(result: int | ServingError) -> None:
            raise ArithmeticError("on purpose")

        at = asyncio.get_running_loop().time()
        for item, take in ((1, heard.append), (2, fail), (3, heard.append)):
            bench.batcher.put(Pending(item, "", at, at + 60, take))
        await asyncio.sleep(10)
        assert heard == [-1, -3]
        assert await bench.ask(4) == -4

    run_leaping(main())


def test_who_gives_up_on_a_batch_is_told_so_once(run_leaping: RunLeaping) -> None:
    async def main() -> None:
        given_up: list[str] = []
        begun: list[Batch[int, int]] = []

        def begin(batch: Batch[int, int]) -> None:
            batch.give_up = lambda: given_up.append("given up")
            begun.append(batch)

        limits = BatchLimits(size=2, delay_s=0, queue_size=9)
        batcher: Batcher[int, int] = Batcher(begin, lambda: 1, limits, Notes())
        deadline = asyncio.get_running_loop().time() + 60
        asked = asyncio.create_task(batcher.submit(1, "", deadline))
        await asyncio.sleep(1)
        await batcher.stop(grace_s=5)
        begun[0].finish([7])
        with pytest.raises(ServerUnavailable):
            await asked
        assert given_up == ["given up"]

    run_leaping(main())
