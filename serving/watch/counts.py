"""WatchCounts: what a watcher has done."""

from dataclasses import dataclass

__all__ = ("WatchCounts",)


@dataclass(slots=True)
class WatchCounts:
    """What a watcher has done since the start of the server.

    Attributes:
        looks: that went well.
        failed_looks: that did not.
        deployed: archives and folders whose content it let be served.
        rejected: that could not be.
        removed: that it serves no longer.
        pending: that wait: they are being written, a release goes on, or the machine is at fault.
        looked_at: when the last look went well, seconds since 1970; 0: none has.
    """

    looks: int = 0
    failed_looks: int = 0
    deployed: int = 0
    rejected: int = 0
    removed: int = 0
    pending: int = 0
    looked_at: float = 0.0
