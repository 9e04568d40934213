"""Course: what becomes of releases: they are looked at, stepped up, completed, or taken back."""

import asyncio
import contextlib
import logging
import time
from collections import Counter
from collections.abc import Collection, Coroutine, Iterator
from functools import partial
from typing import Any

from serving.archive.manifest import Manifest
from serving.engine import Engine
from serving.errors import ModelNotFound, ReleaseNotFound, ServingError
from serving.registry.endpoint import Endpoint
from serving.releases.events import Audit, ReleaseEvent, ReleaseEventKind
from serving.releases.kept import KeptReleases, ReleaseFile
from serving.releases.plan import CanaryPlan
from serving.releases.release import Release
from serving.releases.verdict import Verdict

__all__ = ("Course",)

_LOOK_S = 2.0
"""How often releases are looked at, seconds: no longer ago than a stall of a worker lasts."""

_DRAIN_S = 60.0
"""How long a version that is no longer asked may take to answer what it was, seconds."""

_DRAIN_CHECK_S = 0.05
_MOST_EVENTS = 100
_MOST_ROLLED_BACK = 100

_log = logging.getLogger(__name__)


class Course:
    """Changes releases, and says so: to the file, the log, the metrics, and who keeps the record.

    Args:
        engine: the models.
        file: where releases are kept.
        kept: what is kept there.
        audit: told of every change.

    Attributes:
        releases: the present or last one of each model.
        counts: changes, by model and kind.
    """

    def __init__(self, engine: Engine, file: ReleaseFile, kept: KeptReleases, audit: Audit) -> None:
        self._engine = engine
        self._file = file
        self._kept = kept
        self._audit = audit
        self._being_woken: Counter[tuple[str, str]] = Counter()
        self._errands: set[asyncio.Task[None]] = set()
        self.releases: dict[str, Release] = {}
        self.counts: Counter[tuple[str, ReleaseEventKind]] = Counter()

    def find(self, model: str) -> Release:
        """The present or last release of a model.

        Raises:
            ReleaseNotFound: when there was none.
        """
        release = self.releases.get(model)
        if release is None:
            raise ReleaseNotFound(f"there was no release of {model}: begin one")
        return release

    def start(self) -> None:
        """Look at all of them from now on."""
        self._run_aside(self._look_again_and_again())

    async def stop(self) -> None:
        """Look at them no more."""
        for errand in self._errands:
            errand.cancel()
        await asyncio.gather(*self._errands, return_exceptions=True)
        for release in self.releases.values():
            release.fall_silent()

    def look(self, now: float) -> None:
        """Look at every release that is on: step it up, or take it back.

        One that cannot be looked at is told in the log, and stops no other.

        Args:
            now: monotonic seconds.
        """
        for release in list(self.releases.values()):
            try:
                self._look_at(release, now)
            except Exception:
                _log.exception("the release of %s cannot be looked at", release.kept.model)

    def begin(self, release: Release, by: str) -> None:
        """Let a new one choose from now on."""
        model = release.kept.model
        self.releases[model] = release
        self._kept.releases[model] = release.kept
        self._shun(release)
        registry = self._engine.registry
        if registry.default_version(model) != release.kept.stable:
            registry.prefer(model, release.kept.stable)
        self._enter(release)
        self.tell(release, "begun", by, 0.0)

    def go_on(self, release: Release) -> None:
        """Let one from before a restart choose again."""
        self._enter(release)
        self.tell(release, "restored", "itself", release.kept.share)

    def step_to(self, release: Release, share: float, by: str) -> None:
        """Give the new version this share, in (0, 1]; at 1 the release is completed."""
        if share >= 1:
            self.complete(release, by)
            return
        kept = release.kept
        before = kept.share
        release.begin_step({kept.candidate: share, kept.stable: 1 - share})
        self.tell(release, "stepped", by, before)

    def complete(self, release: Release, by: str) -> None:
        """Let the new version answer everything from now on."""
        kept, registry = release.kept, self._engine.registry
        before = kept.share
        kept.state, kept.ended_at = "completed", time.time()
        release.begin_step({**dict.fromkeys(kept.weights, 0.0), kept.candidate: 1.0})
        self._leave(release)
        registry.shun(kept.model, kept.candidate, is_shunned=False)
        if registry.default_version(kept.model) != kept.candidate:
            registry.prefer(kept.model, kept.candidate)
        past = self._kept.rolled_back.get(kept.model, [])
        past[:] = [version for version in past if version != kept.candidate]
        self.tell(release, "completed", by, before)
        if isinstance(kept.plan, CanaryPlan) and not kept.plan.keep_stable:
            self.retire(kept.model, kept.stable)

    def roll_back(self, release: Release, verdict: Verdict) -> None:
        """Take a canary back, and remember that."""
        kept = release.kept
        kept.state, kept.rule, kept.numbers = "rolled_back", verdict.rule, verdict.numbers
        past = self._kept.rolled_back.setdefault(kept.model, [])
        past[:] = [*(version for version in past if version != kept.candidate), kept.candidate]
        del past[:-_MOST_ROLLED_BACK]
        self._end(release, "rolled_back", "itself", verdict.reason)

    def abort(self, release: Release, by: str, reason: str) -> None:
        """Take a release back because somebody wants it so."""
        release.kept.state = "aborted"
        self._end(release, "aborted", by, reason)

    @contextlib.contextmanager
    def waking(self, model: str, versions: Collection[str]) -> Iterator[None]:
        """Let none of these rest meanwhile: they are about to be released.

        Where that fails, those that had no workers before have none again.
        """
        find, keys = self._engine.registry.find, [(model, version) for version in versions]
        resting = [version for version in versions if not find(model, version).is_wanted]
        self._being_woken.update(keys)
        try:
            yield
        except BaseException:
            for version in resting:
                self.retire(model, version)
            raise
        finally:
            self._being_woken.subtract(keys)
            # Whoever is woken by nobody is not remembered: a server is given ever new versions.
            self._being_woken += Counter()

    def retire(self, model: str, version: str) -> None:
        """Let a version's workers go, when it has answered what it was asked, if none needs it."""
        try:
            endpoint = self._engine.registry.find(model, version)
        except ModelNotFound:
            return
        self._run_aside(self._let_rest(endpoint))

    def tell(
        self, release: Release, kind: ReleaseEventKind, by: str, before: float, reason: str = ""
    ) -> None:
        """Write a change down.

        Args:
            release: that has changed.
            kind: how.
            by: who did it.
            before: what share the new version had.
            reason: why; "": that for which the release has ended, if it has.
        """
        kept = release.kept
        event = ReleaseEvent(
            at=time.time(),
            model=kept.model,
            release=kept.id,
            kind=kind,
            by=by,
            version=kept.candidate,
            stable=kept.stable,
            share_before=before,
            share=kept.share,
            reason=reason or kept.reason,
            numbers=kept.numbers,
        )
        kept.events = [*kept.events, event][-_MOST_EVENTS:]
        self.counts[kept.model, kind] += 1
        self.save()
        self._engine.on_change()
        _log_event(event)
        self._audit.note(event)

    def save(self) -> None:
        """Keep what is to be known after a restart."""
        self._file.write(self._kept)

    def _look_at(self, release: Release, now: float) -> None:
        if not release.kept.is_on:
            return
        release.listen()
        verdict = release.look(now)
        if verdict is not None:
            self.roll_back(release, verdict)
        elif release.may_step(now):
            self.step_to(release, release.next_share, "itself")

    def _end(self, release: Release, kind: ReleaseEventKind, by: str, reason: str) -> None:
        """Nothing more goes to the new versions, and their workers go when they have answered."""
        kept = release.kept
        before, others = kept.share, [v for v in kept.weights if v != kept.stable]
        kept.reason, kept.ended_at = reason, time.time()
        release.set_weights({**dict.fromkeys(others, 0.0), kept.stable: 1.0})
        self._leave(release)
        registry = self._engine.registry
        if kept.model in registry.names and registry.default_version(kept.model) in others:
            # Somebody has chosen it meanwhile.
            registry.prefer(kept.model, kept.stable)
        self.tell(release, kind, by, before)
        for version in others:
            self.retire(kept.model, version)

    def _enter(self, release: Release) -> None:
        release.on_renewed = partial(self._renewed, release)
        self._engine.registry.routers[release.kept.model] = release
        release.listen()

    def _renewed(self, release: Release, before: float, reason: str) -> None:
        self.tell(release, "renewed", "itself", before, reason)

    def _leave(self, release: Release) -> None:
        self._engine.registry.routers.pop(release.kept.model, None)
        release.fall_silent()

    def _shun(self, release: Release) -> None:
        """A new version does not answer everything only because it is the highest."""
        kept, registry = release.kept, self._engine.registry
        for version in kept.weights:
            registry.shun(kept.model, version, is_shunned=version != kept.stable)

    def _run_aside(self, work: Coroutine[Any, Any, None]) -> None:
        errand = asyncio.get_running_loop().create_task(work)
        self._errands.add(errand)
        errand.add_done_callback(self._errands.discard)

    async def _let_rest(self, endpoint: Endpoint) -> None:
        manifest, give_up_at = endpoint.manifest, time.monotonic() + _DRAIN_S
        key = manifest.name, manifest.version
        # While it is woken it is not known yet whether it is needed.
        while self._being_woken[key] or (endpoint.in_flight and time.monotonic() < give_up_at):
            await asyncio.sleep(_DRAIN_CHECK_S)
        if self._is_needed(manifest):
            return
        with contextlib.suppress(ServingError):
            await endpoint.scale(0, 0, wait=False)
        self._engine.on_change()

    def _is_needed(self, manifest: Manifest) -> bool:
        """Whether a version answers again: it is tried once more, or somebody has chosen it."""
        name, version = manifest.name, manifest.version
        release, registry = self.releases.get(name), self._engine.registry
        is_tried = release is not None and release.kept.is_on and version in release.arms
        return is_tried or (name in registry.names and registry.default_version(name) == version)

    async def _look_again_and_again(self) -> None:
        while True:
            await asyncio.sleep(_LOOK_S)
            self.look(time.monotonic())


def _log_event(event: ReleaseEvent) -> None:
    level = logging.WARNING if event.kind == "rolled_back" else logging.INFO
    what = f"release of {event.model} {event.version} {event.kind.replace('_', ' ')} by {event.by}"
    why = f": {event.reason}" if event.reason else ""
    _log.log(level, "%s, share %.3g -> %.3g%s", what, event.share_before, event.share, why)
