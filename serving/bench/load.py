"""The one load generator: HTTP/1.1 over sockets, in one thread of the caller.

Closed loop: so many clients, each of which asks again when it is answered. Open loop: arrivals by a
Poisson process, whether or not the ones before are answered; a latency is counted from the
scheduled arrival, so that a server that stalls cannot slow its own load down (what is called
coordinated omission), and what is not answered at the end is counted as not answered.
"""

import random
import selectors
import time
from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass

from serving.bench.connection import Connection
from serving.bench.records import UNANSWERED, Record, Result, is_good, part_within
from serving.errors import ServerUnavailable

__all__ = ("Plan", "arrivals", "build_request", "run")

_READ, _WRITE = selectors.EVENT_READ, selectors.EVENT_WRITE
_NEVER = float("inf")

_PATIENCE = 4.0
"""How many times longer than planned a closed loop is watched that hardly answers."""


@dataclass(frozen=True)
class Plan:
    """What is asked, and how often.

    Attributes:
        port: of the server.
        requests: the bytes of each request; they take turns.
        clients: connections; in an open loop the most there may be.
        seconds: how long is measured; in a closed loop up to four times as long, until as many
            requests have begun as there are clients.
        warmup_s: how long before that.
        rate: arrivals a second; None: a closed loop.
        moments: of the arrivals of an open loop, seconds from the warm-up on, ascending; None: by
            chance, at that rate.
        count: requests after the warm-up, where the time is not over before; None: as many as fit.
        seed: of the arrivals.
        drain_s: how long after the end answers are waited for, seconds.
        host: of the server.
    """

    port: int
    requests: tuple[bytes, ...]
    clients: int
    seconds: float
    warmup_s: float = 0.5
    rate: float | None = None
    moments: tuple[float, ...] | None = None
    count: int | None = None
    seed: int = 1
    drain_s: float = 10.0
    host: str = "127.0.0.1"


def build_request(
    place: str, path: str, body: bytes, headers: dict[str, str], method: str = "POST"
) -> bytes:
    """The bytes of a request.

    Args:
        place: of the server, `host:port`.
        path: of the request.
        body: of the request.
        headers: beside those of place and length.
        method: of the request.
    """
    lines = [f"{method} {path} HTTP/1.1", f"Host: {place}", f"Content-Length: {len(body)}"]
    lines += [f"{name}: {value}" for name, value in headers.items()]
    return "\r\n".join([*lines, "", ""]).encode() + body


def arrivals(rate: float, seed: int) -> Iterator[float]:
    """Moments of a Poisson process, seconds from now, without end.

    Args:
        rate: a second, > 0.
        seed: the same gives the same moments.
    """
    chance, at = random.Random(seed), 0.0  # nosec B311: moments are no secrets
    while True:
        at += chance.expovariate(rate)
        yield at


def run(plan: Plan) -> Result:
    """Carry a plan out; blocks until its time is over and what is under way is answered.

    Raises:
        ServerUnavailable: when the server takes no connections.
    """
    try:
        return _Run(plan).carry_out()
    except OSError as error:
        msg = f"nothing answers at {plan.host}:{plan.port}: {error}"
        raise ServerUnavailable(msg) from error


