"""Release: one model's versions beside one another: who gets a request, and what comes of it."""

import time
from collections.abc import Mapping, Sequence
from functools import partial

from serving.errors import ModelNotFound
from serving.handlers.points import MetricPoint
from serving.observe.statistics import BatchTimes
from serving.registry.endpoint import Endpoint
from serving.registry.registry import Registry
from serving.registry.routing import Again, Asker, Choice
from serving.releases.arm import Arm
from serving.releases.choosing import COOKIE_DAYS, Pick, Split
from serving.releases.evidence import EITHER_WAY, Evidence
from serving.releases.guard import CanaryGuard, Verdict
from serving.releases.kept import KeptRelease
from serving.releases.plan import CanaryPlan, ShadowPlan, Sticky, kind_of
from serving.releases.report import ReleaseReport
from serving.releases.reporting import compare_arms, report_arm, report_shadow
from serving.releases.shadow import Shadow
from serving.releases.trial import Trial, has_failed

__all__ = ("CHOICE_HEADER", "Release")

CHOICE_HEADER = "x-model-choice"
"""Tells, beside the version that answered, of which release that was and by what it was chosen."""

_DAY_S = 24 * 60 * 60
_PRIOR_REQUESTS = 20.0
"""Weight of the share that is meant beside the requests that were counted, where clients stay with
their version, and a single one may send most of them."""


