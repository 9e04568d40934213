"""One pool of servers and one queue, simulated: what theory has formulas for."""

import random
from collections.abc import Callable

from benchmarks.planning.events import Course, Events, Hold, Servers

__all__ = ("simulate_pool",)


def simulate_pool(
    servers: int,
    rate: float,
    service: Callable[[random.Random], float],
    seconds: float,
    seed: int = 7,
) -> list[float]:
    """Seconds that each waited; it begins empty.

    Args:
        servers: how many.
        rate: arrivals a second, by chance.
        service: draws the seconds of one service.
        seconds: how long.
        seed: of all chance.
    """
    events, rng = Events(), random.Random(seed)
    pool = Servers(events, servers)

    def serve() -> Course:
        yield pool.turn()
        yield Hold(events, service(rng))
        pool.leave()

    def arrive() -> Course:
        while True:
            yield Hold(events, rng.expovariate(rate))
            events.follow(serve())

    events.follow(arrive())
    events.run(seconds)
    return pool.waits
