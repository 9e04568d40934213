"""A release in words and tables, for people."""

from collections.abc import Iterator
from datetime import UTC, datetime

from serving.console.table import cut, render_table
from serving.releases.report import ArmReport, ReleaseReport

__all__ = ("RELEASE_HEADS", "progress_line", "release_row", "release_text")

RELEASE_HEADS = ("MODEL", "KIND", "STATE", "STABLE", "NEW", "SHARE", "BEGUN (UTC)", "WHY IT ENDED")

_ARM_HEADS = (
    "VERSION",
    "SHARE",
    "REQUESTS",
    "FAILED",
    "95 %",
    "SHED",
    "REJECTED",
    "MEAN",
    "P50",
    "P99",
)
_COMPARED_HEADS = ("METRIC", "OF", "AGAINST", "DIFFERENCE", "95 %", "P", "")
_BAR = 20
_LONG = 60


def release_row(report: ReleaseReport) -> tuple[str, ...]:
    """One release as a row of a table with the heads above."""
    return (
        report.model,
        report.kind,
        report.state.replace("_", " "),
        report.stable,
        report.candidate,
        _percent(report.share),
        _moment(report.begun_at),
        cut(report.reason, _LONG),
    )


def release_text(report: ReleaseReport) -> str:
    """All that is worth knowing of a release."""
    return "\n".join(_paragraphs(report))


def progress_line(report: ReleaseReport, now_s: float) -> str:
    """How a release goes, in one line.

    Args:
        report: of the release.
        now_s: seconds since 1970.
    """
    done = round(_BAR * report.share)
    arm = next((arm for arm in report.arms if arm.version == report.candidate), None)
    told = [f"[{'#' * done}{'.' * (_BAR - done)}] {_percent(report.share)} {report.state}"]
    if report.kind == "canary":
        told.append(f"step {report.step + 1} of {len(report.steps)}")
    told.append(f"{max(now_s - report.step_at, 0):.0f} s in it")
    if arm is not None:
        told.append(
            f"{arm.requests} answers, {arm.failures} failed, p99 {_time(arm.latency_p99_s)}"
        )
    worst = max(report.progress.items(), key=lambda pair: pair[1], default=None)
    if worst is not None:
        told.append(f"{worst[0]} at {_percent(min(worst[1], 1.0))} of a rollback")
    return ", ".join(told)


def _paragraphs(report: ReleaseReport) -> Iterator[str]:
    state = report.state.replace("_", " ")
    yield f"{report.model}: {report.kind} of {report.candidate} beside {report.stable}, {state}"
    yield f"  begun {_moment(report.begun_at)} UTC, {_percent(report.share)} of the requests" + (
        f", step {report.step + 1} of {len(report.steps)}" if report.kind == "canary" else ""
    )
    if report.reason:
        yield f"  {report.reason}"
    if report.arms:
        yield "\n" + render_table(_ARM_HEADS, map(_arm_row, report.arms))
    if report.comparisons:
        rows = (
            (
                each.metric,
                each.version,
                each.against,
                f"{each.estimate:+.4g}",
                f"{each.low:+.3g} .. {each.high:+.3g}",
                f"{each.p_value:.3g}",
                "significant" if each.is_significant else "",
            )
            for each in report.comparisons
        )
        yield "\n" + render_table(_COMPARED_HEADS, rows)
    if report.shadow is not None:
        yield "\n" + _shadow_text(report)
    if report.progress:
        told = ", ".join(f"{rule} {_percent(min(far, 1))}" for rule, far in report.progress.items())
        yield f"\non the way to a rollback (at 100 %): {told}"
    if report.events:
        events = (
            (_moment(each.at), each.kind, each.by, _percent(each.share), each.reason)
            for each in report.events[-10:]
        )
        yield "\n" + render_table(("TIME (UTC)", "WHAT", "BY", "SHARE", "WHY"), events)


def _arm_row(arm: ArmReport) -> tuple[str, ...]:
    return (
        arm.version,
        _percent(arm.share),
        str(arm.requests),
        f"{arm.failures} ({_percent(arm.error_rate)})",
        f"{_percent(arm.error_rate_low)} .. {_percent(arm.error_rate_high)}",
        str(arm.shed),
        str(arm.rejected),
        _time(arm.latency_mean_s),
        _time(arm.latency_p50_s),
        _time(arm.latency_p99_s),
    )


def _shadow_text(report: ReleaseReport) -> str:
    shadow = report.shadow
    if shadow is None:
        return ""
    agreement = "-" if shadow.agreement is None else _percent(shadow.agreement)
    between = f"{_percent(shadow.agreement_low)} .. {_percent(shadow.agreement_high)}"
    return (
        f"copies: {shadow.agreed} agreed, {shadow.differed} differed, {shadow.failed} failed, "
        f"{shadow.dropped} dropped; agreement {agreement} ({between})\n"
        f"mean of the copies {_time(shadow.latency_mean_s)}, "
        f"of the same requests {_time(shadow.live_latency_mean_s)}"
    )


def _percent(part: float) -> str:
    return f"{100 * part:.3g} %"


def _time(seconds: float | None) -> str:
    if seconds is None:
        return "-"
    return f"{seconds:.3g} s" if seconds >= 1 else f"{seconds * 1000:.3g} ms"


def _moment(at_s: float) -> str:
    return f"{datetime.fromtimestamp(at_s, UTC):%Y-%m-%d %H:%M:%S}"
