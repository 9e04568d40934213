"""One load generator for every server that is compared: HTTP/1.1 over sockets of this machine.

Closed loop: so many clients, each of which asks again when it is answered. Open loop: arrivals by a
Poisson process, whether or not the ones before are answered; a latency is counted from the
scheduled arrival, so that a server that stalls cannot slow its own load down.
"""

import random
import re
import select
import socket
import time
from collections import Counter, deque
from collections.abc import Iterator
from dataclasses import dataclass, field

import numpy as np

__all__ = ("Plan", "Result", "build_request", "run")

_LENGTH = re.compile(rb"\r\ncontent-length: *(\d+)", re.IGNORECASE)
_CHUNKED = re.compile(rb"\r\ntransfer-encoding: *chunked", re.IGNORECASE)
_CLOSING = re.compile(rb"\r\nconnection: *close", re.IGNORECASE)
_RECEIVE_BYTES = 1 << 18


@dataclass(frozen=True)
class Plan:
    """What is asked, and how often.

    Attributes:
        port: of the server, on 127.0.0.1.
        request: the bytes of one request.
        clients: connections; in an open loop the most there may be.
        seconds: how long is measured.
        warmup_s: how long before that.
        rate: arrivals a second; None: a closed loop.
        count: stop after so many answers; None: when the time is over.
        seed: of the arrivals.
    """

    port: int
    request: bytes
    clients: int
    seconds: float
    warmup_s: float = 0.5
    rate: float | None = None
    count: int | None = None
    seed: int = 1


@dataclass
class Result:
    """What came of it.

    Attributes:
        seconds: measured.
        latencies_ms: of the good answers, in the order they came.
        statuses: answers by status, those of the warm-up too.
        broken: connections that ended before their answer.
        sample: the beginning of a body.
    """

    seconds: float = 0.0
    latencies_ms: list[float] = field(default_factory=list)
    statuses: Counter[int] = field(default_factory=Counter)
    broken: int = 0
    sample: bytes = b""

    @property
    def rate(self) -> float:
        """Good answers a second."""
        return len(self.latencies_ms) / self.seconds if self.seconds else 0.0

    def percentile(self, share: float) -> float:
        """The latency that this share (0 to 100) of the good answers had at most, milliseconds."""
        return float(np.percentile(self.latencies_ms, share)) if self.latencies_ms else float("nan")


def build_request(port: int, path: str, body: bytes, headers: dict[str, str]) -> bytes:
    """The bytes of a POST."""
    lines = [f"POST {path} HTTP/1.1", f"Host: 127.0.0.1:{port}", f"Content-Length: {len(body)}"]
    lines += [f"{name}: {value}" for name, value in headers.items()]
    return "\r\n".join([*lines, "", ""]).encode() + body


class _Client:
    """One connection, with at most one request under way."""

    def __init__(self, port: int) -> None:
        self.socket = socket.create_connection(("127.0.0.1", port))
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.socket.setblocking(False)
        self.started = 0.0
        self.unsent = memoryview(b"")
        self.answer = b""

    def send(self) -> None:
        """Send what the connection takes."""
        while self.unsent:
            try:
                self.unsent = self.unsent[self.socket.send(self.unsent) :]
            except BlockingIOError:
                return

    def receive(self) -> bool:
        """Take what has come; whether the answer is complete.

        Raises:
            ConnectionError: when the server hung up.
        """
        data = self.socket.recv(_RECEIVE_BYTES)
        if not data:
            raise ConnectionResetError
        self.answer = self.answer + data if self.answer else data
        end = self.answer.find(b"\r\n\r\n")
        if end < 0:
            return False
        head = self.answer[: end + 2]
        length = _LENGTH.search(head)
        if length is not None:
            return len(self.answer) >= end + 4 + int(length[1])
        return bool(_CHUNKED.search(head)) and self.answer.endswith(b"\r\n0\r\n\r\n")


class _Run:
    """A plan being carried out."""

    def __init__(self, plan: Plan) -> None:
        self.plan = plan
        self.result = Result()
        self.poll = select.epoll()
        self.clients: dict[int, _Client] = {}
        self.idle: list[_Client] = []
        self.due: deque[float] = deque()
        self.begin = time.perf_counter()
        self.measured_from = self.begin + plan.warmup_s
        self.end = self.measured_from + plan.seconds

    def carry_out(self) -> Result:
        arrivals = self._arrivals()
        upcoming = next(arrivals)
        for _ in range(self.plan.clients if self.plan.rate is None else 1):
            self._open()
        while not self._is_over(time.perf_counter()):
            now = time.perf_counter()
            while upcoming <= now:
                self.due.append(upcoming)
                upcoming = next(arrivals)
            self._start_due()
            wait_s = min(upcoming, self.end) - time.perf_counter()
            for descriptor, events in self.poll.poll(max(wait_s, 0.0)):
                self._serve(self.clients[descriptor], events)
        self.result.seconds = time.perf_counter() - self.measured_from
        for client in self.clients.values():
            client.socket.close()
        self.poll.close()
        return self.result

    def _is_over(self, now: float) -> bool:
        answered = len(self.result.latencies_ms)
        return now >= self.end or (self.plan.count is not None and answered >= self.plan.count)

    def _arrivals(self) -> Iterator[float]:
        """When requests are to be sent: for ever at once, or by chance."""
        if self.plan.rate is None:
            yield from [self.begin] * self.plan.clients
            while True:
                yield float("inf")
        chance = random.Random(self.plan.seed)
        at = self.begin
        while True:
            at += chance.expovariate(self.plan.rate)
            yield at

    def _open(self) -> None:
        client = _Client(self.plan.port)
        self.clients[client.socket.fileno()] = client
        self.poll.register(client.socket, select.EPOLLIN)
        self.idle.append(client)

    def _start_due(self) -> None:
        while self.due and (self.idle or len(self.clients) < self.plan.clients):
            if not self.idle:
                self._open()
            self._start(self.idle.pop(), self.due.popleft())

    def _start(self, client: _Client, at: float) -> None:
        client.started = at
        client.answer = b""
        client.unsent = memoryview(self.plan.request)
        client.send()
        if client.unsent:
            self.poll.modify(client.socket, select.EPOLLIN | select.EPOLLOUT)

    def _serve(self, client: _Client, events: int) -> None:
        if events & select.EPOLLOUT:
            client.send()
            if not client.unsent:
                self.poll.modify(client.socket, select.EPOLLIN)
        if not events & ~select.EPOLLOUT:
            return
        try:
            is_complete = client.receive()
        except BlockingIOError:
            return
        except ConnectionError:
            self.result.broken += 1
            self._replace(client)
            return
        if is_complete:
            self._note(client, time.perf_counter())

    def _note(self, client: _Client, now: float) -> None:
        status = int(client.answer[9:12])
        self.result.statuses[status] += 1
        if client.started >= self.measured_from and 200 <= status < 300:
            self.result.latencies_ms.append((now - client.started) * 1000)
        if not self.result.sample or status >= 300:
            self.result.sample = client.answer.partition(b"\r\n\r\n")[2][:80]
        if _CLOSING.search(client.answer[:2000]):
            self._replace(client)
        elif self.plan.rate is None:
            self._start(client, now)
        else:
            self.idle.append(client)

    def _replace(self, client: _Client) -> None:
        del self.clients[client.socket.fileno()]
        client.socket.close()
        self._open()
        if self.plan.rate is None:
            self._start(self.idle.pop(), time.perf_counter())


def run(plan: Plan) -> Result:
    """Carry a plan out; blocks until its time is over."""
    return _Run(plan).carry_out()
