"""The load generator, against servers of a few lines whose latency is known."""

import random
import socket
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import islice

import pytest

from serving.bench.load import Plan, arrivals, build_request, run
from serving.bench.records import UNANSWERED, part_within
from serving.errors import ServerUnavailable

GOOD = b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"
BUSY = b"HTTP/1.1 503 Busy\r\nContent-Length: 4\r\n\r\nbusy"

Answer = Callable[[int], bytes]


@contextmanager
def server(answer: Answer) -> Iterator[tuple[int, list[bytes]]]:
    """Answers the n-th request on any connection with `answer(n)`; b"" hangs up."""
    seen: list[bytes] = []
    lock = threading.Lock()

    def talk(connection: socket.socket) -> None:
        with connection:
            while data := connection.recv(65536):
                with lock:
                    seen.append(data)
                    number = len(seen)
                told = answer(number)
                if not told:
                    return
                connection.sendall(told)

    def listen() -> None:
        while True:
            try:
                connection, _ = listener.accept()
            except OSError:
                return
            threading.Thread(target=talk, args=(connection,), daemon=True).start()

    with socket.create_server(("127.0.0.1", 0)) as listener:
        threading.Thread(target=listen, daemon=True).start()
        yield listener.getsockname()[1], seen
        listener.shutdown(socket.SHUT_RDWR)


def plan(port: int, seconds: float = 30.0, **fields: object) -> Plan:
    requests = tuple(build_request("h", "/p", body, {}) for body in (b"one", b"two"))
    defaults = {"clients": 1, "warmup_s": 0.0, "drain_s": 5.0}
    return Plan(port, requests, seconds=seconds, **{**defaults, **fields})  # type: ignore[arg-type]


def test_counted_requests_are_all_sent_and_take_turns() -> None:
    with server(lambda _: GOOD) as (port, seen):
        result = run(plan(port, count=5))
    assert [data[-3:] for data in seen] == [b"one", b"two", b"one", b"two", b"one"]
    assert seen[0].startswith(b"POST /p HTTP/1.1\r\nHost: h\r\nContent-Length: 3\r\n")
    assert len(result.latencies_ms) == result.completed == 5
    assert result.statuses == {200: 5}
    assert result.sample == b"ok"


def test_refusals_count_by_status_and_not_as_latencies() -> None:
    with server(lambda n: BUSY if n % 2 else GOOD) as (port, _):
        result = run(plan(port, count=6))
    assert result.statuses == {200: 3, 503: 3}
    assert result.completed == len(result.latencies_ms) == 3
    assert result.sample == b"busy"


def test_connection_that_breaks_is_an_answer_that_never_came() -> None:
    with server(lambda n: b"" if n == 2 else GOOD) as (port, _):
        result = run(plan(port, count=4))
    assert result.broken == 1
    assert [record.status for record in result.records].count(UNANSWERED) == 1


def test_open_loop_counts_from_the_moment_that_a_request_was_to_be_sent() -> None:
    # The first answer comes after 0.3 s, over the only connection: who was to be sent meanwhile
    # waited, although the server had not heard of it yet.
    def slow_at_first(number: int) -> bytes:
        time.sleep(0.3 if number == 1 else 0.0)
        return GOOD

    with server(slow_at_first) as (port, _):
        result = run(plan(port, seconds=0.25, rate=100.0, clients=1))
    due = [at for at in islice(arrivals(100.0, 1), 50) if at < 0.25]
    assert len(result.records) == len(due)
    assert all(record.latency_ms >= 300 - record.start_s * 1000 - 5 for record in result.records)
    assert result.completed == 0  # none of them came within the time that is measured


def test_what_is_not_answered_at_the_end_is_counted() -> None:
    def never(_: int) -> bytes:
        time.sleep(2)
        return GOOD

    with server(never) as (port, _):
        result = run(plan(port, seconds=0.1, clients=3, drain_s=0.05))
    assert result.broken == 3
    assert [record.status for record in result.records] == [UNANSWERED] * 3
    assert all(record.latency_ms >= 100 for record in result.records)


def test_batch_that_falls_across_the_end_counts_by_the_part_that_lies_within() -> None:
    # Four clients are answered together, after 0.4 s each time: 10 a second, of which a look of
    # 0.6 s sees four or eight answers.
    together = threading.Barrier(4)

    def in_batches(_: int) -> bytes:
        together.wait(5)
        time.sleep(0.4)
        return GOOD

    with server(in_batches) as (port, _):
        result = run(plan(port, seconds=0.6, clients=4))
    spans = [(r.start_s, r.start_s + r.latency_ms / 1000) for r in result.records]
    assert result.completed == pytest.approx(
        sum(part_within(*span, result.seconds) for span in spans)
    )
    assert result.completed < len(result.records)


def test_look_that_is_shorter_than_an_answer_goes_on_until_each_client_has_asked_again() -> None:
    def slow(_: int) -> bytes:
        time.sleep(0.2)
        return GOOD

    with server(slow) as (port, _):
        result = run(plan(port, seconds=0.1, warmup_s=0.05, clients=2))
    assert len(result.records) >= 2
    assert len(result.latencies_ms) == len(result.records)
    assert result.seconds > 0.1


@pytest.mark.parametrize(
    ("started", "ended", "part"),
    [(0, 2, 1.0), (-1, 1, 0.5), (3, 5, 0.5), (-1, 7, 0.5), (4, 6, 0.0), (-2, 0, 0.0), (1, 1, 1.0)],
)
def test_part_of_a_request_within_a_span(started: float, ended: float, part: float) -> None:
    assert part_within(started, ended, 4.0) == part


def test_warm_up_is_in_no_record() -> None:
    with server(lambda _: GOOD) as (port, _):
        result = run(plan(port, seconds=0.1, warmup_s=0.1))
    assert 0 < len(result.records) < sum(result.statuses.values())
    assert all(0 <= record.start_s <= 0.1 for record in result.records)


def test_nobody_there_is_told() -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
    with pytest.raises(ServerUnavailable, match="nothing answers"):
        run(plan(port))


def test_requests_of_an_open_loop_come_when_it_is_said() -> None:
    moments = (0.05, 0.1, 0.1, 0.2)
    with server(lambda _: GOOD) as (port, _):
        asked = plan(port, seconds=0.3, clients=4, rate=20.0, moments=moments)
        result = run(asked)
    assert sorted(r.start_s for r in result.records) == pytest.approx(moments)


def test_arrivals_are_those_of_the_seed_and_of_the_rate() -> None:
    chance = random.Random(7)
    gaps = [chance.expovariate(50.0) for _ in range(3)]
    expected = [gaps[0], gaps[0] + gaps[1], gaps[0] + gaps[1] + gaps[2]]
    assert list(islice(arrivals(50.0, 7), 3)) == pytest.approx(expected)
    # 10,000 exponential gaps have their mean within 4 % with far more than four nines.
    (last,) = islice(arrivals(50.0, 1), 9_999, 10_000)
    assert last == pytest.approx(200.0, rel=0.04)
