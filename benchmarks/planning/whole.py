"""What a drawing costs the running product: processor time by role, Redis, network and storage."""

import contextlib
import time
from collections import defaultdict
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import msgspec
import psutil

from animator.core.animation import AnimationFormat
from animator.core.errors import AnimatorError
from animator.jobs.connection import connect_once
from benchmarks.planning.stages import LIVE
from benchmarks.soaking.ledger import Ledger
from benchmarks.soaking.product import Product
from benchmarks.soaking.visit import JobNotDone, Visit

__all__ = ("ROLES", "Costs", "cpu_by_role", "measure_product")

ROLES = ("web", "worker", "model", "inference", "redis")
_FILMS = (AnimationFormat.MP4, AnimationFormat.GIF)
_QUIET_S = 1.0
_IDLE_S = 40.0
_MIB = 1 << 20
_FRONT = ("/", "/app.js", "/api/owner", "/api/motions", "/api/health")
"""What stands for the pages of a visit, beside what is asked for by its drawing."""


class Costs(msgspec.Struct, frozen=True, kw_only=True):
    """What one drawing costs on its whole way, and what there is without any.

    Attributes:
        drawings: from how many it is told.
        cpu: seconds by role.
        idle: cores that each role uses when nobody comes.
        memory: MiB (PSS) by role, after the work; of all processes of the role.
        processes: of each role.
        requests: to the web process.
        received: bytes of the answers, to the client.
        sent: bytes of the upload, from the client.
        redis_commands: number.
        redis_bytes: in and out of Redis.
        redis_news: bytes that Redis keeps for as long as the last news of jobs are kept.
        redis_jobs: bytes that Redis keeps for an hour beside them.
        stored: bytes in the data folder, for as long as drawings are kept.
        files: number of files that these are.
        tensors: bytes to the models and back.
        client: processor seconds of whoever asks, which is no role of ours.
        dispatch: seconds from handing in a job until it begins, with nothing before it; median.
    """

    drawings: int
    cpu: dict[str, float]
    idle: dict[str, float]
    memory: dict[str, float]
    processes: dict[str, int]
    requests: float
    received: float
    sent: float
    redis_commands: float
    redis_bytes: float
    redis_news: float
    redis_jobs: float
    stored: float
    files: float
    tensors: float
    client: float
    dispatch: float


class _Counted(msgspec.Struct, frozen=True, kw_only=True):
    """Counters at one instant."""

    at: float
    cpu: dict[str, float]
    client: float
    commands: float
    traffic: float
    memory: float
    news: float
    stored: int
    files: int


class _Idle(msgspec.Struct, frozen=True, kw_only=True):
    """What is done each second though nobody comes."""

    cpu: dict[str, float]
    commands: float
    traffic: float


