"""From what versions have done to the reports of it."""

from collections.abc import Iterator, Mapping, Sequence

import numpy as np

from serving.releases.arm import Arm
from serving.releases.evidence import Evidence
from serving.releases.intervals import Difference, Moments, difference_of_means, share_interval
from serving.releases.plan import CanaryPlan, kind_of
from serving.releases.release import Release
from serving.releases.report import (
    ArmReport,
    Comparison,
    MetricReport,
    ReleaseReport,
    ShadowReport,
)
from serving.releases.shadow import ShadowCounts

__all__ = ("report_release",)

_ALPHA = 0.05
_SIGNIFICANT = 0.05


def report_release(release: Release) -> ReleaseReport:
    """Tell how a release stands."""
    kept, plan = release.kept, release.kept.plan
    others = [arm for arm in release.arms.values() if arm is not release.stable]
    shadow, shares = release.shadow, release.shares
    return ReleaseReport(
        id=kept.id,
        model=kept.model,
        kind=kind_of(plan),
        state=kept.state,
        stable=kept.stable,
        candidate=kept.candidate,
        share=kept.share,
        step=kept.step,
        steps=plan.shares if isinstance(plan, CanaryPlan) else (),
        begun_at=kept.begun_at,
        step_at=kept.step_at,
        ended_at=kept.ended_at,
        reason=kept.reason,
        numbers=kept.numbers,
        progress=release.progress(),
        plan=plan,
        arms=tuple(_report_arm(arm, shares[version]) for version, arm in release.arms.items()),
        comparisons=()
        if shadow is not None
        else tuple(_compare_arms(release.stable, others, release.evidence)),
        shadow=None if shadow is None else _report_shadow(shadow.counts),
        events=tuple(kept.events),
    )


def _report_arm(arm: Arm, share: float) -> ArmReport:
    """Tell what a version has done; `share` is what it gets now."""
    low, high = share_interval(arm.total.failures, arm.total.requests, _ALPHA)
    quantiles = (
        np.quantile(np.array(arm.latencies), (0.5, 0.99)).tolist()
        if arm.latencies
        else (None, None)
    )
    return ArmReport(
        version=arm.version,
        share=share,
        requests=arm.total.requests,
        failures=arm.total.failures,
        shed=arm.total.shed,
        rejected=arm.total.rejected,
        error_rate=_rate(arm),
        error_rate_low=low,
        error_rate_high=high,
        latency_mean_s=_mean(arm.latency),
        latency_p50_s=quantiles[0],
        latency_p99_s=quantiles[1],
        metrics={
            name: MetricReport(count=moments.count, mean=moments.mean)
            for name, moments in arm.metrics.items()
        },
    )


def _compare_arms(
    stable: Arm, others: Sequence[Arm], evidence: Mapping[str, Evidence]
) -> Iterator[Comparison]:
    """Compare versions with the stable one.

    Args:
        stable: that one.
        others: the others.
        evidence: by their version, of failures.
    """
    for arm in others:
        if min(arm.total.requests, stable.total.requests) > 0:
            yield _compared(arm, stable, "error_rate", _error_rates(arm, stable, evidence))
        pairs = [("latency_s", arm.latency, stable.latency)]
        pairs += [
            (name, moments, stable.metrics[name])
            for name, moments in arm.metrics.items()
            if name in stable.metrics
        ]
        for name, ours, theirs in pairs:
            difference = difference_of_means(ours, theirs, _ALPHA)
            if difference is not None:
                yield _compared(arm, stable, name, difference)


def _report_shadow(counts: ShadowCounts) -> ShadowReport:
    """Tell what has come of copies."""
    compared = counts.agreed + counts.differed + counts.failed
    low, high = share_interval(counts.agreed, compared, _ALPHA)
    return ShadowReport(
        agreed=counts.agreed,
        differed=counts.differed,
        failed=counts.failed,
        dropped=counts.dropped,
        agreement=counts.agreed / compared if compared else None,
        agreement_low=low,
        agreement_high=high,
        latency_mean_s=_mean(counts.latency),
        live_latency_mean_s=_mean(counts.live_latency),
    )


def _error_rates(arm: Arm, stable: Arm, evidence: Mapping[str, Evidence]) -> Difference:
    """The interval holds because each of the two rates is within its own, of half the doubt."""
    ours = share_interval(arm.total.failures, arm.total.requests, _ALPHA / 2)
    theirs = share_interval(stable.total.failures, stable.total.requests, _ALPHA / 2)
    return Difference(
        _rate(arm) - _rate(stable),
        ours[0] - theirs[1],
        ours[1] - theirs[0],
        evidence[arm.version].p_value,
    )


def _compared(arm: Arm, stable: Arm, metric: str, difference: Difference) -> Comparison:
    return Comparison(
        version=arm.version,
        against=stable.version,
        metric=metric,
        estimate=difference.estimate,
        low=difference.low,
        high=difference.high,
        p_value=difference.p_value,
        is_significant=difference.p_value < _SIGNIFICANT,
    )


def _rate(arm: Arm) -> float:
    return arm.total.failures / arm.total.requests if arm.total.requests else 0.0


def _mean(moments: Moments) -> float | None:
    return moments.mean if moments.count else None
