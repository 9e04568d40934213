"""Needs: from what a drawing costs to cores, hosts, memory, lines and disks for so many a minute.

Whatever is needed is reckoned for the busiest minute, and for the day that one host is gone.
"""

import math
from collections.abc import Iterator, Mapping, Sequence

import msgspec

from benchmarks.planning.queueing import fewest_servers
from benchmarks.planning.whole import Costs

__all__ = ("Assumptions", "Job", "Need", "Plan", "jobs_of", "plan")

_MIB = 1 << 20
_DAY_MIN = 1440

READ = ("decode", "detect, turn", "outline", "segment", "picture")
LIVE = ("decode", "rig", "retarget", "deform", "live track")
PREVIEWS = ("decode", "previews")
FILM = ("decode", "rig", "retarget", "deform", "render", "encode MP4", "encode GIF")
MODELS = ("model: detector", "model: pose and mask")

Row = Mapping[str, float]
"""Processor seconds of each stage, of one drawing."""


class Assumptions(msgspec.Struct, frozen=True, kw_only=True):
    """What is assumed, not measured.

    Attributes:
        peak: the busiest minute over the mean one.
        wait_s: what 95 of 100 wait at most until somebody works on their job, in that minute.
        model_wait_s: the same of a request to a model.
        busy: share of a core that web processes and Redis may use: they have one thread each.
        workers_busy: share of job workers and models that may be busy in the busiest minute: who
            did not guess the peak right shall have some room.
        host_cores: of a host; one in eight is for the system.
        host_gib: its memory.
        keep_days: how long drawings are kept.
        news_days: how long Redis keeps the last news of a job.
        gpu: requests that one GPU answers while a core answers one.
    """

    peak: float = 3.0
    wait_s: float = 2.0
    model_wait_s: float = 0.1
    busy: float = 0.6
    workers_busy: float = 0.85
    host_cores: int = 16
    host_gib: float = 64.0
    keep_days: float = 30.0
    news_days: float = 30.0
    gpu: float = 25.0


class Job(msgspec.Struct, frozen=True, kw_only=True):
    """One kind of job.

    Attributes:
        name: of the kind.
        seconds: of each measured drawing: a worker's, and the models' for which it waits.
        has_priority: whether somebody waits for it.
    """

    name: str
    seconds: tuple[float, ...]
    has_priority: bool


class Need(msgspec.Struct, frozen=True, kw_only=True):
    """What one role needs.

    Attributes:
        role: which.
        mean: cores busy in a mean minute.
        peak: cores busy in the busiest.
        processes: how many, each with a core of its own.
        gib: memory of these.
    """

    role: str
    mean: float
    peak: float
    processes: int
    gib: float


class Plan(msgspec.Struct, frozen=True, kw_only=True):
    """What so many drawings a minute need.

    Attributes:
        rate: drawings a minute, over the day.
        needs: by role.
        hosts: with the one that may fail; the processes are spread over all of them.
        hosts_gpu: the same, with the models on GPUs.
        gpus: with the one that may fail.
        mbit: to and from clients in the busiest minute, Mbit/s.
        store_mbit: to and from storage, likewise.
        model_mbit: to and from the models, likewise.
        gib_a_day: new in storage.
        gib_kept: in storage once the first are forgotten.
        redis_gib: memory of Redis then.
        redis_busy: share of its one thread in the busiest minute.
        redis_commands: a second in the busiest minute.
    """

    rate: float
    needs: tuple[Need, ...]
    hosts: int
    hosts_gpu: int
    gpus: int
    mbit: float
    store_mbit: float
    model_mbit: float
    gib_a_day: float
    gib_kept: float
    redis_gib: float
    redis_busy: float
    redis_commands: float

    @property
    def cores(self) -> int:
        """One for each process."""
        return sum(need.processes for need in self.needs)


def jobs_of(rows: Sequence[Row], overhead: float) -> tuple[Job, ...]:
    """The jobs of a drawing: it is read, shown alive, shown in all motions, and filmed.

    Args:
        rows: of measured drawings.
        overhead: processor seconds of a job beside its stages: fork, queue, news, storage.
    """
    kinds = (
        ("read", (*READ, *MODELS), True),
        ("live", LIVE, True),
        ("previews", PREVIEWS, False),
        ("film", FILM, True),
    )
    return tuple(
        Job(
            name=name,
            seconds=tuple(sum(row[stage] for stage in stages) + overhead for row in rows),
            has_priority=priority,
        )
        for name, stages, priority in kinds
    )


