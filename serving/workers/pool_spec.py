"""PoolSpec: which processes a pool keeps."""

import os

import msgspec

from serving.workers.launch import WorkerSpec

__all__ = ("PoolSpec", "backoff_s")

_LONGEST_BACKOFF_S = 30.0


class PoolSpec(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What a pool keeps.

    Attributes:
        model: name and version, for the log.
        worker: what each worker holds, and how it is started.
        min_workers: processes that are kept, >= 0.
        max_workers: processes that may be there under load, >= min_workers.
        startup_timeout_s: longest loading, seconds.
        response_timeout_s: longest work on one batch, seconds.
        max_retry_timeout_s: how long a worker is started again in vain, seconds; None: for ever.
        slots: batches that a worker works on at a time, >= 1.
        device_ids: indices of GPUs, taken in turn; empty: the one that `worker` names.
        pin_cores: whether each worker stays on cores of its own.
        surplus_s: how long a worker beyond the minimum may stay unused, seconds.
    """

    model: str
    worker: WorkerSpec
    min_workers: int
    max_workers: int
    startup_timeout_s: float
    response_timeout_s: float
    max_retry_timeout_s: float | None = None
    slots: int = 1
    device_ids: tuple[int, ...] = ()
    pin_cores: bool = False
    surplus_s: float = 60.0

    def worker_at(self, index: int) -> WorkerSpec:
        """What the worker of a place holds, with the GPU and the cores that are its turn."""
        worker = self.worker
        if self.device_ids:
            first = index * worker.load.processes
            worker = worker.on_gpu(self.device_ids[first % len(self.device_ids)])
        if self.pin_cores:
            worker = msgspec.structs.replace(worker, cores=_cores_of(index, worker))
        return worker


def backoff_s(failures: int) -> float:
    """How long to wait before the next start after so many in a row that came to nothing."""
    return 0.0 if failures < 2 else min(0.5 * 2.0 ** (failures - 2), _LONGEST_BACKOFF_S)


def _cores_of(index: int, spec: WorkerSpec) -> tuple[int, ...]:
    """As many cores as threads, other ones for each place as far as they go."""
    cores = sorted(os.sched_getaffinity(0))
    count = min(spec.load.context.threads, len(cores))
    return tuple(cores[(index * count + at) % len(cores)] for at in range(count))
