"""Queueing theory in closed form: how long one waits for one of several servers.

M/M/c by Erlang's formula C; M/G/c by the approximation of Lee and Longton (1959), which Allen and
Cunneen took over: the mean wait of M/M/c times half of one plus the squared coefficient of
variation of the service. For one server that is exact (Pollaczek and Khinchine). Of those who
wait, the wait is taken as exponential, which it is for M/M/c.
"""

import math

__all__ = ("fewest_servers", "mean_wait", "wait_percentile", "waits_at_all")


def waits_at_all(load: float, servers: int) -> float:
    """Erlang's C: the share that finds all servers busy.

    Args:
        load: arrivals a second times seconds of service; 1 where there are too few servers.
        servers: how many, >= 1.
    """
    if load >= servers:
        return 1.0
    lost = 1.0  # Erlang's B, by its recursion: no factorials to overflow
    for number in range(1, servers + 1):
        lost = load * lost / (number + load * lost)
    return servers * lost / (servers - load * (1 - lost))


def mean_wait(rate: float, service: float, servers: int, variation: float = 1.0) -> float:
    """Mean seconds until service begins, over all, waiting or not.

    Args:
        rate: arrivals a second, a Poisson process.
        service: mean seconds of one.
        servers: how many.
        variation: squared coefficient of variation of the service; 1: exponential, 0: always the
            same.
    """
    load = rate * service
    if load >= servers:
        return math.inf
    return (1 + variation) / 2 * waits_at_all(load, servers) * service / (servers - load)


def wait_percentile(
    share: float, rate: float, service: float, servers: int, variation: float = 1.0
) -> float:
    """Seconds of waiting that a share of all does not exceed."""
    mean = mean_wait(rate, service, servers, variation)
    if math.isinf(mean):
        return math.inf
    waiting = waits_at_all(rate * service, servers)
    if waiting <= 1 - share:
        return 0.0
    return mean / waiting * math.log(waiting / (1 - share))


def fewest_servers(
    rate: float, service: float, within: float, variation: float = 1.0, share: float = 0.95
) -> int:
    """How many are needed so that a share waits no longer than so many seconds."""
    servers = max(math.floor(rate * service), 0) + 1
    while wait_percentile(share, rate, service, servers, variation) > within:
        servers += 1
    return servers