class Release:
    """One release.

    Args:
        kept: what it is, and how far it has come.
        registry: the versions.

    Attributes:
        kept: the same; what changes is changed there.
        arms: by version, what each has done since the release began, or the server did.
        shadow: copies requests; None: it is no shadow.
    """

    def __init__(self, kept: KeptRelease, registry: Registry) -> None:
        self.kept = kept
        self._registry = registry
        plan = kept.plan
        self._sticky = Sticky() if isinstance(plan, ShadowPlan) else plan.sticky
        self.arms = {version: Arm(version) for version in kept.weights}
        self._others = tuple(version for version in self.arms if version != kept.stable)
        self._evidence = {version: Evidence(EITHER_WAY) for version in self._others}
        self.shadow = Shadow(plan) if isinstance(plan, ShadowPlan) else None
        self._guard = (
            CanaryGuard(plan.guard, self.candidate, self.stable, kept.rounds)
            if isinstance(plan, CanaryPlan)
            else None
        )
        self._step_began = time.monotonic()
        self.set_weights(kept.weights)

    @property
    def candidate(self) -> Arm:
        """The new version; of a split the first of the others."""
        return self.arms[self.kept.candidate]

    @property
    def stable(self) -> Arm:
        """The version before."""
        return self.arms[self.kept.stable]

    def choose(self, asker: Asker) -> tuple[Endpoint, Choice | None]:
        """Choose the version for a request; without a worker the new one is passed over.

        Raises:
            ModelNotFound: when none is served.
        """
        pick = self._split.choose(asker)
        endpoint = self._find(pick.version)
        if endpoint is None or not (pick.version == self.kept.stable or endpoint.is_ready):
            return self._stand_in(), None
        arm = self.arms[pick.version]
        return endpoint, Trial(arm, self._odds, self._headers_of(pick), self)

    def is_on_trial(self, version: str) -> bool:
        """Whether the server can do without this version."""
        return version != self.kept.stable

    def ended(self, trial: Trial, seconds: float, outcome: object, again: Again) -> None:
        """Count the answer to a request, and perhaps copy it."""
        arm, failed = trial.arm, has_failed(outcome)
        arm.note(seconds, has_failed=failed)
        if failed:
            self._note_failure(trial)
        if self._guard is not None:
            self._guard.took(trial, seconds, is_candidate=arm is not self.stable)
        elif self.shadow is not None:
            stable, candidate = self._find(self.kept.stable), self._find(self.kept.candidate)
            if stable is not None and candidate is not None:
                self.shadow.offer((stable, candidate), again, outcome, seconds)

    def listen(self) -> None:
        """Hear of the work of all its versions, and of what their handlers measure."""
        for version, arm in self.arms.items():
            endpoint = self._find(version)
            if endpoint is not None:
                endpoint.listen(partial(self._take, arm))

    def fall_silent(self) -> None:
        """Take no more, and copy no more."""
        for version in self.arms:
            endpoint = self._find(version)
            if endpoint is not None:
                endpoint.listen(None)
        if self.shadow is not None:
            self.shadow.stop()

    def look(self, now: float) -> Verdict | None:
        """Decide whether a canary is taken back; None: it is not.

        Args:
            now: monotonic seconds.
        """
        self._note_odds()
        for evidence in self._evidence.values():
            evidence.look()
        if self._guard is None:
            return None
        verdict = self._guard.look(now) or self._judge_readiness(now)
        self.kept.rounds = self._guard.round_number
        return verdict

    def may_step(self, now: float) -> bool:
        """Whether a canary may get more: enough time and requests, and nothing speaks against it.

        Args:
            now: monotonic seconds.
        """
        plan = self.kept.plan
        return (
            isinstance(plan, CanaryPlan)
            and self._guard is not None
            and self.kept.state == "running"
            and now - self._step_began >= plan.step_s
            and self.candidate.step_requests >= plan.step_requests
            and self.candidate.unready_since is None
            and not self._guard.is_in_doubt
        )

    @property
    def shares(self) -> Mapping[str, float]:
        """What each version gets of the requests that name none, in [0, 1]."""
        return self._split.shares

    @property
    def next_share(self) -> float:
        """What a canary's new version gets next; 1 of what has no steps."""
        plan, share = self.kept.plan, self.kept.share
        steps = plan.shares if isinstance(plan, CanaryPlan) else ()
        return next((each for each in steps if each > share), 1.0)

    def begin_step(self, weights: Mapping[str, float]) -> None:
        """Choose by these weights from now on, and begin to count what belongs to a step."""
        self._step_began = time.monotonic()
        for arm in self.arms.values():
            arm.begin_step()
        if self._guard is not None:
            self._guard.begin_step()
            self.kept.rounds = self._guard.round_number
        self.set_weights(weights)
        self.kept.step_at = time.time()
        if isinstance(self.kept.plan, CanaryPlan):
            steps, share = self.kept.plan.shares, self.kept.share
            self.kept.step = max(sum(each <= share for each in steps) - 1, 0)

    def set_weights(self, weights: Mapping[str, float]) -> None:
        """Choose by these weights from now on."""
        self.kept.weights = dict(weights)
        self._split = Split(weights, self._sticky, self.kept.id)
        self._odds = self._meant_odds()
        self._headers: dict[tuple[str, str], tuple[tuple[str, str], ...]] = {}

    def progress(self) -> dict[str, float]:
        """How far each rule is on its way to taking a canary back."""
        return self._guard.progress() if self._guard is not None and self.kept.is_on else {}

    def report(self) -> ReleaseReport:
        """Tell how it stands."""
        kept = self.kept
        others = [self.arms[version] for version in self._others]
        is_shadow = self.shadow is not None
        return ReleaseReport(
            id=kept.id,
            model=kept.model,
            kind=kind_of(kept.plan),
            state=kept.state,
            stable=kept.stable,
            candidate=kept.candidate,
            share=kept.share,
            step=kept.step,
            steps=kept.plan.shares if isinstance(kept.plan, CanaryPlan) else (),
            begun_at=kept.begun_at,
            step_at=kept.step_at,
            ended_at=kept.ended_at,
            reason=kept.reason,
            numbers=kept.numbers,
            progress=self.progress(),
            plan=kept.plan,
            arms=tuple(report_arm(arm, self._split.shares[v]) for v, arm in self.arms.items()),
            comparisons=()
            if is_shadow
            else tuple(compare_arms(self.stable, others, self._evidence)),
            shadow=None if self.shadow is None else report_shadow(self.shadow.counts),
            events=tuple(kept.events),
        )

    def _meant_odds(self) -> Mapping[str, float]:
        shares = self._split.shares
        stable = shares[self.kept.stable]
        return {
            version: shares[version] / (shares[version] + stable) if shares[version] else 0.0
            for version in self._others
        }

    def _note_odds(self) -> None:
        """Where clients stay with their version, learn how requests fall in truth."""
        if self._sticky.by == "none":
            return
        theirs, odds = self.stable.step_requests, {}
        for version, meant in self._meant_odds().items():
            ours = self.arms[version].step_requests
            odds[version] = (ours + _PRIOR_REQUESTS * meant) / (ours + theirs + _PRIOR_REQUESTS)
        self._odds = odds

    def _note_failure(self, trial: Trial) -> None:
        version = trial.arm.version
        is_stable = version == self.kept.stable
        for other in self._others if is_stable else (version,):
            self._evidence[other].add(trial.odds[other], is_candidate=not is_stable)
        if self._guard is not None:
            self._guard.failed(trial, is_candidate=not is_stable)

    def _take(self, arm: Arm, times: BatchTimes, size: int, points: Sequence[MetricPoint]) -> None:
        statistics = [point for point in points if point.kind == "statistic"]
        for point in statistics:
            arm.measure(point.name, point.value)
        if self._guard is not None:
            is_candidate = arm is not self.stable
            self._guard.worked(times.whole_s, size, is_candidate=is_candidate)
            self._guard.measured(statistics, is_candidate=is_candidate)

    def _judge_readiness(self, now: float) -> Verdict | None:
        plan, arm = self.kept.plan, self.candidate
        endpoint = self._find(arm.version)
        if endpoint is not None and endpoint.is_ready:
            arm.unready_since = None
            return None
        if arm.unready_since is None:
            arm.unready_since = now
        seconds = now - arm.unready_since
        if not isinstance(plan, CanaryPlan) or seconds <= plan.guard.most_unready_s:
            return None
        what = "is not served" if endpoint is None else "has had no worker"
        reason = f"version {arm.version} {what} for {seconds:.0f} s"
        return Verdict("unready", reason, {"seconds": seconds})

    def _find(self, version: str) -> Endpoint | None:
        try:
            return self._registry.find(self.kept.model, version)
        except ModelNotFound:
            return None

    def _stand_in(self) -> Endpoint:
        return self._find(self.kept.stable) or self._registry.find(self.kept.model)

    def _headers_of(self, pick: Pick) -> Sequence[tuple[str, str]]:
        if self.shadow is not None:
            return ()
        key = (pick.version, pick.by)
        headers = self._headers.get(key)
        if headers is None:
            share = self._split.shares[pick.version]
            told = f"release={self.kept.id}; by={pick.by}; share={share:.6g}"
            headers = self._headers[key] = ((CHOICE_HEADER, told),)
        if not pick.new_cookie:
            return headers
        cookie = (
            f"{self._sticky.name}={pick.new_cookie}; Path=/; Max-Age={COOKIE_DAYS * _DAY_S}; "
            "HttpOnly; SameSite=Lax"
        )
        return (*headers, ("set-cookie", cookie))