def measure_product(product: Product, drawings: Sequence[Path], tensors: float) -> Costs:
    """Have one visitor come with each drawing, one after the other.

    Args:
        product: that runs, and whom nobody else asks.
        drawings: files; those without a figure do not count.
        tensors: bytes of a drawing to the models and back.

    A visitor opens the page, hands in the drawing, looks at it move, has the previews of all
    motions and a film as MP4 and as GIF, and fetches them.
    """
    warm = _Visitor(product)
    warm.come(drawings[0])
    idle = _look_idle(product)
    before, visitor = _count(product), _Visitor(product)
    for drawing in drawings:
        with contextlib.suppress(AnimatorError, JobNotDone):
            visitor.come(drawing)
            visitor.drawings += 1
    after, number = _count(product), visitor.drawings
    seconds, news = after.at - before.at, after.news - before.news
    memory, processes = _memory(product)
    return Costs(
        drawings=number,
        cpu={
            role: max(after.cpu[role] - before.cpu[role] - seconds * idle.cpu[role], 0.0) / number
            for role in ROLES
        },
        idle=idle.cpu,
        memory=memory,
        processes=processes,
        requests=visitor.requests / number,
        received=visitor.received / number,
        sent=visitor.sent / number,
        redis_commands=(after.commands - before.commands - seconds * idle.commands) / number,
        redis_bytes=(after.traffic - before.traffic - seconds * idle.traffic) / number,
        redis_news=news / number,
        redis_jobs=(after.memory - before.memory - news) / number,
        stored=(after.stored - before.stored) / number,
        files=(after.files - before.files) / number,
        tensors=tensors,
        client=(after.client - before.client) / number,
        dispatch=sorted(visitor.dispatches)[len(visitor.dispatches) // 2],
    )


class _Visitor:
    """Comes with drawings, and counts what goes over the line."""

    def __init__(self, product: Product) -> None:
        self._url = product.url
        self.drawings = self.requests = 0
        self.received = self.sent = 0.0
        self.dispatches: list[float] = []

    def come(self, file: Path) -> None:
        """One drawing on its whole way."""
        visit = Visit(self._url, Ledger())
        visit.http.event_hooks["response"].append(self._note)
        for page in _FRONT:
            visit.http.get(page)
        data = file.read_bytes()
        self.sent += len(data)
        drawing = visit.upload(data)
        self._wait(visit, drawing.job)
        visit.annotation(drawing)
        for formats in (LIVE, (AnimationFormat.PREVIEWS,), _FILMS):
            made = visit.animate(drawing, formats=formats)
            self._wait(visit, made.job)
        visit.close()

    def _wait(self, visit: Visit, job: str) -> None:
        begun = time.monotonic()
        running: list[float] = []

        def hear(line: str) -> None:
            if '"state":"running"' in line and not running:
                running.append(time.monotonic() - begun)

        visit.wait(job, hear)
        self.dispatches += running

    def _note(self, response: Any) -> None:
        self.requests += 1
        self.received += float(response.headers.get("content-length", 0))


def _count(product: Product) -> _Counted:
    """Once no job's process is left: its time is counted when its worker has waited for it."""
    while product.find("job"):
        time.sleep(_QUIET_S / 10)
    time.sleep(_QUIET_S)
    cpu = cpu_by_role(product.processes())
    with connect_once(product.settings.redis) as client:
        info: Any = client.info()
        keys = client.scan_iter("animator:job:*", count=1000)
        news: float = sum(client.memory_usage(key) or 0 for key in keys)
    files = [f for f in product.data.rglob("*") if f.is_file() and "redis" not in f.parts]
    return _Counted(
        at=time.monotonic(),
        cpu=cpu,
        client=time.process_time(),
        commands=info["total_commands_processed"],
        traffic=info["total_net_input_bytes"] + info["total_net_output_bytes"],
        memory=info["used_memory"],
        news=news,
        stored=sum(f.stat().st_size for f in files),
        files=len(files),
    )


def cpu_by_role(processes: Iterable[tuple[str, psutil.Process]]) -> dict[str, float]:
    """Processor seconds since the start; of job workers with all forks for jobs, ended or not."""
    cpu: dict[str, float] = dict.fromkeys(ROLES, 0.0)
    for role, process in processes:
        with contextlib.suppress(psutil.Error):
            times = process.cpu_times()
            name = "worker" if role == "job" else role
            cpu[name] = cpu.get(name, 0.0) + sum(times[:4] if role == "worker" else times[:2])
    return cpu


def _look_idle(product: Product) -> _Idle:
    before = _count(product)
    time.sleep(_IDLE_S)
    after = _count(product)
    seconds = after.at - before.at
    return _Idle(
        cpu={role: (after.cpu[role] - before.cpu[role]) / seconds for role in ROLES},
        commands=(after.commands - before.commands) / seconds,
        traffic=(after.traffic - before.traffic) / seconds,
    )


def _memory(product: Product) -> tuple[dict[str, float], dict[str, int]]:
    memory: dict[str, float] = defaultdict(float)
    processes: dict[str, int] = defaultdict(int)
    for role, process in product.processes():
        with contextlib.suppress(psutil.Error):
            memory[role] += process.memory_full_info().pss / _MIB
            processes[role] += 1
    return dict(memory), dict(processes)
