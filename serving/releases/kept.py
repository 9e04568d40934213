"""KeptRelease: what is kept of a release over a restart of the server, in a file."""

import logging
from contextlib import suppress
from pathlib import Path

import msgspec

from serving.kept_file import read_kept, write_kept
from serving.releases.events import ReleaseEvent
from serving.releases.plan import ReleasePlan
from serving.releases.report import ReleaseState

__all__ = ("KeptRelease", "KeptReleases", "ReleaseFile")

_MOST_BYTES = 16 << 20

_log = logging.getLogger(__name__)


class KeptRelease(msgspec.Struct, kw_only=True):
    """One release; it is changed as it goes on.

    Attributes:
        id: of it.
        plan: as it was asked for, with the model's name.
        stable: the version before.
        candidate: the new one.
        weights: of each version, by which it is chosen now.
        begun_at: seconds since 1970.
        step_at: when the present step began, likewise.
        state: whether it goes on, and else how it ended.
        step: index of the present step.
        contents: of each version, the SHA-256 of what its workers hold, as far as it is known.
        rounds: how often its rules have been begun: less of the rate of false alarms is left.
        ended_at: seconds since 1970; None: it goes on.
        reason: why it ended; "" while it goes on.
        rule: which took it back; "" where none did.
        numbers: that were the reason, by name.
        events: changes, the latest last.
    """

    id: str
    plan: ReleasePlan
    stable: str
    candidate: str
    weights: dict[str, float]
    begun_at: float
    step_at: float
    state: ReleaseState = "running"
    step: int = 0
    contents: dict[str, str] = {}
    rounds: int = 1
    ended_at: float | None = None
    reason: str = ""
    rule: str = ""
    numbers: dict[str, float] = {}
    events: list[ReleaseEvent] = []

    @property
    def model(self) -> str:
        """The model's name."""
        return self.plan.model

    @property
    def is_on(self) -> bool:
        """Whether it goes on."""
        return self.state in {"running", "paused"}

    @property
    def share(self) -> float:
        """What the candidate gets of the requests that name no version, in [0, 1]."""
        return self.weights.get(self.candidate, 0.0) / sum(self.weights.values())


class KeptReleases(msgspec.Struct, kw_only=True):
    """All that is kept.

    Attributes:
        releases: the present or last one of each model, by name.
        rolled_back: versions of each model that took themselves back, the latest last.
    """

    releases: dict[str, KeptRelease] = {}
    rolled_back: dict[str, list[str]] = {}


class ReleaseFile:
    """Where releases are kept.

    Args:
        path: of the file; None: they are not.
    """

    def __init__(self, path: Path | None) -> None:
        self._path = path

    @property
    def is_kept(self) -> bool:
        """Whether a restart of the server finds anything."""
        return self._path is not None

    def read(self) -> KeptReleases:
        """What was kept; a file that cannot be read is told in the log, and set aside."""
        path = self._path
        if path is None or not path.is_file():
            return KeptReleases()
        try:
            return read_kept(path, KeptReleases, _MOST_BYTES)
        except (OSError, msgspec.DecodeError) as error:
            _log.error("%s: releases of before are not known: %s", path, error)
            with suppress(OSError):
                path.replace(path.with_name(path.name + ".unreadable"))
            return KeptReleases()

    def write(self, kept: KeptReleases) -> None:
        """Keep it; a disk that takes nothing is told in the log."""
        path = self._path
        if path is None:
            return
        try:
            write_kept(path, kept)
        except OSError as error:
            _log.error("cannot keep the releases in %s: %s", path, error.strerror)