class _Run:
    """A plan being carried out."""

    def __init__(self, plan: Plan) -> None:
        self.plan = plan
        self.result = Result()
        self.selector = selectors.DefaultSelector()
        self.clients: set[Connection] = set()
        self.idle: list[Connection] = []
        self.due: deque[float] = deque()
        self.sent = self.counted = 0
        self.good: list[tuple[float, float]] = []
        self.begin = time.perf_counter()
        self.measured_from = self.begin + plan.warmup_s
        self.end = self.measured_from + plan.seconds
        self.latest = self.measured_from + _PATIENCE * plan.seconds

    def carry_out(self) -> Result:
        worked_from = time.process_time()
        try:
            self._send_until_end()
            ended = time.perf_counter()
            self.end = max(self.end, ended) if self._is_closed else self.end
            self.result.busy = (time.process_time() - worked_from) / (ended - self.begin)
            self._drain(ended + self.plan.drain_s)
        finally:
            for client in self.clients:
                client.close()
            self.selector.close()
        until = self.end if self.plan.count is None else time.perf_counter()
        self.result.seconds = until - self.measured_from
        self.result.completed = sum(self._share(*span, until) for span in self.good)
        return self.result

    @property
    def _is_closed(self) -> bool:
        return self.plan.rate is None and self.plan.count is None

    def _send_until_end(self) -> None:
        upcoming = self._arrivals()
        next_at = next(upcoming)
        for _ in range(self.plan.clients if self.plan.rate is None else 1):
            self._open()
        while not self._is_over(time.perf_counter()):
            now = time.perf_counter()
            while next_at <= now:
                self.due.append(next_at)
                next_at = next(upcoming)
            self._start_due()
            self._wait(min(next_at, self.end if now < self.end else self.latest))
        while self.plan.count is None and next_at < self.end:
            # Due as well, though this process was held up: to leave it out would flatter.
            self.due.append(next_at)
            next_at = next(upcoming)

    def _is_over(self, now: float) -> bool:
        if self.plan.count is not None and self.counted >= self.plan.count:
            return True
        if now < self.end or not self._is_closed or self.counted >= self.plan.clients:
            return now >= self.end
        # In less time than an answer takes nothing is seen.
        return now >= self.latest

    def _drain(self, until: float) -> None:
        """Wait for what is under way; what is not answered then never was."""
        while len(self.idle) < len(self.clients) or self.due:
            if time.perf_counter() >= until:
                break
            self._start_due()
            self._wait(until)
        now = time.perf_counter()
        waiting = [client.started for client in self.clients if client.is_busy]
        for at in (*waiting, *self.due):
            self.result.broken += 1
            self._keep(at, now, UNANSWERED)

    def _wait(self, until: float) -> None:
        wait_s = max(until - time.perf_counter(), 0.0)
        for key, events in self.selector.select(wait_s):
            self._serve(key.data, events)

    def _arrivals(self) -> Iterator[float]:
        """When requests are to be sent: for ever at once, when it is said, or by chance."""
        if self.plan.rate is None:
            yield from [self.begin] * self.plan.clients
            while True:
                yield _NEVER
        told = self.plan.moments
        moments = arrivals(self.plan.rate, self.plan.seed) if told is None else told
        for at in moments:
            yield self.begin + at
        while True:
            yield _NEVER

    def _open(self) -> None:
        client = Connection(self.plan.host, self.plan.port)
        self.clients.add(client)
        self.selector.register(client.socket, _READ, client)
        self.idle.append(client)

    def _start_due(self) -> None:
        while self.due and (self.idle or len(self.clients) < self.plan.clients):
            if self.plan.count is not None and self.counted >= self.plan.count:
                self.due.clear()
                return
            if not self.idle:
                self._open()
            self._start(self.idle.pop(), self.due.popleft())

    def _start(self, client: Connection, at: float) -> None:
        request = self.plan.requests[self.sent % len(self.plan.requests)]
        self.sent += 1
        self.counted += at >= self.measured_from
        if not client.start(request, at):
            self.selector.modify(client.socket, _READ | _WRITE, client)

    def _serve(self, client: Connection, events: int) -> None:
        try:
            if events & _WRITE and client.send():
                self.selector.modify(client.socket, _READ, client)
            if not events & _READ or not client.receive():
                return
        except BlockingIOError:
            return
        except ConnectionError:
            if client.is_busy:
                self.result.broken += 1
                self._keep(client.started, time.perf_counter(), UNANSWERED)
            self._replace(client)
            return
        self._note(client, time.perf_counter())

    def _note(self, client: Connection, now: float) -> None:
        status = client.status
        self.result.statuses[status] += 1
        self._keep(client.started, now, status)
        if is_good(status):
            self.good.append((client.started, now))
        if not self.result.sample or not is_good(status):
            self.result.sample = client.body[:80]
        client.is_busy = False
        if client.is_closing:
            self._replace(client)
        else:
            self._go_on(client, now)

    def _share(self, started: float, ended: float, until: float) -> float:
        """How much of an answer belongs to the time that is measured, in [0, 1]."""
        if self._is_closed:
            return part_within(started, ended, until, self.measured_from)
        return float(self.measured_from <= ended <= until)

    def _keep(self, started: float, now: float, status: int) -> None:
        if started >= self.measured_from:
            latency_ms = (now - started) * 1000
            self.result.records.append(Record(started - self.measured_from, latency_ms, status))

    def _go_on(self, client: Connection, now: float) -> None:
        """In a closed loop, ask again."""
        if self.plan.rate is None and not self._is_over(now):
            self._start(client, now)
        else:
            self.idle.append(client)

    def _replace(self, client: Connection) -> None:
        self.clients.discard(client)
        self.selector.unregister(client.socket)
        client.close()
        self._open()
        self._go_on(self.idle.pop(), time.perf_counter())
