"""Hardware: what this process has to work with; found without importing anything heavy."""

import importlib.util
import os
from pathlib import Path

__all__ = ("count_gpus", "default_device", "usable_cores")


def default_device() -> str:
    """Choose "cuda:0" where an NVIDIA GPU and torch are found, else "cpu"; imports nothing."""
    has_gpu = Path("/dev/nvidia0").exists() and importlib.util.find_spec("torch") is not None
    return "cuda:0" if has_gpu else "cpu"


def count_gpus() -> int:
    """Count the NVIDIA GPUs that can be used; 0 where torch is not found."""
    if default_device() == "cpu":
        return 0
    return sum(path.name[6:].isdecimal() for path in Path("/dev").glob("nvidia[0-9]*"))


def usable_cores() -> int:
    """Count the CPU cores that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1
