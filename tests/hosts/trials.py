"""What happens to the hosts, one after the other, while people use the product."""

from collections.abc import Callable
from typing import NamedTuple

from tests.hosts.town import Town


class Trial(NamedTuple):
    """A fault.

    Attributes:
        name: for people.
        do: what happens.
        undo: what puts it right.
        seconds: how long it lasts.
    """

    name: str
    do: Callable[[], None]
    undo: Callable[[], None]
    seconds: float


def plan(town: Town) -> list[Trial]:
    """All trials, in their order; after each, the town is as it was."""
    return [*_stops(town), *_cuts(town), *_bad_links(town), *_losses(town)]


def _stops(town: Town) -> list[Trial]:
    """Hosts whose plug is pulled, and put in again."""
    names = ("models-1", "worker-1", "web-1", "queue", "proxy")
    return [
        Trial(f"{name} loses its power", town[name].pull_the_plug, _start(town, name), 8)
        for name in names
    ]


def _cuts(town: Town) -> list[Trial]:
    """Cables that are pulled, and a network that falls apart."""
    network = town.network
    cuts = [
        Trial(
            f"{name} loses its network",
            lambda name=name: network.cut(town[name]),  # type: ignore[misc]
            lambda name=name: network.mend(town[name]),  # type: ignore[misc]
            10,
        )
        for name in ("models-2", "worker-2", "web-2", "store")
    ]
    workers = [town["worker-1"], town["worker-2"]]

    def part() -> None:
        network.part([town["queue"]], workers)

    return [*cuts, Trial("the queue is parted from all workers", part, network.heal, 12)]


def _bad_links(town: Town) -> list[Trial]:
    """Links that lose much, or let little through."""
    network, queue, store = town.network, town["queue"], town["store"]
    return [
        Trial(
            "the queue loses a fifth of its packets",
            lambda: network.lose(queue, 20),
            network.heal,
            15,
        ),
        Trial(
            "the proxy loses a tenth of its packets",
            lambda: network.lose(town["proxy"], 10),
            network.heal,
            15,
        ),
        Trial(
            "the store is behind 1 Mbit/s",
            lambda: network.slow_down(store, "1mbit"),
            lambda: network.speed_up(store),
            15,
        ),
    ]


def _losses(town: Town) -> list[Trial]:
    """Hosts that never come back, and one that is replaced by an empty one."""

    def lose() -> None:
        for name in ("worker-1", "web-1", "models-1"):
            town[name].pull_the_plug()
            town[name].wipe()

    def replace() -> None:
        for name in ("worker-1", "web-1", "models-1"):
            town.start(name)

    return [
        Trial("a worker, a page and a model server burn, and are bought anew", lose, replace, 10)
    ]


def _start(town: Town, name: str) -> Callable[[], None]:
    return lambda: town.start(name)
