"""Subject: the server that is measured, and how it is told that it serves as a setting says."""

import time
from typing import Protocol

import psutil

from serving.bench.management import Described, Management
from serving.bench.setting import Setting
from serving.errors import InvalidModel

__all__ = ("START_S", "Subject", "await_workers", "change", "is_served_so")

START_S = 180.0
"""Longest start of a server, or of a model's workers."""


class Subject(Protocol):
    """A server that is measured."""

    @property
    def place(self) -> tuple[str, int]:
        """Host and port of its inference."""
        ...

    def prepare(self, setting: Setting) -> None:
        """Have the model served so; raises a ServingError when that cannot be."""
        ...

    def processes(self) -> list[psutil.Process]:
        """Its processes; none where they cannot be seen."""
        ...

    def metrics(self) -> str:
        """Its metrics, as Prometheus' text."""
        ...

    def close(self) -> None:
        """Leave it as it was."""
        ...


def change(management: Management, model: str, url: str, setting: Setting) -> None:
    """Have a running server serve a model otherwise, as one does that is started so.

    With the same workers where only batches grow. Another number of workers must be registered
    anew, for threads are shared out among them when they are loaded; and after smaller batches, for
    they do not give back what memory the larger ones took.

    Args:
        management: of the server.
        model: its name.
        url: to register it by.
        setting: how it is to be served.

    Raises:
        ServingError: when it cannot be.
    """
    now = management.describe(model)
    is_growing = now.batch_size <= setting.batch_size
    same = {now.min_workers, now.max_workers, now.ready} == {setting.workers}
    if not (same and is_growing and management.rebatch(model, setting)):
        management.unregister(model)
        management.register(url, model, setting)
    await_workers(management, model, setting)


def await_workers(management: Management, model: str, setting: Setting) -> None:
    """Wait until all of them are ready: a server counts as ready with the first.

    Raises:
        InvalidModel: when they are not in time, or the archive's own file goes before the setting.
    """
    until = time.monotonic() + START_S
    found = management.describe(model)
    if not is_served_so(found, setting):
        msg = f"{model} is served with batches of {found.batch_size}, {found.min_workers} to "
        msg += f"{found.max_workers} workers, a delay of {found.max_batch_delay} ms, whatever is "
        msg += "asked for: take batchSize, maxBatchDelay, minWorkers and maxWorkers out of its "
        msg += "model-config.yaml, or out of the server's configuration"
        raise InvalidModel(msg)
    while found.ready < setting.workers:
        if time.monotonic() > until:
            msg = f"only {found.ready} of {setting.workers} workers were ready in {START_S:g} s"
            raise InvalidModel(msg)
        time.sleep(0.05)
        found = management.describe(model)


def is_served_so(found: Described, setting: Setting) -> bool:
    """Whether what a server says of a model is what a setting asks for."""
    # A server tells whole milliseconds.
    delays_apart = abs(found.max_batch_delay - setting.max_batch_delay_ms)
    workers = {found.min_workers, found.max_workers}
    is_near = delays_apart < 1
    return found.batch_size == setting.batch_size and workers == {setting.workers} and is_near
