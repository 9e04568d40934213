"""Steering: what an operator makes of a release that goes on."""

from serving.errors import BadInput, Conflict
from serving.registry.registry import Registry
from serving.releases.course import Course
from serving.releases.events import ReleaseEventKind
from serving.releases.plan import CanaryPlan, ShadowPlan
from serving.releases.release import Release
from serving.releases.report import ReleaseReport, ReleaseState
from serving.releases.reporting import report_release

__all__ = ("Steering",)


class Steering:
    """Changes releases as somebody wants it.

    Args:
        course: what becomes of them.
        registry: the versions.
    """

    def __init__(self, course: Course, registry: Registry) -> None:
        self._course = course
        self._registry = registry

    def step(self, model: str, *, by: str, share: float | None = None) -> ReleaseReport:
        """Give the new version more now, whether or not it has earned it; or less.

        Args:
            model: whose release.
            by: who wants it so.
            share: of the requests, in (0, 1]; None: a canary's next step.

        Raises:
            ReleaseNotFound: when there was none.
            Conflict: when it is over.
            BadInput: when there is no next step, or the share cannot be.
        """
        release = self._find_on(model)
        plan = release.kept.plan
        if isinstance(plan, ShadowPlan):
            raise BadInput("a shadow answers no client: it has no steps")
        if len(release.kept.weights) != 2:
            raise BadInput("a split of more than two versions has no steps: begin another one")
        if share is None and not isinstance(plan, CanaryPlan):
            raise BadInput("a split has no next step: name the share")
        wanted = release.next_share if share is None else share
        if not 0 < wanted <= 1:
            raise BadInput(f"share must be above 0 and at most 1, got {wanted:g}")
        if wanted == 1:
            self._check_ready(release)
        self._course.step_to(release, wanted, by)
        return report_release(release)

    def promote(self, model: str, *, by: str) -> ReleaseReport:
        """Let the new version answer everything from now on.

        Raises:
            ReleaseNotFound: when there was none.
            Conflict: when it is over, or the new version has no worker.
        """
        release = self._find_on(model)
        self._check_ready(release)
        self._course.complete(release, by)
        return report_release(release)

    def pause(self, model: str, *, by: str) -> ReleaseReport:
        """Let a canary get no larger; it is still taken back if it must be.

        Raises:
            ReleaseNotFound: when there was none.
            Conflict: when it is over.
        """
        return self._set_state(model, "paused", by)

    def resume(self, model: str, *, by: str) -> ReleaseReport:
        """Let a canary get larger again.

        Raises:
            ReleaseNotFound: when there was none.
            Conflict: when it is over.
        """
        return self._set_state(model, "running", by)

    def abort(self, model: str, *, by: str, reason: str = "") -> ReleaseReport:
        """Let the version before answer everything again; the others' workers go when done.

        Raises:
            ReleaseNotFound: when there was none.
            Conflict: when it is over.
        """
        release = self._find_on(model)
        self._course.abort(release, by, reason)
        return report_release(release)

    def _set_state(self, model: str, state: ReleaseState, by: str) -> ReleaseReport:
        release = self._find_on(model)
        if release.kept.state != state:
            release.kept.state = state
            kind: ReleaseEventKind = "paused" if state == "paused" else "resumed"
            self._course.tell(release, kind, by, release.kept.share)
        return report_release(release)

    def _find_on(self, model: str) -> Release:
        release = self._course.find(model)
        if not release.kept.is_on:
            state = release.kept.state.replace("_", " ")
            raise Conflict(f"the last release of {model} is over ({state}): begin another one")
        return release

    def _check_ready(self, release: Release) -> None:
        kept = release.kept
        if not self._registry.find(kept.model, kept.candidate).is_ready:
            raise Conflict(f"version {kept.candidate} has no worker: scale it up first")
