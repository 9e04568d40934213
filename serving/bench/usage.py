"""Usage: processor, memory and GPUs while a load runs, read from outside of the server."""

import contextlib
import shutil
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager

import msgspec
import psutil

from serving.observe.machine import query_gpus

__all__ = ("Usage", "UsageWatch", "family_of", "listener_of", "read_gpus")

_GPU_EVERY_S = 1.0
_NVIDIA_SMI_S = 10
_MIB = 1 << 20


class Usage(msgspec.Struct, frozen=True, kw_only=True):
    """What the server used; zeros where it could not be seen.

    Attributes:
        cpu_percent: of one core; 200: two cores were busy.
        cpu_ms: processor time of a request.
        memory_mb: of all its processes; what they share is counted once where the system tells.
        memory_percent: of the machine's.
        gpu_percent: mean over the GPUs and the time.
        gpu_memory_mb: of all GPUs, the most.
        gpu_memory_percent: of theirs.
    """

    cpu_percent: float = 0.0
    cpu_ms: float = 0.0
    memory_mb: float = 0.0
    memory_percent: float = 0.0
    gpu_percent: float = 0.0
    gpu_memory_mb: float = 0.0
    gpu_memory_percent: float = 0.0


class UsageWatch:
    """Looks at processes before and after a load, so that nothing disturbs it meanwhile.

    Args:
        find: lists the server's processes.
        clock: seconds.
    """

    def __init__(
        self,
        find: Callable[[], Sequence[psutil.Process]],
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._find = find
        self._clock = clock
        self._gpus: list[tuple[float, float, float]] = []
        self._cpu_s = self._seconds = 0.0

    @contextmanager
    def watching(self) -> Iterator[None]:
        """Count what is used meanwhile."""
        cpu_s, began = self._cpu_now(), self._clock()
        with _polling(self._look_at_gpus):
            yield
        self._cpu_s += max(self._cpu_now() - cpu_s, 0.0)
        self._seconds += self._clock() - began

    def sum_up(self, requests: int) -> Usage:
        """What was used, over all times that were watched.

        Args:
            requests: that were answered in them.
        """
        memory = sum(map(_memory, self._find()))
        shares, used, total = zip(*self._gpus, strict=True) if self._gpus else ((0,), (0,), (0,))
        most = max(used)
        return Usage(
            cpu_percent=100 * self._cpu_s / self._seconds if self._seconds else 0.0,
            cpu_ms=1000 * self._cpu_s / requests if requests else 0.0,
            memory_mb=memory / _MIB,
            memory_percent=100 * memory / psutil.virtual_memory().total,
            gpu_percent=sum(shares) / len(shares),
            gpu_memory_mb=most,
            gpu_memory_percent=100 * most / max(total) if max(total) else 0.0,
        )

    def _cpu_now(self) -> float:
        return sum(map(_cpu_s, self._find()))

    def _look_at_gpus(self) -> None:
        found = read_gpus()
        if found is not None:
            self._gpus.append(found)


def family_of(pid: int) -> list[psutil.Process]:
    """A process and all below it; none when it is gone."""
    with contextlib.suppress(psutil.Error):
        first = psutil.Process(pid)
        return [first, *first.children(recursive=True)]
    return []


def listener_of(port: int) -> int | None:
    """The process that listens on a port of this machine; None where the system does not tell."""
    with contextlib.suppress(psutil.Error):
        for connection in psutil.net_connections("tcp"):
            here = getattr(connection.laddr, "port", None)
            if connection.status == psutil.CONN_LISTEN and here == port:
                return connection.pid
    return None


def read_gpus() -> tuple[float, float, float] | None:
    """Mean load in percent, memory used and memory there is in MiB, of all GPUs; None: no GPUs."""
    rows = list(filter(None, map(_gpu_row, query_gpus(_NVIDIA_SMI_S))))
    if not rows:
        return None
    shares, used, total = map(sum, zip(*rows, strict=True))
    return shares / len(rows), used, total


def _gpu_row(line: str) -> tuple[float, float, float] | None:
    """Load in percent, memory used and there is, MiB; of a GPU that is divided no load is told."""
    try:
        _, share, used, total = (cell.strip() for cell in line.split(","))
        return 0.0 if share.startswith("[") else float(share), float(used), float(total)
    except ValueError:
        return None


@contextmanager
def _polling(look: Callable[[], None]) -> Iterator[None]:
    """Look now and then, in a thread of its own; not at all where there is no GPU to look at."""
    if shutil.which("nvidia-smi") is None:
        yield
        return
    done = threading.Event()

    def poll() -> None:
        while not done.wait(_GPU_EVERY_S):
            look()

    thread = threading.Thread(target=poll, daemon=True)
    thread.start()
    try:
        yield
    finally:
        done.set()
        thread.join()


def _cpu_s(process: psutil.Process) -> float:
    with contextlib.suppress(psutil.Error):
        times = process.cpu_times()
        return float(times.user + times.system)
    return 0.0


def _memory(process: psutil.Process) -> float:
    with contextlib.suppress(psutil.Error):
        full = process.memory_full_info()
        return float(getattr(full, "pss", full.rss))
    with contextlib.suppress(psutil.Error):
        return float(process.memory_info().rss)
    return 0.0
