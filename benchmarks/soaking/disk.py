"""A small disk for the data folder, and how it gets full."""

import contextlib
import os
import shutil
import subprocess
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import psutil

from benchmarks.soaking.product import Product

__all__ = ("fill", "small_disk", "squeeze")

_PIECES = (1 << 20, 1 << 12, 1)
"""Bytes written at a time, until none of these fits."""


@contextmanager
def small_disk(folder: Path, megabytes: int) -> Iterator[bool]:
    """Lay a disk of that size, in memory, over a folder; whether one did, which only root may.

    folder: made where it is not there.
    megabytes: of the disk; 0: none is wanted.
    """
    folder.mkdir(parents=True, exist_ok=True)
    mount = shutil.which("mount")
    command = (str(mount), "-t", "tmpfs", "-o", f"size={megabytes}m,mode=700", "soak", str(folder))
    is_mounted = megabytes > 0 and mount is not None and _succeeds(command)
    try:
        yield is_mounted
    finally:
        if is_mounted:
            _succeeds(("umount", "--lazy", str(folder)))


def fill(product: Product, has_own_disk: bool) -> Callable[[], None]:
    """Leave no room for data; gives what makes room again.

    Without a disk of its own the processes are forbidden to write files (RLIMIT_FSIZE), which is
    not quite the same: the error is another, and Redis ends.
    """
    if has_own_disk:
        return _fill_with_file(product.data / "ballast")
    return _forbid(product, psutil.RLIMIT_FSIZE, lambda _: 0)


def squeeze(product: Product, role: str, megabytes: int) -> Callable[[], None]:
    """Let the processes of a role take hardly more memory than they have; gives what lets them."""
    return _forbid(
        product, psutil.RLIMIT_AS, lambda each: each.memory_info().vms + (megabytes << 20), role
    )


def _fill_with_file(ballast: Path) -> Callable[[], None]:
    with ballast.open("wb", buffering=0) as file:
        for piece in _PIECES:
            with contextlib.suppress(OSError):
                while file.write(b"\0" * piece):
                    pass
    return lambda: ballast.unlink(missing_ok=True)


def _forbid(
    product: Product, limit: int, how_much: Callable[[psutil.Process], int], role: str = ""
) -> Callable[[], None]:
    """Set a soft limit for all of a role, or for all; gives what takes it back."""
    forbidden = []
    for its, process in product.processes():
        if role in ("", its):
            with contextlib.suppress(psutil.Error):
                _, hard = process.rlimit(limit)
                process.rlimit(limit, (how_much(process), hard))
                forbidden.append(process)

    def allow() -> None:
        for process in forbidden:
            with contextlib.suppress(psutil.Error, OSError):
                _, hard = process.rlimit(limit)
                process.rlimit(limit, (hard, hard))

    return allow


def _succeeds(command: tuple[str, ...]) -> bool:
    if os.geteuid() != 0:
        return False
    return subprocess.run(command, capture_output=True, check=False).returncode == 0
