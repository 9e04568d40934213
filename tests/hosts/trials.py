"""What happens to the hosts, one after the other, while people use the product."""

from collections.abc import Callable
from functools import partial

from tests.hosts.network import Host
from tests.hosts.parts import QUEUES
from tests.hosts.town import Town
from tests.hosts.trial import Trial

__all__ = ("plan",)

_PARTS = ("models-1", "models-2", "worker-1", "worker-2", "web-1", "web-2")
_STOP_S = 15.0


def plan(town: Town) -> list[Trial]:
    """All trials, in their order; after each, the town is as it was."""
    return [*_quiet(town), *_stops(town), *_cuts(town), *_bad_links(town), *_losses(town)]


def _quiet(town: Town) -> list[Trial]:
    """To compare with; and what happens to every part now and then."""

    def begin_anew() -> None:
        for name in _PARTS:
            town[name].shut_down(_STOP_S)
            town.start(name)
            town.wait_until_whole()

    return [
        Trial("nothing", _nothing, _nothing, 15),
        Trial("all parts are begun anew in turn", begin_anew, _nothing, 0),
    ]


def _stops(town: Town) -> list[Trial]:
    """Hosts whose plug is pulled, and put in again."""
    trials = [
        Trial(f"{name} loses its power", town[name].pull_the_plug, partial(town.start, name), 10)
        for name in ("models-1", "worker-1", "web-1", "proxy")
    ]
    do, undo = _to_master(town, Host.pull_the_plug, lambda host: town.start(host.name))
    return [*trials, Trial("the queue's master loses its power", do, undo, 10)]


def _cuts(town: Town) -> list[Trial]:
    """Cables that are pulled, and a network that falls apart."""
    network = town.network
    trials = [
        Trial(
            f"{name} loses its network",
            partial(network.cut, town[name]),
            partial(network.mend, town[name]),
            10,
        )
        for name in ("models-2", "worker-2", "web-2", "store")
    ]
    do, undo = _to_master(town, network.cut, network.mend)
    workers, queues = [town["worker-1"], town["worker-2"]], [town[name] for name in QUEUES]
    parted = partial(network.part, queues, workers)
    return [
        *trials,
        Trial("the queue's master loses its network", do, undo, 10),
        Trial("all queues are parted from all workers", parted, network.heal, 12),
    ]


def _bad_links(town: Town) -> list[Trial]:
    """Links that lose much, or let little through."""
    network, store, proxy = town.network, town["store"], town["proxy"]

    def lose_a_fifth() -> None:
        for name in QUEUES:
            network.lose(town[name], 20)

    return [
        Trial("queues lose a fifth of their packets", lose_a_fifth, network.heal, 15),
        Trial(
            "the proxy loses a tenth of its packets",
            partial(network.lose, proxy, 10),
            network.heal,
            15,
        ),
        Trial(
            "the store is behind 1 Mbit/s",
            partial(network.slow_down, store, "1mbit"),
            partial(network.speed_up, store),
            15,
        ),
    ]


def _losses(town: Town) -> list[Trial]:
    """Hosts that burn, and are bought anew, with empty disks."""
    names = ("worker-1", "web-1", "models-1")

    def burn() -> None:
        for name in names:
            town[name].pull_the_plug()
            town[name].wipe()

    def replace() -> None:
        for name in names:
            town.start(name)

    return [Trial("a worker, a page and a model server burn", burn, replace, 10)]


def _to_master(
    town: Town, do: Callable[[Host], None], undo: Callable[[Host], None]
) -> tuple[Callable[[], None], Callable[[], None]]:
    """The same for whichever host is the master when it happens."""
    struck: list[Host] = []

    def strike() -> None:
        struck.append(town.master())
        do(struck[-1])

    return strike, lambda: undo(struck[-1])


def _nothing() -> None:
    """Let be."""
