"""ReleasePlan: what shall be released, to whom first, and what takes it back.

Shares are of the requests that name no version, in [0, 1].
"""

from typing import Annotated, Literal

import msgspec

__all__ = (
    "CanaryPlan",
    "Guard",
    "PlanKind",
    "ReleasePlan",
    "ShadowPlan",
    "SplitPlan",
    "Sticky",
    "candidate_of",
    "first_weights",
    "kind_of",
)

PlanKind = Literal["canary", "split", "shadow"]

_Share = Annotated[float, msgspec.Meta(gt=0, le=1)]
_Part = Annotated[float, msgspec.Meta(ge=0, le=1)]
_Seconds = Annotated[float, msgspec.Meta(ge=0)]
_Count = Annotated[int, msgspec.Meta(ge=1)]
_Version = Annotated[str, msgspec.Meta(min_length=1, max_length=128)]
_Positive = Annotated[float, msgspec.Meta(gt=0, le=1e6)]
_Tolerance = Annotated[float, msgspec.Meta(ge=0)]


class _Strict(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What every table of a plan has in common."""


class Sticky(_Strict, frozen=True, kw_only=True):
    """What a client is known by, so that it is answered by the same version again.

    Attributes:
        by: a header, a cookie that the server sets where there is none, the client's address; or
            "none": each request is drawn for itself.
        name: of the header or the cookie.
    """

    by: Literal["none", "header", "cookie", "address"] = "none"
    name: Annotated[str, msgspec.Meta(pattern=r"^[A-Za-z0-9_.-]{0,64}$")] = ""

    def __post_init__(self) -> None:
        if (self.by in {"header", "cookie"}) != bool(self.name):
            msg = "sticky.name is the name of the header or cookie, and of nothing else"
            raise ValueError(msg)


class Guard(_Strict, frozen=True, kw_only=True):
    """What takes a canary back, by itself.

    Attributes:
        false_alarms: how likely a version that is as good as the stable one may be taken back,
            whenever and however often it is looked at.
        most_error_excess: how much larger its share of failed requests may be.
        most_shed_excess: how much larger the share may be that it refuses, for it has too much
            to do.
        most_rejected_excess: how much larger the share may be that it takes for clients' mistakes.
        most_latency_ratio: how many times as long it may take, for a client to get an answer, or
            for a worker to work on a batch.
        most_drift: how far what its handler measures may be from the stable version's, as the
            Kolmogorov-Smirnov distance.
        drift_ignore: names of statistics that are meant to differ.
        most_unready_s: how long it may have no worker at a stretch, seconds.
    """

    false_alarms: Annotated[float, msgspec.Meta(ge=1e-6, le=0.2)] = 0.01
    most_error_excess: _Part = 0.005
    most_shed_excess: _Part = 0.02
    most_rejected_excess: _Part = 0.02
    most_latency_ratio: Annotated[float, msgspec.Meta(ge=1)] = 1.5
    most_drift: _Share = 0.2
    drift_ignore: tuple[str, ...] = ()
    most_unready_s: _Seconds = 30.0


class CanaryPlan(_Strict, frozen=True, kw_only=True, tag="canary", tag_field="kind"):
    """A version that gets more and more of the requests, and all of them in the end.

    Attributes:
        model: its name; in the settings the table's.
        version: the new one.
        stable: the one that it shall take the place of; "": the default one.
        steps: its shares, the least first, whatever their order; after the last it gets all.
        step_s: least length of a step, seconds.
        step_requests: fewest requests that it answers in a step.
        keep_stable: whether the version before keeps its workers when the new one has it all.
        sticky: what clients are known by.
        guard: what takes it back.
    """

    model: str = ""
    version: _Version
    stable: str = ""
    steps: Annotated[tuple[_Share, ...], msgspec.Meta(min_length=1, max_length=100)] = (
        0.01, 0.05, 0.25, 0.5,
    )  # fmt: skip
    step_s: _Seconds = 300.0
    step_requests: _Count = 100
    keep_stable: bool = True
    sticky: Sticky = Sticky()
    guard: Guard = Guard()

    @property
    def shares(self) -> tuple[float, ...]:
        """What it gets, step by step: ascending, the last 1."""
        return tuple(sorted({*self.steps, 1.0}))


class SplitPlan(_Strict, frozen=True, kw_only=True, tag="split", tag_field="kind"):
    """Versions beside one another, for as long as is wanted: an A/B test.

    Attributes:
        model: its name; in the settings the table's.
        stable: the version that the others are compared with; "": the default one.
        weights: of each version, the stable one's too; their proportions count.
        sticky: what clients are known by.
    """

    model: str = ""
    stable: str = ""
    weights: Annotated[dict[str, _Positive], msgspec.Meta(min_length=2, max_length=8)]
    sticky: Sticky = Sticky()


class ShadowPlan(_Strict, frozen=True, kw_only=True, tag="shadow", tag_field="kind"):
    """A version that is asked copies of requests, whose answers are compared and dropped.

    Attributes:
        model: its name; in the settings the table's.
        version: the new one.
        stable: the one that answers; "": the default one.
        share: of the requests that are copied.
        most_at_once: copies under way at a time; more are dropped.
        relative_tolerance: numbers that differ by no more than this share of them agree.
        absolute_tolerance: numbers that differ by no more than this agree.
    """

    model: str = ""
    version: _Version
    stable: str = ""
    share: _Share = 0.1
    most_at_once: Annotated[int, msgspec.Meta(ge=1, le=64)] = 2
    relative_tolerance: _Tolerance = 1e-3
    absolute_tolerance: _Tolerance = 1e-5


ReleasePlan = CanaryPlan | SplitPlan | ShadowPlan


def kind_of(plan: ReleasePlan) -> PlanKind:
    """What kind a plan is, as its field `kind` says in JSON and TOML."""
    if isinstance(plan, CanaryPlan):
        return "canary"
    return "split" if isinstance(plan, SplitPlan) else "shadow"


def candidate_of(plan: ReleasePlan, stable: str) -> str:
    """The version that a plan is about; of a split the first that is not the stable one."""
    if isinstance(plan, SplitPlan):
        return next(version for version in plan.weights if version != stable)
    return plan.version


def first_weights(plan: ReleasePlan, stable: str) -> dict[str, float]:
    """By which versions are chosen when a release begins."""
    if isinstance(plan, SplitPlan):
        return dict(plan.weights)
    share = plan.shares[0] if isinstance(plan, CanaryPlan) else 0.0
    return {plan.version: share, stable: 1 - share}
