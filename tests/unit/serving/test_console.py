"""What the commands that ask a server read and show."""

import argparse
from datetime import UTC, datetime, timedelta

import pytest

from serving.console.auditing import describe_change
from serving.console.flags import duration, moment, share
from serving.console.release_text import progress_line, release_text
from serving.console.table import render_table
from serving.releases.plan import CanaryPlan
from serving.releases.report import ArmReport, ReleaseReport


def test_table_is_as_wide_as_what_stands_in_it_and_shows_no_codes() -> None:
    table = render_table(("A", "LONG"), [("x\x1b[2J", "1"), ("y\n", "22")])
    assert table.splitlines() == [
        "A         LONG",
        r"x\x1b[2J  1",
        r"y\x0a     22",
    ]


def test_times_are_read_as_moments_and_as_ages() -> None:
    assert moment("2026-01-31T12:00+01:00") == "2026-01-31T11:00:00+00:00"
    age = datetime.now(UTC) - datetime.fromisoformat(moment("2h"))
    assert abs(age - timedelta(hours=2)) < timedelta(minutes=1)
    assert (duration("30s"), duration("1.5m"), duration("1h")) == (30.0, 90.0, 3600.0)
    assert (share("20%"), share("0.2"), share("100%")) == (0.2, 0.2, 1.0)


@pytest.mark.parametrize(
    ("read", "text"),
    [
        (moment, "yesterday"),
        (moment, "9999999d"),
        (duration, "soon"),
        (duration, "-1s"),
        (duration, "5"),
        (duration, ""),
        (share, "0"),
        (share, "101%"),
        (share, "nan"),
        (share, "half"),
    ],
)
def test_what_is_none_is_told(read: object, text: str) -> None:
    assert callable(read)
    with pytest.raises(argparse.ArgumentTypeError, match="is no"):
        read(text)


@pytest.mark.parametrize(
    ("before", "after", "told"),
    [
        (None, None, ""),
        (None, {"default": "1"}, "default 1"),
        ({"default": "1", "same": 0}, {"default": "2", "same": 0}, "default 1 -> 2"),
        ({"workers": {"1": [1, 1]}}, {"workers": {"1": [2, 4]}}, "workers {1:[1,1]} -> {1:[2,4]}"),
        ({"default": "1"}, None, ""),
    ],
)
def test_change_is_told_by_what_differs(
    before: dict[str, object] | None, after: dict[str, object] | None, told: str
) -> None:
    assert describe_change(before, after) == told


def report(**fields: object) -> ReleaseReport:
    arm = ArmReport(
        version="2",
        share=0.25,
        requests=40,
        failures=2,
        shed=3,
        rejected=1,
        error_rate=0.05,
        error_rate_low=0.01,
        error_rate_high=0.2,
        latency_mean_s=0.004,
        latency_p50_s=None,
        latency_p99_s=1.5,
        metrics={},
    )
    usual = {
        "id": "i",
        "model": "echo",
        "kind": "canary",
        "state": "running",
        "stable": "1",
        "candidate": "2",
        "share": 0.25,
        "step": 1,
        "steps": (0.05, 0.25, 1.0),
        "begun_at": 0.0,
        "step_at": 100.0,
        "ended_at": None,
        "reason": "",
        "numbers": {},
        "progress": {"errors": 0.5, "latency": 0.1},
        "plan": CanaryPlan(version="2"),
        "arms": (arm,),
        "comparisons": (),
        "shadow": None,
        "events": (),
    }
    return ReleaseReport(**{**usual, **fields})  # type: ignore[arg-type]


def test_progress_is_told_in_one_line() -> None:
    assert progress_line(report(), 130.0) == (
        "[#####...............] 25 % running, step 2 of 3, 30 s in it, "
        "40 answers, 2 failed, p99 1.5 s, errors at 50 % of a rollback"
    )


def test_release_is_told_whole() -> None:
    told = release_text(report(state="rolled_back", reason="it fails more often")).splitlines()
    assert told[:3] == [
        "echo: canary of 2 beside 1, rolled back",
        "  begun 1970-01-01 00:00:00 UTC, 25 % of the requests, step 2 of 3",
        "  it fails more often",
    ]
    assert (
        "2        25 %   40        2 (5 %)  1 % .. 20 %  3     1         4 ms  -    1.5 s" in told
    )
