"""The machine's state, as TorchServe's system metrics tell it: processor, memory, disk, GPUs."""

import asyncio
import shutil
import subprocess
from collections.abc import Iterator
from typing import NamedTuple

import psutil

from serving.observe.custom import TorchServeMetrics

__all__ = ("Reading", "query_gpus", "read_machine", "watch_machine")

_MB = 1024 * 1024
_GB = 1024 * _MB
_NVIDIA_SMI_S = 5


class Reading(NamedTuple):
    """One value; of a GPU where it has an index."""

    name: str
    value: float
    device: str = ""


async def watch_machine(metrics: TorchServeMetrics, interval_s: float) -> None:
    """Tell the machine's state now and every `interval_s` seconds, until cancelled."""
    while True:
        for reading in await asyncio.to_thread(lambda: list(read_machine())):
            labels = {"DeviceId": reading.device} if reading.device else {}
            metrics.host(reading.name, reading.value, **labels)
        await asyncio.sleep(interval_s)


def read_machine() -> Iterator[Reading]:
    """Read the machine's state: percents, memory in MiB, disk in GiB."""
    yield Reading("CPUUtilization", psutil.cpu_percent())
    memory = psutil.virtual_memory()
    yield Reading("MemoryUsed", memory.used / _MB)
    yield Reading("MemoryAvailable", memory.available / _MB)
    yield Reading("MemoryUtilization", memory.percent)
    disk = shutil.disk_usage("/")
    yield Reading("DiskUsage", disk.used / _GB)
    yield Reading("DiskUtilization", round(100 * disk.used / disk.total, 1))
    yield Reading("DiskAvailable", disk.free / _GB)
    for line in query_gpus(_NVIDIA_SMI_S):
        yield from gpu_readings(line)


def query_gpus(timeout_s: float) -> list[str]:
    """A line of each GPU, as `gpu_readings` reads it; none where there is no GPU, or no answer.

    Args:
        timeout_s: longest wait for the answer, seconds.
    """
    program = shutil.which("nvidia-smi")
    if program is None:
        return []
    command = [
        program,
        "--query-gpu=index,utilization.gpu,memory.used,memory.total",
        "--format=csv,noheader,nounits",
    ]
    try:
        found = subprocess.run(
            command, capture_output=True, text=True, timeout=timeout_s, check=True
        )
    except (OSError, subprocess.SubprocessError):
        return []
    return found.stdout.splitlines()


def gpu_readings(line: str) -> Iterator[Reading]:
    """Read one GPU's line: index, use in percent, memory used and there, MiB."""
    try:
        index, used, memory, total = (float(word) for word in line.split(","))
    except ValueError:
        return
    device = f"{index:g}"
    yield Reading("GPUUtilization", used, device)
    yield Reading("GPUMemoryUsed", memory, device)
    yield Reading("GPUMemoryUtilization", round(100 * memory / total, 1) if total else 0.0, device)
