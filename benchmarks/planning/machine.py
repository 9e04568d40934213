"""One machine as `animator bench --job` sees it: so many people, who hand in, wait and fetch."""

import random
from collections.abc import Sequence
from dataclasses import dataclass, field

import msgspec

from benchmarks.planning.events import Batches, Cores, Course, Events, Servers
from benchmarks.planning.needs import MODELS, READ, Row

__all__ = ("Felt", "Machine", "simulate_machine")

_FILM = ("decode", "rig", "retarget", "deform", "render", "encode MP4")
_BATCH = 8
_BEFORE = 0.5
"""Share of what a job costs beside its stages that comes before it begins."""

_ASKED = {"upload": 1, "read": 2, "animate": 1, "film": 2, "fetch": 1, "leave": 1}
"""Requests of each step of an errand."""


class Machine(msgspec.Struct, frozen=True, kw_only=True):
    """A machine and what work costs on it.

    Attributes:
        cores: that all share, the load's own process among them.
        workers: job workers.
        rows: processor seconds of each stage, of measured drawings.
        overhead: processor seconds of a job beside its stages.
        request: processor seconds of one request, of web process and client together.
        queue: processor seconds of Redis for one job.
    """

    cores: float
    workers: int
    rows: tuple[Row, ...]
    overhead: float
    request: float
    queue: float


@dataclass
class Felt:
    """What people felt.

    Attributes:
        errands: seconds of each whole errand.
        waits: seconds that each job waited until a worker took it.
        seconds: that passed.
        busy: cores that were busy, on average.
    """

    errands: list[float] = field(default_factory=list)
    waits: list[float] = field(default_factory=list)
    seconds: float = 0.0
    busy: float = 0.0

    @property
    def rate(self) -> float:
        """Drawings a minute."""
        return 60 * len(self.errands) / self.seconds


class _Site:
    """The machine at work."""

    def __init__(self, machine: Machine) -> None:
        self.machine = machine
        self.events = Events()
        self.cores = Cores(self.events, machine.cores)
        self.workers = Servers(self.events, machine.workers)
        self.models = {
            name: Batches(self.events, 1, _BATCH, lambda each: self.cores.work(sum(each)))
            for name in MODELS
        }

    def live(self, felt: Felt, rng: random.Random) -> Course:
        """One person, errand after errand."""
        while True:
            begun, row = self.events.now, rng.choice(self.machine.rows)
            yield from self._request("upload")
            yield from self._job(row, READ, MODELS)
            yield from self._request("read")
            yield from self._request("animate")
            yield from self._job(row, _FILM, ())
            yield from self._request("film")
            yield from self._request("fetch")
            yield from self._request("leave")
            felt.errands.append(self.events.now - begun)

    def _request(self, step: str) -> Course:
        yield self.cores.work(_ASKED[step] * self.machine.request)

    def _job(self, row: Row, stages: Sequence[str], models: Sequence[str]) -> Course:
        """One job; whoever waits for it goes on before its worker has tidied up."""
        machine = self.machine
        yield self.cores.work(machine.queue)
        yield self.workers.turn()
        yield self.cores.work(machine.overhead * _BEFORE)
        for model in models:
            yield self.models[model].answer(row[model])
        yield self.cores.work(sum(row[stage] for stage in stages))
        self.events.follow(self._tidy(machine.overhead * (1 - _BEFORE)))

    def _tidy(self, seconds: float) -> Course:
        yield self.cores.work(seconds)
        self.workers.leave()


def simulate_machine(machine: Machine, people: int, seconds: float, seed: int) -> Felt:
    """So many people at a time, each of whom begins anew when he is done."""
    site, felt = _Site(machine), Felt(seconds=seconds)
    for number in range(people):
        site.events.follow(site.live(felt, random.Random(f"{seed} {number}")))
    site.events.run(seconds)
    felt.waits = site.workers.waits
    felt.busy = site.cores.busy / seconds
    return felt
