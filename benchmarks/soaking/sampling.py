"""Samples: memory, handles, threads, files and Redis, read every few seconds from outside."""

import contextlib
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import msgspec
import psutil
import redis.exceptions

from animator.jobs.connection import connect_once
from benchmarks.soaking.product import Product

__all__ = ("ProcessSample", "Sample", "Sampler")

_MIB = 1 << 20


class ProcessSample(msgspec.Struct, frozen=True, kw_only=True):
    """One process at one instant.

    Attributes:
        role: what it does.
        life: its pid and birth, so that a pid that is used again is another one.
        rss: resident memory, MiB.
        pss: the same, where what processes share is shared out, MiB.
        handles: open file descriptors.
        threads: of it.
        cpu: seconds since its birth; of a job worker with those of the forks that did its jobs.
    """

    role: str
    life: str
    rss: float
    pss: float
    handles: int
    threads: int
    cpu: float


class Sample(msgspec.Struct, frozen=True, kw_only=True):
    """All of the product at one instant.

    Attributes:
        at: seconds since the beginning.
        processes: those that were there.
        temp_files: files in its folder of temporary ones.
        scratch_files: files in the data folder that only jobs under way have.
        data: size of the data folder without Redis's, MiB.
        redis: memory that Redis uses, MiB; None while it does not answer.
    """

    at: float
    processes: tuple[ProcessSample, ...]
    temp_files: int
    scratch_files: int
    data: float
    redis: float | None


class Sampler:
    """Looks at a product every few seconds, and writes each look to a file as it goes.

    Args:
        product: what is looked at.
        file: of JSON, a line a sample.
        clock: seconds since the beginning.
    """

    def __init__(self, product: Product, file: Path, clock: Callable[[], float]) -> None:
        self._product = product
        self._file = file
        self._clock = clock
        self.samples: list[Sample] = []

    def watch(self, done: threading.Event, every: float) -> None:
        """Take samples until done."""
        with self._file.open("ab") as file:
            while not done.wait(every):
                sample = self.look()
                self.samples.append(sample)
                file.write(msgspec.json.encode(sample) + b"\n")
                file.flush()

    def look(self) -> Sample:
        """One sample."""
        data = self._product.data
        return Sample(
            at=self._clock(),
            processes=tuple(self._processes()),
            temp_files=sum(1 for _ in _files(self._product.temp)),
            scratch_files=sum(1 for _ in _files(data / "scratch")),
            data=sum(_size(data / name) for name in ("documents", "blobs", "scratch")) / _MIB,
            redis=self._redis(),
        )

    def _processes(self) -> Iterator[ProcessSample]:
        for role, process in self._product.processes():
            with contextlib.suppress(psutil.Error):
                yield _sample(role, process)

    def _redis(self) -> float | None:
        with (
            contextlib.suppress(redis.exceptions.RedisError, OSError),
            connect_once(self._product.settings.redis) as client,
        ):
            return float(client.info("memory")["used_memory"]) / _MIB
        return None


def _sample(role: str, process: psutil.Process) -> ProcessSample:
    full, times = process.memory_full_info(), process.cpu_times()
    return ProcessSample(
        role=role,
        life=f"{process.pid}-{process.create_time():.2f}",
        rss=full.rss / _MIB,
        pss=full.pss / _MIB,
        handles=process.num_fds(),
        threads=process.num_threads(),
        cpu=sum(times[:4] if role == "worker" else times[:2]),
    )


def _files(folder: Path) -> Iterator[Path]:
    """Files below a folder, while it changes."""
    with contextlib.suppress(OSError):
        for path in folder.iterdir():
            if path.is_dir() and not path.is_symlink():
                yield from _files(path)
            else:
                yield path


def _size(folder: Path) -> int:
    """Bytes of the files below a folder."""
    total = 0
    for path in _files(folder):
        with contextlib.suppress(OSError):
            total += path.stat().st_size
    return total


def since(begin: float) -> Callable[[], float]:
    """A clock that tells seconds since an instant of the monotonic one."""
    return lambda: time.monotonic() - begin
