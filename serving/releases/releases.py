"""Releases: what may be asked of the releases of one server."""

import logging
import secrets
import time
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from msgspec import structs

from serving.archive.stored import StoredModel
from serving.engine import Engine
from serving.errors import (
    Conflict,
    NotAllowed,
    ReleaseNotFound,
    VersionRolledBack,
)
from serving.model_config import ModelConfig
from serving.releases.course import Course
from serving.releases.events import Audit
from serving.releases.kept import KeptRelease, ReleaseFile
from serving.releases.plan import (
    ReleasePlan,
    SplitPlan,
    candidate_of,
    first_weights,
)
from serving.releases.preparing import check_versions, register_shunned, wake
from serving.releases.release import Release
from serving.releases.report import ReleaseReport
from serving.releases.reporting import report_release
from serving.releases.restoring import restore_releases
from serving.releases.steering import Steering
from serving.settings import ServerSettings

__all__ = ("Releases",)

_log = logging.getLogger(__name__)


class Releases:
    """The releases of one server.

    Args:
        engine: the models.
        settings: which releases begin with the server, and where they are kept.
        audit: told of every change.

    Attributes:
        course: what becomes of them.
        steering: what an operator makes of them.
    """

    def __init__(self, engine: Engine, settings: ServerSettings, audit: Audit) -> None:
        self._registry = engine.registry
        self._engine = engine
        self._settings = settings
        self._file = ReleaseFile(_path_of(settings))
        self._kept = self._file.read()
        self.course = Course(engine, self._file, self._kept, audit)
        self.steering = Steering(self.course, engine.registry)

    def restore(self) -> None:
        """Go on with what was kept, before any model is served, so none is asked too much."""
        plans = self._settings.releases
        self.course.releases.update(restore_releases(self._kept, plans, self._registry))

    async def start(self) -> None:
        """Look at the releases from now on; the models that they are about are served by now.

        Raises:
            ServingError: when a release of the settings cannot begin.
        """
        for model, release in list(self.course.releases.items()):
            if release.kept.is_on:
                self.course.go_on(release)
            elif release.kept.state == "rolled_back":
                self.course.retire(model, release.kept.candidate)
        for model, plan in self._settings.releases.items():
            await self._begin_configured(structs.replace(plan, model=model))
        self.course.start()

    async def stop(self) -> None:
        """Look at them no more; what was kept is gone on with after the next start."""
        await self.course.stop()
        if self._kept.releases:
            self.course.save()

    @property
    def all(self) -> Sequence[Release]:
        """The present or last one of each model, by name."""
        return [release for _, release in sorted(self.course.releases.items())]

    @property
    def reports(self) -> tuple[ReleaseReport, ...]:
        """How they stand."""
        return tuple(report_release(release) for release in self.all)

    def read(self, model: str) -> ReleaseReport:
        """How the present release of a model stands, or its last one.

        Raises:
            ReleaseNotFound: when there was none.
        """
        return report_release(self.course.find(model))

    def is_on(self, model: str) -> bool:
        """Whether a release of the model goes on."""
        release = self.course.releases.get(model)
        return release is not None and release.kept.is_on

    def was_rolled_back(self, model: str, version: str) -> bool:
        """Whether this version took itself back, at any time that is remembered."""
        return version in self._kept.rolled_back.get(model, ())

    async def introduce(
        self,
        stored: StoredModel,
        plan: ReleasePlan,
        *,
        by: str,
        config: ModelConfig | None = None,
        again: bool = False,
    ) -> ReleaseReport | None:
        """Serve a new version and release it: until then the one before answers all.

        Args:
            stored: where the version is.
            plan: how it is released, whatever model and version it names.
            by: who wants it so.
            config: how it is served; None: as the settings say, over what the archive asks for.
            again: whether a version that took itself back before is tried again.

        Returns:
            How the release stands; None: it is the first version of its model, and answers all.

        Raises:
            VersionRolledBack: when it took itself back before.
            Conflict: when a release of the model is on, or the version is served already.
            InvalidModel: when it cannot be loaded.
        """
        name, version = stored.manifest.name, stored.manifest.version
        if name not in self._registry.names:
            await self._engine.register(stored, config)
            return None
        self._check_new(name, version, again=again)
        stable = self._registry.default_version(name)
        await register_shunned(self._engine, stored, config)
        plan = structs.replace(plan, model=name, stable=plan.stable or stable)
        if not isinstance(plan, SplitPlan):
            plan = structs.replace(plan, version=version)
        return await self.begin(plan, by=by, again=again)

    async def begin(self, plan: ReleasePlan, *, by: str, again: bool = False) -> ReleaseReport:
        """Release a version that is served already.

        Args:
            plan: how.
            by: who wants it so.
            again: whether a version that took itself back before is tried again.

        Raises:
            VersionRolledBack: when it took itself back before.
            Conflict: when a release of the model is on.
            ModelNotFound: when there is no such model or version.
            BadInput: when its versions cannot be told apart, or serve sequences.
            NotAllowed: where TorchServe's ways are kept.
            InvalidModel: when a version has no worker, and none can be started.
        """
        if self._settings.compat == "torchserve":
            raise NotAllowed("there are no releases with compat = torchserve")
        stable = plan.stable or self._registry.default_version(plan.model)
        self._registry.versions(plan.model)
        candidate = candidate_of(plan, stable)
        self._check_new(plan.model, candidate, again=again)
        weights = first_weights(plan, stable)
        check_versions(self._registry, plan.model, stable, weights)
        with self.course.waking(plan.model, weights):
            await wake(self._registry, plan.model, weights)
            self._check_new(plan.model, candidate, again=again)
            release = self._new_release(plan, stable, candidate, weights)
            self.course.begin(release, by)
        if release.kept.share == 1:
            self.course.complete(release, by)
        if not self._file.is_kept:
            _log.warning("no log_dir and no releases_file: a restart will not know of the release")
        return self.read(plan.model)

    def _new_release(
        self, plan: ReleasePlan, stable: str, candidate: str, weights: dict[str, float]
    ) -> Release:
        now = time.time()
        kept = KeptRelease(
            id=secrets.token_hex(6),
            plan=plan,
            stable=stable,
            candidate=candidate,
            weights=weights,
            begun_at=now,
            step_at=now,
        )
        return Release(kept, self._registry)

    def shares(self) -> Iterator[tuple[tuple[str, str], float]]:
        """What each served version gets of its model's requests that name none, in [0, 1]."""
        for model in self._registry.names:
            release = self.course.releases.get(model)
            shares: Mapping[str, float] = {self._registry.default_version(model): 1.0}
            if release is not None and release.kept.is_on:
                shares = release.shares
            for endpoint in self._registry.versions(model):
                version = endpoint.manifest.version
                yield (model, version), shares.get(version, 0.0)

    def resting(self) -> Iterator[tuple[str, str]]:
        """Versions that need no workers, for their release is over and they are not asked."""
        for endpoint in self._registry.endpoints:
            model, version = endpoint.manifest.name, endpoint.manifest.version
            release = self.course.releases.get(model)
            is_known = self.was_rolled_back(model, version) or (
                release is not None and not release.kept.is_on and version in release.arms
            )
            if is_known and not endpoint.is_wanted:
                yield model, version

    def feed_back(self, model: str, version: str, metric: str, value: float) -> None:
        """Count what a client says of an answer, while a release goes on.

        Raises:
            ReleaseNotFound: when none of the model goes on, or the version is not in it.
        """
        release = self.course.releases.get(model)
        if release is None or not release.kept.is_on or version not in release.arms:
            raise ReleaseNotFound(f"no release of {model} with version {version} goes on")
        release.arms[version].measure(metric, value)

    def _check_new(self, model: str, version: str, *, again: bool) -> None:
        if self.is_on(model):
            raise Conflict(f"a release of {model} is on: promote or abort it first")
        if self.was_rolled_back(model, version) and not again:
            msg = f"version {version} of {model} took itself back: say again=true to try it again"
            raise VersionRolledBack(msg)

    async def _begin_configured(self, plan: ReleasePlan) -> None:
        """Begin what the settings say, once: what has ended is not begun again by a restart."""
        last = self._kept.releases.get(plan.model)
        if last is not None and last.plan == plan:
            return
        stable = plan.stable or self._registry.default_version(plan.model)
        if self.is_on(plan.model) or self.was_rolled_back(plan.model, candidate_of(plan, stable)):
            _log.warning("the release of %s in the settings does not begin", plan.model)
            return
        await self.begin(plan, by="settings")


def _path_of(settings: ServerSettings) -> Path | None:
    if settings.releases_file:
        return Path(settings.releases_file)
    return Path(settings.log_dir) / "config" / "releases.json" if settings.log_dir else None
