"""Release: one model's versions beside one another: who gets a request, and what comes of it."""

import time
from collections.abc import Callable, Mapping, Sequence
from functools import partial

from serving.errors import ModelNotFound
from serving.handlers.points import MetricPoint
from serving.observe.statistics import BatchTimes
from serving.protocol.asker import Asker
from serving.registry.endpoint import Endpoint
from serving.registry.registry import Registry
from serving.registry.routing import Again, Choice
from serving.releases.arm import Arm
from serving.releases.choice_headers import ChoiceHeaders
from serving.releases.choosing import Split
from serving.releases.evidence import EITHER_WAY, Evidence
from serving.releases.guard import CanaryGuard
from serving.releases.kept import KeptRelease
from serving.releases.plan import CanaryPlan, ShadowPlan, Sticky
from serving.releases.result import result_of
from serving.releases.shadow import Shadow
from serving.releases.trial import Trial
from serving.releases.verdict import Verdict

__all__ = ("Release",)

_DIGITS = 12
"""Of a hash, for people."""

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
        arms: by version, what each has done since the release began, or the server did, or its
            content became another.
        evidence: of failures, by each version beside the stable one.
        shadow: copies requests; None: it is no shadow.
        on_renewed: called when it has begun anew, for a version's content is another: with the
            share that the new version had before, and with a sentence.
    """

    def __init__(self, kept: KeptRelease, registry: Registry) -> None:
        self.kept = kept
        self._registry = registry
        plan = kept.plan
        self._sticky = Sticky() if isinstance(plan, ShadowPlan) else plan.sticky
        self.arms = {version: Arm(version) for version in kept.weights}
        self._others = tuple(version for version in self.arms if version != kept.stable)
        self.evidence = {version: Evidence(EITHER_WAY) for version in self._others}
        self.shadow = Shadow(plan) if isinstance(plan, ShadowPlan) else None
        self._guard = self._new_guard(kept.rounds)
        self._step_began = time.monotonic()
        self.on_renewed: Callable[[float, str], None] = lambda *_: None
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
        if endpoint.content != self.kept.contents.get(pick.version) and self._note(endpoint):
            return self.choose(asker)
        arm = self.arms[pick.version]
        headers = () if self.shadow is not None else self._headers.of(pick)
        return endpoint, Trial(arm, self._odds, headers, self)

    def is_on_trial(self, version: str) -> bool:
        """Whether the server can do without this version."""
        return version != self.kept.stable

    def ended(self, trial: Trial, seconds: float, outcome: object, again: Again) -> None:
        """Count the answer to a request, and perhaps copy it."""
        arm, result = trial.arm, result_of(outcome)
        if arm is not self.arms[arm.version]:
            # It was chosen before the version's content became another.
            return
        arm.note(seconds, result)
        if result == "failed":
            self._note_failure(trial)
        if self._guard is not None:
            self._guard.ended(trial, result)
            if result in {"ok", "failed"}:
                self._guard.took(trial, seconds, is_candidate=arm is not self.stable)
        elif self.shadow is not None:
            stable, candidate = self._find(self.kept.stable), self._find(self.kept.candidate)
            if stable is not None and candidate is not None:
                self.shadow.offer((stable, candidate), again, outcome, seconds)

    def listen(self) -> None:
        """Hear of the work of all its versions, and of what their handlers measure."""
        for version in self.arms:
            endpoint = self._find(version)
            if endpoint is not None:
                self._note(endpoint)
                endpoint.listen(partial(self._take, self.arms[version]))

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
        for evidence in self.evidence.values():
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
            and self.candidate.step.requests >= plan.step_requests
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
        self._headers = ChoiceHeaders(self.kept.id, self._split, self._sticky.name)

    def progress(self) -> dict[str, float]:
        """How far each rule is on its way to taking a canary back."""
        return self._guard.progress() if self._guard is not None and self.kept.is_on else {}

    def _note(self, endpoint: Endpoint) -> bool:
        """Learn what a version holds; whether it is another content, so that all begins anew."""
        version, content = endpoint.manifest.version, endpoint.content
        known, share = self.kept.contents.get(version, ""), self.kept.share
        if content in {"", known}:
            return False
        self.kept.contents[version] = content
        if not known:
            return False
        self._begin_anew(version)
        what = f"SHA-256 {content[:_DIGITS]}, no longer {known[:_DIGITS]}"
        reason = f"the content of version {version} is another ({what}): its trial begins anew"
        self.on_renewed(share, reason)
        return True

    def _begin_anew(self, version: str) -> None:
        """Count nothing of what a content of before has done; a canary gets its first share."""
        kept, plan, weights = self.kept, self.kept.plan, self.kept.weights
        is_about_all = version == kept.stable or self._guard is not None
        for each in self.arms if is_about_all else (version,):
            self.arms[each] = Arm(each)
            if each in self.evidence:
                self.evidence[each] = Evidence(EITHER_WAY)
        if isinstance(plan, ShadowPlan) and self.shadow is not None:
            self.shadow.stop()
            self.shadow = Shadow(plan)
        if self._guard is not None:
            self._guard = self._new_guard(self._guard.round_number + 1)
        if isinstance(plan, CanaryPlan) and version == kept.candidate:
            share = min(kept.share, plan.shares[0])
            weights = {kept.candidate: share, kept.stable: 1 - share}
        self.begin_step(weights)
        self.listen()

    def _new_guard(self, round_number: int) -> CanaryGuard | None:
        plan, is_sticky = self.kept.plan, self._sticky.by != "none"
        if not isinstance(plan, CanaryPlan):
            return None
        pair = self.candidate, self.stable
        return CanaryGuard(plan.guard, *pair, round_number, is_sticky=is_sticky)

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
        theirs, odds = self.stable.step.valid, {}
        for version, meant in self._meant_odds().items():
            ours = self.arms[version].step.valid
            odds[version] = (ours + _PRIOR_REQUESTS * meant) / (ours + theirs + _PRIOR_REQUESTS)
        self._odds = odds

    def _note_failure(self, trial: Trial) -> None:
        version = trial.arm.version
        is_stable = version == self.kept.stable
        for other in self._others if is_stable else (version,):
            self.evidence[other].add(trial.odds[other], is_candidate=not is_stable)

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
