"""CanaryGuard: decides when a canary is taken back: for its answers, its slowness, or its drift."""

from collections.abc import Iterator, Mapping, Sequence

import numpy as np

from serving.handlers.points import MetricPoint
from serving.releases.alarm import Alarm
from serving.releases.arm import MOST_METRICS, Arm
from serving.releases.distance import Distance, Sample, compare
from serving.releases.plan import Guard
from serving.releases.result import Result
from serving.releases.share_rule import DOUBT, ShareRule
from serving.releases.trial import Trial
from serving.releases.verdict import Verdict
from serving.releases.work_times import FEWEST_TIMES, QUANTILES, WorkTimes

__all__ = ("CanaryGuard",)

_LARGE_PART, _SMALL_PART = 0.3, 0.05
"""Of the permitted rate of false alarms: what errors, latency and drift may spend each; and what
shedding and rejections may, of which only much is not tolerated, and much is soon clear."""

_EXPECTED_STATISTICS = 8
"""The rate of false alarms is shared out among so many statistics, or as many as there are."""


class CanaryGuard:
    """Watches the two versions of a canary.

    Args:
        guard: what is tolerated.
        candidate: the new version.
        stable: the one before.
        round_number: how often it has been begun, >= 1: after a restart of the server less of the
            rate of false alarms is left.
        is_sticky: whether clients stay with their version, so that one who makes mistakes makes
            all of them with one version: then they only keep it from getting larger.
    """

    def __init__(
        self,
        guard: Guard,
        candidate: Arm,
        stable: Arm,
        round_number: int = 1,
        *,
        is_sticky: bool = False,
    ) -> None:
        self._guard = guard
        self._candidate = candidate
        self._stable = stable
        self._is_sticky = is_sticky
        self._alpha = guard.false_alarms * _LARGE_PART
        little = guard.false_alarms * _SMALL_PART
        most = guard.most_shed_excess, guard.most_rejected_excess
        self._shares: Mapping[Result, ShareRule] = {
            "failed": ShareRule("errors", guard.most_error_excess, self._alpha, round_number),
            "shed": ShareRule("shedding", most[0], little, round_number),
            "rejected": ShareRule("rejections", most[1], little, round_number),
        }
        self._latency = Alarm(self._alpha, 2 * len(QUANTILES), round_number)
        self._work: dict[int, WorkTimes] = {}
        self._bounds: Sequence[tuple[float, float]] = ()
        self._drift_round = round_number
        self._samples: dict[str, tuple[Sample, Sample]] = {}
        self._distances: dict[str, tuple[tuple[int, int], Distance | None]] = {}

    @property
    def round_number(self) -> int:
        """How often any of it has been begun."""
        shares = max(rule.round_number for rule in self._shares.values())
        return max(shares, self._latency.round_number, self._drift_round)

    def begin_step(self) -> None:
        """Compare from now on what is measured from now on: at another hour all may be other."""
        self._work.clear()
        self._samples.clear()
        self._distances.clear()
        self._drift_round += 1

    def ended(self, trial: Trial, result: Result) -> None:
        """Learn how a request ended."""
        rule = self._shares.get(result)
        if rule is not None:
            rule.add(trial, self._candidate)

    def took(self, trial: Trial, seconds: float, *, is_candidate: bool) -> None:
        """Learn how long a request took, or has taken until now."""
        for bounds in self._bounds[trial.slow_kinds :]:
            if seconds <= bounds[is_candidate]:
                return
            odds = trial.odds[self._candidate.version]
            self._latency.add(odds, is_candidate=is_candidate, kind=trial.slow_kinds)
            trial.slow_kinds += 1

    def worked(self, seconds: float, size: int, *, is_candidate: bool) -> None:
        """Learn how long a worker took for a batch of that size."""
        work = self._work.get(size)
        if work is None:
            work = self._work[size] = WorkTimes(self._guard.most_latency_ratio)
        share = work.candidate_share
        for kind in range(work.note(seconds, is_candidate=is_candidate)):
            self._latency.add(share, is_candidate=is_candidate, kind=len(QUANTILES) + kind)

    def measured(self, points: Sequence[MetricPoint], *, is_candidate: bool) -> None:
        """Take what a version's handler measured."""
        for point in points:
            if point.name in self._guard.drift_ignore:
                continue
            pair = self._samples.get(point.name)
            if pair is None:
                if len(self._samples) >= MOST_METRICS:
                    continue
                pair = self._samples[point.name] = (Sample(), Sample())
            pair[is_candidate].add(point.value)

    def look(self, now: float) -> Verdict | None:
        """Decide; None: nothing speaks against the canary.

        Args:
            now: monotonic seconds.
        """
        self._note_waiting(now)
        self._bounds = self._new_bounds()
        for work in self._work.values():
            work.set_bounds()
        return self._judge_shares() or self._judge_latency() or self._judge_drift()

    @property
    def is_in_doubt(self) -> bool:
        """Whether a version is half on its way to being taken back."""
        pair = self._candidate, self._stable
        others = max(self._latency_progress(), self._drift_progress())
        return others >= DOUBT or any(rule.is_in_doubt(*pair) for rule in self._shares.values())

    def progress(self) -> dict[str, float]:
        """How far each rule is on its way to taking the version back: at 1 it does."""
        return {
            **{rule.name: rule.progress for rule in self._shares.values()},
            "latency": self._latency_progress(),
            "drift": self._drift_progress(),
        }

    def _latency_progress(self) -> float:
        return max(self._latency.logarithm, 0.0) / self._latency.bound

    def _drift_progress(self) -> float:
        far = max((distance.at_least for _, distance in self._known()), default=0.0)
        return far / self._guard.most_drift

    def _note_waiting(self, now: float) -> None:
        """Who has waited too long is slow already; a version that hangs is not found out late."""
        for is_candidate, arm in ((False, self._stable), (True, self._candidate)):
            for trial in arm.in_flight:
                self.took(trial, now - trial.entered, is_candidate=is_candidate)

    def _new_bounds(self) -> Sequence[tuple[float, float]]:
        """Times above which an answer is slow: of the stable version, of the candidate."""
        latencies = self._stable.latencies
        if len(latencies) < FEWEST_TIMES:
            return self._bounds
        ratio = self._guard.most_latency_ratio
        found = np.quantile(np.array(latencies), QUANTILES)
        return [(float(bound), float(bound) * ratio) for bound in found]

    def _judge_shares(self) -> Verdict | None:
        # Each is looked at: what is counted is weighed at every look.
        found = [rule.judge(self._candidate, self._stable) for rule in self._shares.values()]
        verdicts = [each for each in found if each is not None]
        if self._is_sticky:
            verdicts = [each for each in verdicts if each.rule != "rejections"]
        return verdicts[0] if verdicts else None

    def _judge_latency(self) -> Verdict | None:
        if not self._latency.rings():
            return None
        numbers = {
            **_latencies(self._candidate, ""),
            **_latencies(self._stable, "stable_"),
            **self._work_means(),
            "most_ratio": self._guard.most_latency_ratio,
            "log_evidence": self._latency.logarithm,
            "log_evidence_bound": self._latency.bound,
        }
        reason = (
            f"version {self._candidate.version} takes more than "
            f"{self._guard.most_latency_ratio:g} times as long as version {self._stable.version}: "
            f"{_quantiles_in_words(self._candidate)}, not {_quantiles_in_words(self._stable)}; "
            f"at work {_work_in_words(numbers)}"
        )
        return Verdict("latency", reason, numbers)

    def _work_means(self) -> dict[str, float]:
        """Mean times of work on batches of the size that the candidate has had most, seconds."""
        work = max(self._work.values(), key=lambda each: each.candidate.count, default=None)
        if work is None or not work.candidate.count or not work.stable.count:
            return {}
        return {"work_s": work.candidate.mean, "stable_work_s": work.stable.mean}

    def _judge_drift(self) -> Verdict | None:
        self._measure_distances()
        for name, distance in self._known():
            if distance.at_least <= self._guard.most_drift:
                continue
            numbers = {
                "ks": distance.ks,
                "ks_at_least": distance.at_least,
                "most_drift": self._guard.most_drift,
                "mean": distance.means[0],
                "stable_mean": distance.means[1],
                "values": distance.counts[0],
                "stable_values": distance.counts[1],
            }
            if distance.psi is not None:
                numbers["psi"] = distance.psi
            reason = (
                f"{name} of version {self._candidate.version} is spread otherwise than that of "
                f"version {self._stable.version}: KS {distance.ks:.2f}, for certain at least "
                f"{distance.at_least:.2f}, mean {distance.means[0]:.4g}, not "
                f"{distance.means[1]:.4g}"
            )
            return Verdict("drift", reason, numbers)
        return None

    def _measure_distances(self) -> None:
        spent = self._drift_round * (self._drift_round + 1)
        alpha = self._alpha / spent / max(len(self._samples), _EXPECTED_STATISTICS)
        for name, (stable, candidate) in self._samples.items():
            looks = (candidate.look, stable.look)
            if name not in self._distances or self._distances[name][0] != looks:
                self._distances[name] = (looks, compare(candidate, stable, alpha))

    def _known(self) -> Iterator[tuple[str, Distance]]:
        for name, (_, distance) in self._distances.items():
            if distance is not None:
                yield name, distance


def _latencies(arm: Arm, prefix: str) -> dict[str, float]:
    if not arm.latencies:
        return {}
    p50, p99 = np.quantile(np.array(arm.latencies), (0.5, 0.99))
    return {f"{prefix}p50_s": float(p50), f"{prefix}p99_s": float(p99)}


def _work_in_words(numbers: Mapping[str, float]) -> str:
    if "work_s" not in numbers:
        return "not compared"
    ours, theirs = numbers["work_s"] * 1000, numbers["stable_work_s"] * 1000
    return f"{ours:.4g} ms on a batch, not {theirs:.4g} ms"


def _quantiles_in_words(arm: Arm) -> str:
    found = _latencies(arm, "")
    if not found:
        return "no answer yet"
    return f"p50 {found['p50_s'] * 1000:.4g} ms and p99 {found['p99_s'] * 1000:.4g} ms"
