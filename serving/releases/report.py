"""ReleaseReport: how a release stands, as the management API tells it."""

from typing import Literal

import msgspec

from serving.releases.events import ReleaseEvent
from serving.releases.plan import PlanKind, ReleasePlan

__all__ = (
    "ArmReport",
    "Comparison",
    "MetricReport",
    "ReleaseList",
    "ReleaseReport",
    "ReleaseState",
    "ShadowReport",
)

ReleaseState = Literal["running", "paused", "completed", "rolled_back", "aborted"]


class _Report(msgspec.Struct, frozen=True, kw_only=True):
    """What every part of a report has in common."""


class MetricReport(_Report, frozen=True, kw_only=True):
    """What was measured of one version.

    Attributes:
        count: values.
        mean: of them.
    """

    count: int
    mean: float


class ArmReport(_Report, frozen=True, kw_only=True):
    """What one version has done in a release, since it or the server began, or its content changed.

    Attributes:
        version: which.
        share: of the requests that name no version, that it gets, in [0, 1].
        requests: that were drawn for it and answered by the model.
        failures: of these, with an error or a status of 500 and above.
        shed: that were refused, for it had too much to do.
        rejected: that it took for the client's own mistake.
        error_rate: share of the failures.
        error_rate_low: lower end of its 95 % interval, which holds at all times.
        error_rate_high: upper end.
        latency_mean_s: from choice to answer, seconds; None: nothing was answered.
        latency_p50_s: of the last thousand.
        latency_p99_s: likewise.
        metrics: what its handler and its clients measure, by name.
    """

    version: str
    share: float
    requests: int
    failures: int
    shed: int
    rejected: int
    error_rate: float
    error_rate_low: float
    error_rate_high: float
    latency_mean_s: float | None
    latency_p50_s: float | None
    latency_p99_s: float | None
    metrics: dict[str, MetricReport]


class Comparison(_Report, frozen=True, kw_only=True):
    """One version beside the stable one.

    Attributes:
        version: which.
        against: the stable one.
        metric: "error_rate", "latency_s", or the name of what was measured.
        estimate: by how much it is larger.
        low: lower end of the 95 % interval of that, which holds at all times.
        high: upper end.
        p_value: of there being no difference; may be looked at at any time.
        is_significant: whether it is below 0.05.
    """

    version: str
    against: str
    metric: str
    estimate: float
    low: float
    high: float
    p_value: float
    is_significant: bool


class ShadowReport(_Report, frozen=True, kw_only=True):
    """What has come of copied requests.

    Attributes:
        agreed: copies that said what the client was told.
        differed: that said something else.
        failed: that failed where the client got an answer.
        dropped: requests that were not copied though they were drawn: something was short.
        agreement: share of those that were compared; None: none was.
        agreement_low: lower end of its 95 % interval, which holds at all times.
        agreement_high: upper end.
        latency_mean_s: of the copies; None: none was compared.
        live_latency_mean_s: of the same requests, as the client had them.
    """

    agreed: int
    differed: int
    failed: int
    dropped: int
    agreement: float | None
    agreement_low: float
    agreement_high: float
    latency_mean_s: float | None
    live_latency_mean_s: float | None


class ReleaseReport(_Report, frozen=True, kw_only=True):
    """How a release stands.

    Attributes:
        id: of the release.
        model: whose.
        kind: what kind of release.
        state: whether it goes on, and else how it ended.
        stable: the version before.
        candidate: the new one; of a split the first of the others.
        share: of the requests that name no version, that the candidate gets, in [0, 1].
        step: index of the present step of a canary; 0 of others.
        steps: its shares.
        begun_at: seconds since 1970.
        step_at: when the present step began, or began anew with the server; likewise.
        ended_at: likewise; None: it goes on.
        reason: why it ended as it did; "" while it goes on.
        numbers: that were the reason, by name.
        progress: how far each rule is on its way to taking a canary back: at 1 it does.
        plan: as it was asked for.
        arms: what each version has done.
        comparisons: the others beside the stable one.
        shadow: of a shadow.
        events: changes, the latest last.
    """

    id: str
    model: str
    kind: PlanKind
    state: ReleaseState
    stable: str
    candidate: str
    share: float
    step: int
    steps: tuple[float, ...]
    begun_at: float
    step_at: float
    ended_at: float | None
    reason: str
    numbers: dict[str, float]
    progress: dict[str, float]
    plan: ReleasePlan
    arms: tuple[ArmReport, ...]
    comparisons: tuple[Comparison, ...]
    shadow: ShadowReport | None
    events: tuple[ReleaseEvent, ...]


class ReleaseList(_Report, frozen=True, kw_only=True):
    """The releases of a server.

    Attributes:
        releases: the present or last one of each model, by name.
    """

    releases: tuple[ReleaseReport, ...]
