"""A server that exists only as a law: what a setting gives is worked out, with noise by a seed."""

import random

from serving.bench.measured import Measured, Slice, Trial
from serving.bench.setting import Setting
from serving.bench.trial import Timing

CORES = 4

TIMING = Timing(seconds=5.0, repeats=3, warmup_s=1.0)


def throughput_of(setting: Setting) -> tuple[float, float]:
    """Requests a second and p99 in ms of a network whose batch costs 8 ms and 2 ms an item.

    Workers beyond the cores only share them. Batches fill by as many clients as there are; a lone
    client waits for nobody. Closed loop: Little's law gives the latency.
    """
    workers = min(setting.workers, CORES)
    batch = min(setting.batch_size, max(setting.concurrency // workers, 1))
    batch_s = 0.008 + 0.002 * batch
    most = workers * batch / batch_s * (1 - 0.02 * max(setting.workers - CORES, 0))
    alone = setting.concurrency / (batch_s + setting.max_batch_delay_ms / 1000)
    rate = min(most, alone)
    return rate, 1.5 * 1000 * setting.concurrency / rate


class Simulated:
    """Tries settings of that law; counts what it costs, seconds.

    Beside the measuring that is a warm-up, the answers that are waited for at the end, and a
    worker's start, one after the other, where there must be new ones.
    """

    def __init__(self, noise: float = 0.02, start_s: float = 1.0, seed: int = 1) -> None:
        self.cost_s = 0.0
        self._chance = random.Random(seed)
        self._noise, self._start_s = noise, start_s
        self._served: Setting | None = None

    def attempt(self, setting: Setting, seconds: float) -> Trial:
        rate, p99_ms = throughput_of(setting)
        timing = TIMING.split(seconds)
        self.cost_s += timing.whole_s + timing.warmup_s + timing.repeats * p99_ms / 1000
        if self._needs_workers(setting):
            self.cost_s += self._start_s * setting.workers
        self._served = setting
        # Noise falls with the root of the time, from that of ten seconds.
        sigma = self._noise * (10 / timing.whole_s) ** 0.5
        return trial(
            setting,
            seconds,
            rate * (1 + self._chance.gauss(0, sigma)),
            p99_ms * (1 + abs(self._chance.gauss(0, sigma))),
        )

    def _needs_workers(self, setting: Setting) -> bool:
        before = self._served
        if before is None or before.workers != setting.workers:
            return True
        return before.batch_size > setting.batch_size


def trial(
    setting: Setting, seconds: float, throughput: float, p99_ms: float, errors: float = 0.0
) -> Trial:
    """What one repeat gave."""
    measured = Measured(
        seconds=seconds,
        requests=max(round(throughput * seconds), 1),
        throughput=throughput,
        goodput=throughput,
        p50_ms=p99_ms / 1.5,
        p90_ms=p99_ms / 1.2,
        p95_ms=p99_ms / 1.1,
        p99_ms=p99_ms,
        p999_ms=p99_ms * 1.2,
        mean_ms=p99_ms / 1.4,
        errors=errors,
        statuses={"200": round(throughput * seconds)},
        slices=(Slice(throughput, p99_ms),) * 5,
    )
    return Trial(setting=setting, seconds=seconds, repeats=(measured,))
