from collections.abc import Callable
from types import SimpleNamespace

import pytest

from serving.batching.sequences import SequenceLimits, SequenceMark, SequenceTable
from serving.errors import BadInput, Overloaded, WorkerDied
from serving.protocol.exchange import RawRequest
from serving.registry.lanes import SEQUENCE_HEADERS, mark_of

Table = Callable[..., SequenceTable]


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> SimpleNamespace:
    clock = SimpleNamespace(now=100.0)
    time = SimpleNamespace(monotonic=lambda: clock.now)
    monkeypatch.setattr("serving.batching.sequences.time", time)
    return clock


def table(
    most: int = 8,
    queue_size: int = 4,
    max_idle_s: float | None = None,
    timeout_s: float | None = None,
) -> SequenceTable:
    limits = SequenceLimits(
        most=most, queue_size=queue_size, max_idle_s=max_idle_s, timeout_s=timeout_s
    )
    return SequenceTable(limits)


def visit(sequences: SequenceTable, name: str, *, end: bool = False) -> int:
    mark = SequenceMark(name, is_end=end)
    lane = sequences.enter(mark, [0, 1])
    sequences.leave(mark)
    return lane


def test_sequence_stays_on_its_lane_and_new_ones_take_the_emptiest() -> None:
    sequences = table()
    assert [visit(sequences, name) for name in "abcd"] == [0, 1, 0, 1]
    assert [visit(sequences, name) for name in "dcba"] == [1, 0, 1, 0]


def test_sequence_ends_with_the_answer_to_its_last_request() -> None:
    sequences = table()
    first, last = SequenceMark("a", is_start=True), SequenceMark("a", is_end=True)
    sequences.enter(first, [0])
    sequences.enter(last, [0])
    sequences.leave(first)
    assert len(sequences) == 1
    sequences.leave(last)
    assert len(sequences) == 0
    sequences.leave(last)  # harmless


def test_there_are_no_more_sequences_than_allowed() -> None:
    sequences = table(most=1)
    visit(sequences, "a")
    with pytest.raises(Overloaded, match="1 sequences are under way"):
        visit(sequences, "b")
    visit(sequences, "a", end=True)
    visit(sequences, "b")


def test_one_sequence_may_not_fill_the_queue() -> None:
    sequences = table(queue_size=2)
    for _ in range(2):
        sequences.enter(SequenceMark("a"), [0])
    with pytest.raises(Overloaded, match="2 requests of sequence a wait already"):
        sequences.enter(SequenceMark("a"), [0])
    assert sequences.enter(SequenceMark("b"), [0]) == 0


def test_idle_sequence_is_forgotten(clock: SimpleNamespace) -> None:
    sequences = table(max_idle_s=10)
    visit(sequences, "a")
    sequences.enter(SequenceMark("b"), [0])
    clock.now += 9
    visit(sequences, "a")
    clock.now += 9
    assert len(sequences) == 2
    clock.now += 2
    assert len(sequences) == 1, "b waits for its answer and stays"


def test_sequence_does_not_live_for_ever(clock: SimpleNamespace) -> None:
    sequences = table(timeout_s=10)
    for _ in range(3):
        visit(sequences, "a")
        clock.now += 5
    assert len(sequences) == 0


def test_who_goes_on_with_a_sequence_that_was_given_up_is_told_so_once(
    clock: SimpleNamespace,
) -> None:
    sequences = table(max_idle_s=10)
    visit(sequences, "a")
    visit(sequences, "b")
    clock.now += 11
    with pytest.raises(BadInput, match="sequence a was given up, for it was idle or too old"):
        visit(sequences, "a")
    visit(sequences, "a")
    assert sequences.enter(SequenceMark("b", is_start=True), [0]) == 0


def test_loss_of_a_worker_is_told_once_unless_the_sequence_begins_anew() -> None:
    sequences = table()
    visit(sequences, "a"), visit(sequences, "b"), visit(sequences, "c")
    sequences.lose(0)
    with pytest.raises(WorkerDied, match="held sequence a ended: begin it anew"):
        visit(sequences, "a")
    assert visit(sequences, "a") == 0
    assert visit(sequences, "b") == 1
    mark = SequenceMark("c", is_start=True)
    assert sequences.enter(mark, [0, 1]) in (0, 1)


def test_losses_that_nobody_asks_for_are_forgotten() -> None:
    sequences = table(most=1)
    for number in range(40):
        visit(sequences, str(number))
        sequences.lose(0)
    visit(sequences, "0")  # its loss is forgotten, so it begins
    assert len(sequences) == 1


def test_request_says_its_sequence_in_headers() -> None:
    headers = {
        "ts_request_sequence_id": "s1",
        "ts_request_sequence_start": "True",
        "ts_request_sequence_end": "false",
    }
    request = RawRequest({}, headers=headers)
    assert mark_of(request, SEQUENCE_HEADERS) == SequenceMark("s1", is_start=True)
    assert mark_of(RawRequest({}), SEQUENCE_HEADERS) is None
    assert mark_of({}, SEQUENCE_HEADERS) is None
