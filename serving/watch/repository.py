"""WatchedRepository: a watcher with its place, put together from a server's settings."""

from collections.abc import Callable, Iterator
from pathlib import Path

from serving.admission import Admission
from serving.archive.stored import StoredModel
from serving.audit.log import AuditLog
from serving.engine import Engine
from serving.releases.releases import Releases
from serving.settings import ServerSettings
from serving.watch.bucket import WatchedBucket
from serving.watch.counts import WatchCounts
from serving.watch.deployer import Deployer
from serving.watch.folder import WatchedFolder
from serving.watch.found import Source
from serving.watch.records import Records
from serving.watch.watcher import Watcher

__all__ = ("WatchedRepository",)


class WatchedRepository:
    """What a server watches.

    Args:
        settings: what, and what becomes of it.
        engine: serves what arrives.
        releases: releases it.
        audit: takes note.
        on_change: called when what is served has changed.

    Raises:
        InvalidSettings: when they cannot be followed.
    """

    def __init__(
        self,
        settings: ServerSettings,
        engine: Engine,
        releases: Releases,
        audit: AuditLog,
        on_change: Callable[[], None],
    ) -> None:
        watch = settings.watch
        admission = Admission(settings)
        self._engine = engine
        self._interval_s = watch.interval_s
        self._models_dir = Path(settings.models_dir)
        source: Source
        if watch.source.startswith("s3:"):
            self._root = None
            source = WatchedBucket(watch, admission.work_dir)
        else:
            self._root = Path(watch.source or settings.models_dir)
            source = WatchedFolder(self._root, watch)
        records = Records(_state_file(settings), watch.source or settings.models_dir)
        deployer = Deployer(engine, admission, releases, watch)
        deployer.on_change = on_change
        self._watcher = Watcher(source, records, deployer, releases, audit)
        self._watcher.departures.is_removing = watch.unregister_removed
        self._withheld: frozenset[str] = frozenset()

    @property
    def counts(self) -> WatchCounts:
        """What it has done."""
        return self._watcher.counts

    @property
    def is_models_dir(self) -> bool:
        """Whether it is the folder that the server loads at its start."""
        return self._root is not None and self._root.resolve() == self._models_dir.resolve()

    async def prepare(self) -> None:
        """Learn what is there before anything is loaded.

        Raises:
            ServerUnavailable: when it cannot be looked at.
        """
        self._withheld = await self._watcher.prepare()

    def is_withheld(self, path: Path) -> bool:
        """Whether a file or folder of models comes later than the start, or is known as bad."""
        if self._root is None or not self.is_models_dir or not path.is_relative_to(self._root):
            return False
        key = path.relative_to(self._root).as_posix()
        return key in self._withheld or self._watcher.is_rejected(key)

    async def take_up(self) -> None:
        """Go on from what was loaded, and load the rest of what was there before.

        Raises:
            ServerUnavailable: when it cannot be looked at.
        """
        served = dict(self._served()) if self.is_models_dir else {}
        await self._watcher.take_up(served, is_all=not self.is_models_dir)
        self._withheld = frozenset()

    def give_way(self, is_arriving: Callable[[str], bool]) -> None:
        """Leave alone for now what somebody registers, told by its name in the folder."""
        self._watcher.is_arriving = is_arriving

    async def run(self) -> None:
        """Look again and again, until this is cancelled."""
        await self._watcher.run(self._interval_s)

    def _served(self) -> Iterator[tuple[str, StoredModel]]:
        """What is served from the folder, by key."""
        for endpoint in self._engine.registry.endpoints:
            stored = endpoint.stored
            if stored.url and "/" not in stored.url:
                yield stored.url, stored
            elif self._root is not None and stored.folder.is_relative_to(self._root):
                yield stored.folder.relative_to(self._root).as_posix(), stored


def _state_file(settings: ServerSettings) -> Path | None:
    if settings.watch.state_file:
        return Path(settings.watch.state_file)
    return Path(settings.log_dir) / "config" / "watched.json" if settings.log_dir else None
