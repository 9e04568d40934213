"""Many machines: drawings come by chance, and walk through pools of processes."""

import random
from dataclasses import dataclass, field

import msgspec

from benchmarks.planning.events import Batches, Course, Events, Hold, Servers
from benchmarks.planning.needs import FILM, LIVE, MODELS, PREVIEWS, READ, Row

__all__ = ("Farm", "Served", "simulate_farm")

_REQUESTS = 5
"""Times that a drawing comes back to a web process, each with a fifth of its work."""

_LOOKS_S = (2.0, 15.0)
"""Mean seconds that people look at the figures, and at the figure that moves, before they go on."""


class Farm(msgspec.Struct, frozen=True, kw_only=True):
    """Pools of processes, each with a core of its own.

    Attributes:
        rate: drawings a minute, by chance.
        web: web processes.
        workers: job workers.
        models: processes of each model, by its stage.
        batch: largest batch of a model.
        batch_fixed: seconds of a batch beside its items; on a GPU most of its time.
        rows: processor seconds of each stage, of measured drawings.
        overhead: processor seconds of a job beside its stages.
        page: processor seconds of the web process for one drawing.
        model_speed: how many times as fast as a core the models run.
        gone: job workers that are gone from a third to two thirds of the time, with their host.
    """

    rate: float
    web: int
    workers: int
    models: dict[str, int]
    rows: tuple[Row, ...]
    overhead: float
    page: float
    batch: int = 8
    batch_fixed: float = 0.0
    model_speed: float = 1.0
    gone: int = 0


@dataclass
class Served:
    """What came of it, all in seconds.

    Attributes:
        waits: until a worker took a job that somebody waited for.
        moves: from the upload until the figure moves, without the looking.
        answers: of a model.
        previews: from asking for previews until they are there.
        batches: how many requests models took at once.
        begun: drawings that came.
    """

    waits: list[float] = field(default_factory=list)
    moves: list[float] = field(default_factory=list)
    answers: list[float] = field(default_factory=list)
    previews: list[float] = field(default_factory=list)
    batches: list[int] = field(default_factory=list)
    begun: int = 0


class _Site:
    """The pools at work."""

    def __init__(self, farm: Farm, rng: random.Random) -> None:
        self.farm = farm
        self.rng = rng
        self.events = Events()
        self.web = Servers(self.events, farm.web)
        self.workers = Servers(self.events, farm.workers)
        self.models = {model: self._make_model(number) for model, number in farm.models.items()}
        self.served = Served()

    def arrive(self) -> Course:
        """Drawings, for ever."""
        while True:
            yield Hold(self.events, self.rng.expovariate(self.farm.rate / 60))
            self.served.begun += 1
            self.events.follow(self._draw(self.rng.choice(self.farm.rows)))

    def lose_host(self, seconds: float) -> Course:
        """A host is gone, and comes back."""
        yield Hold(self.events, seconds / 3)
        self.workers.change(-self.farm.gone)
        yield Hold(self.events, seconds / 3)
        self.workers.change(self.farm.gone)

    def _draw(self, row: Row) -> Course:
        begun = self.events.now
        yield from self._page()
        yield from self._job(row, READ, asks_models=True)
        yield from self._page()
        moving = self.events.now - begun
        yield Hold(self.events, self.rng.expovariate(1 / _LOOKS_S[0]))
        begun = self.events.now
        yield from self._job(row, LIVE)
        yield from self._page()
        self.served.moves.append(moving + self.events.now - begun)
        self.events.follow(self._preview(row))
        yield Hold(self.events, self.rng.expovariate(1 / _LOOKS_S[1]))
        yield from self._job(row, FILM)
        yield from self._page()

    def _preview(self, row: Row) -> Course:
        begun = self.events.now
        yield from self._job(row, PREVIEWS, has_time=True)
        self.served.previews.append(self.events.now - begun)
        yield from self._page()

    def _page(self) -> Course:
        yield self.web.turn()
        yield Hold(self.events, self.farm.page / _REQUESTS)
        self.web.leave()

    def _job(
        self,
        row: Row,
        stages: tuple[str, ...],
        *,
        asks_models: bool = False,
        has_time: bool = False,
    ) -> Course:
        yield self.workers.turn(has_time)
        for model in MODELS if asks_models else ():
            asked = self.events.now
            yield self.models[model].answer(row[model] / self.farm.model_speed)
            self.served.answers.append(self.events.now - asked)
        yield Hold(self.events, sum(row[stage] for stage in stages) + self.farm.overhead)
        self.workers.leave()

    def _make_model(self, processes: int) -> Batches:
        fixed = self.farm.batch_fixed
        return Batches(
            self.events,
            processes,
            self.farm.batch,
            lambda each: Hold(self.events, fixed + sum(each)),
        )


def simulate_farm(farm: Farm, seconds: float, seed: int) -> Served:
    """So many seconds of drawings that come by chance; it begins empty."""
    site = _Site(farm, random.Random(seed))
    site.events.follow(site.arrive())
    if farm.gone:
        site.events.follow(site.lose_host(seconds))
    site.events.run(seconds)
    served = site.served
    served.waits = site.workers.waits
    served.batches = [size for model in site.models.values() for size in model.sizes]
    return served