def plan(
    rate: float, costs: Costs, rows: Sequence[Row], overhead: float, assumed: Assumptions
) -> Plan:
    """What so many drawings a minute need."""
    needs = tuple(_needs(rate, costs, rows, overhead, assumed))
    peak = rate * assumed.peak / 60
    models = [need for need in needs if need.role in MODELS]
    rest = [need for need in needs if need.role not in MODELS]
    gpus = _by_use(sum(need.peak for need in models), 1 / assumed.gpu, assumed.workers_busy)
    kept = rate * _DAY_MIN * assumed.keep_days
    return Plan(
        rate=rate,
        needs=needs,
        hosts=_hosts(needs, assumed),
        hosts_gpu=_hosts(rest, assumed),
        gpus=gpus + 1,
        mbit=peak * (costs.received + costs.sent) * 8 / 1e6,
        store_mbit=peak * (costs.stored + costs.received) * 8 / 1e6,
        model_mbit=peak * costs.tensors * 8 / 1e6,
        gib_a_day=rate * _DAY_MIN * costs.stored / 2**30,
        gib_kept=kept * costs.stored / 2**30,
        redis_gib=_redis_gib(rate, costs, assumed),
        redis_busy=peak * costs.cpu["redis"] + costs.idle["redis"],
        redis_commands=peak * costs.redis_commands,
    )


def _needs(
    rate: float, costs: Costs, rows: Sequence[Row], overhead: float, assumed: Assumptions
) -> Iterator[Need]:
    peak = rate * assumed.peak / 60
    sizes = {
        "web": _by_use(peak, costs.cpu["web"], assumed.busy),
        "worker": _workers(rate, jobs_of(rows, overhead), assumed),
        **{model: _models(peak, _mean_of(rows, model), assumed) for model in MODELS},
        "inference": _by_use(peak, costs.cpu["inference"], assumed.busy),
        "redis": _by_use(peak, costs.cpu["redis"], assumed.busy),
    }
    for role, processes in sizes.items():
        measured = "model" if role in MODELS else role
        cpu = _mean_of(rows, role) if role in MODELS else costs.cpu[role]
        each = costs.memory[measured] / costs.processes[measured] / 1024
        gib = _redis_gib(rate, costs, assumed) if role == "redis" else processes * each
        yield Need(role=role, mean=rate / 60 * cpu, peak=peak * cpu, processes=processes, gib=gib)


def _by_use(rate: float, seconds: float, share: float) -> int:
    """So many that each is busy for no more than a share of the time."""
    return max(math.ceil(rate * seconds / share), 1)


def _workers(rate: float, jobs: Sequence[Job], assumed: Assumptions) -> int:
    """So many that who waits is served in time, and nothing is put off until the peak is over."""
    urgent = [seconds for job in jobs if job.has_priority for seconds in job.seconds]
    peak = rate * assumed.peak / 60
    mean = sum(urgent) / len(urgent)
    variance = sum((seconds - mean) ** 2 for seconds in urgent) / len(urgent)
    kinds = sum(job.has_priority for job in jobs)
    needed = fewest_servers(peak * kinds, mean, assumed.wait_s, variance / mean**2)
    whole = sum(sum(job.seconds) / len(job.seconds) for job in jobs)
    return max(needed, _by_use(peak, whole, assumed.workers_busy))


def _models(rate: float, seconds: float, assumed: Assumptions) -> int:
    """Processes of one model; requests hardly differ in what they take."""
    needed = fewest_servers(rate, seconds, assumed.model_wait_s, variation=0.5)
    return max(needed, _by_use(rate, seconds, assumed.workers_busy))


def _mean_of(rows: Sequence[Row], stage: str) -> float:
    return sum(row[stage] for row in rows) / len(rows)


def _hosts(needs: Sequence[Need], assumed: Assumptions) -> int:
    """By cores or by memory, whichever is more, and one that may fail."""
    cores = sum(need.processes for need in needs) / (assumed.host_cores * 7 / 8)
    memory = sum(need.gib for need in needs) / (assumed.host_gib * 7 / 8)
    return max(math.ceil(cores), math.ceil(memory)) + 1


def _redis_gib(rate: float, costs: Costs, assumed: Assumptions) -> float:
    news = rate * _DAY_MIN * assumed.news_days * costs.redis_news
    jobs = rate * 60 * costs.redis_jobs
    return (news + jobs + 3 * _MIB) / 2**30
