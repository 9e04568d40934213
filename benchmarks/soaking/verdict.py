"""The verdict: what holds after a soak, and what does not."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Literal

import msgspec

from animator.core.errors import AnimatorError
from benchmarks.soaking.faults import Injected
from benchmarks.soaking.ledger import Entry
from benchmarks.soaking.sampling import ProcessSample, Sample
from benchmarks.soaking.trend import Point, Trend, fit, slices
from benchmarks.soaking.world import Answer
from serving.errors import ServingError

__all__ = ("Finding", "Soaked", "judge")

Holds = Literal["yes", "no", "unclear"]

_SLICE_S, _WARM_UP_S = 30.0, 120.0
_LASTING = ("supervisor", "web", "worker", "inference", "model", "redis")
"""Roles of processes that live on; forks for jobs come and go."""

_OURS = ("job_failed", "internal_error", "model_unavailable", "")
"""Codes of failures for which we are to blame: nothing but a fault may explain them."""

_FROM_OUTSIDE = frozenset({"http_error", "invalid_request", "method_not_allowed", "internal_error"})
_OUTAGE_S = 60.0
"""Seconds after a fault in which a failure may still come of it."""

_REDIS_KB_A_JOB = 16.0


class Finding(msgspec.Struct, frozen=True, kw_only=True):
    """One thing that was to hold.

    Attributes:
        name: what.
        holds: whether.
        text: by which numbers.
    """

    name: str
    holds: Holds
    text: str


class Soaked(msgspec.Struct, frozen=True, kw_only=True):
    """All that was written down.

    Attributes:
        entries: the accepted jobs.
        answers: to all that people and programs did.
        faults: that were injected.
        samples: in order.
        left: what was there after the stop: processes and files of jobs.
    """

    entries: Sequence[Entry]
    answers: Sequence[Answer]
    faults: Sequence[Injected]
    samples: Sequence[Sample]
    left: Sequence[str] = ()


def judge(soaked: Soaked) -> list[Finding]:
    """All findings."""
    return [
        *_judge_jobs(soaked),
        _judge_codes(soaked),
        _judge_blame(soaked),
        _judge_return(soaked.faults),
        *_judge_growth(soaked.samples),
        _judge_redis(soaked),
        _finding("nothing is left after the stop", not soaked.left, "; ".join(soaked.left) or "-"),
    ]


def _finding(name: str, holds: bool, text: str) -> Finding:
    return Finding(name=name, holds="yes" if holds else "no", text=text)


def _judge_jobs(soaked: Soaked) -> Iterator[Finding]:
    fates = Counter(entry.fate for entry in soaked.entries)
    lost = [f"{e.kind} {e.job}: {e.code}" for e in soaked.entries if e.fate in ("lost", "open")]
    text = ", ".join(f"{number} {fate}" for fate, number in sorted(fates.items()))
    text = f"{len(soaked.entries)} accepted: {text}" + "".join(f"; {each}" for each in lost[:5])
    yield _finding("every accepted job is accounted for", bool(fates) and not lost, text)
    wrong = [answer for answer in soaked.answers if answer.code == "soak_is_wrong"]
    told = wrong[0].text.strip().splitlines()[-1] if wrong else "-"
    yield _finding("the load itself made no mistake", not wrong, told)


def _judge_codes(soaked: Soaked) -> Finding:
    """Every failure and refusal has a code that is documented."""
    known = _known_codes()
    odd = Counter(e.code for e in soaked.entries if e.fate == "failed" and e.code not in known)
    odd += Counter(a.code for a in soaked.answers if _is_odd(a, known))
    text = ", ".join(f"{code or 'none'} ({number})" for code, number in odd.most_common())
    return _finding("every failure has a stable code", not odd, text or "all known")


def _is_odd(answer: Answer, known: frozenset[str]) -> bool:
    own = ("ok", "job_not_done", "soak_is_wrong")
    return not (
        answer.code in known or answer.code in own or answer.code.startswith(("rest_", "grpc_"))
    )


def _judge_blame(soaked: Soaked) -> Finding:
    """What fails for our own reasons fails near a fault."""
    failed = [
        (e.accepted, e.ended or e.accepted, e.kind, e.code)
        for e in soaked.entries
        if e.fate == "failed" and e.code in _OURS
    ]
    failed += [(a.at, a.at, a.action, a.code) for a in soaked.answers if a.code in _OURS]
    bare = [
        f"{kind}: {code} at {end:.0f} s"
        for begin, end, kind, code in failed
        if not any(f.begun <= end and begin <= f.healed + _OUTAGE_S for f in soaked.faults)
    ]
    text = f"{len(failed)} near a fault" if not bare else "; ".join(bare[:5])
    return _finding("nothing fails for our reasons without a fault", not bare, text)


def _judge_return(faults: Sequence[Injected]) -> Finding:
    late = [fault.name for fault in faults if fault.well is None or fault.works is None]
    works = sorted(fault.works for fault in faults if fault.works is not None)
    text = f"not back after: {', '.join(late)}" if late else "no faults"
    if works and not late:
        text = f"{len(works)} faults; a drawing is read after {_middle(works):.1f} s (median), "
        text += f"{works[-1]:.1f} s at worst"
    return _finding("the service is back after each fault", not late, text)


def _judge_growth(samples: Sequence[Sample]) -> Iterator[Finding]:
    for role in _LASTING:
        points = [(s.at, p) for s in samples for p in s.processes if p.role == role]
        for what, of, tolerance in _MEASURES:
            values = [Point(_life(process, what), at, of(process)) for at, process in points]
            yield _judge_trend(f"{role}: {what}", values, tolerance)
    for what, of_all, tolerance in _SUMS:
        sums = [Point("all", sample.at, of_all(sample)) for sample in samples]
        yield _judge_trend(f"all: {what}", sums, tolerance)


def _life(process: ProcessSample, what: str) -> str:
    """Whose samples are compared.

    A thread brings memory of its own, and comes when it is first needed, which in a process that is
    killed every few minutes looks like a leak. So a process with more threads is another one, but
    not where threads are counted.
    """
    return process.life if what == "threads" else f"{process.life}-{process.threads}"


def _judge_trend(name: str, points: Iterable[Point], tolerance: "Tolerance") -> Finding:
    trend = fit(slices(points, _SLICE_S, _WARM_UP_S))
    if trend is None:
        return Finding(name=f"{name} is flat", holds="unclear", text="too short to tell")
    holds: dict[str, Holds] = {"flat": "yes", "grows": "no", "unclear": "unclear"}
    verdict = trend.judge(tolerance(trend))
    text = (
        f"{trend.level:.1f}; {trend.slope:+.1f} an hour ({trend.low:+.1f} to {trend.high:+.1f}), "
    )
    text += f"up to {tolerance(trend):.1f} is flat; {trend.lives} lives"
    return Finding(name=f"{name} is flat", holds=holds[verdict], text=text)


def _judge_redis(soaked: Soaked) -> Finding:
    """Redis keeps the last news of each job: it grows with the jobs, and by no more."""
    name = "Redis grows by what jobs leave, and no more"
    told = [(sample.at, sample.redis) for sample in soaked.samples if sample.redis is not None]
    if len(told) < 2 or not soaked.entries:
        return Finding(name=name, holds="unclear", text="too short to tell")
    grown = (_middle([v for _, v in told[-5:]]) - _middle([v for _, v in told[:5]])) * 1024
    a_job = grown / len(soaked.entries)
    return _finding(name, a_job <= _REDIS_KB_A_JOB, f"{a_job:.1f} kB a job, {told[-1][1]:.1f} MiB")


def _middle(values: Sequence[float]) -> float:
    return sorted(values)[len(values) // 2]


def _known_codes() -> frozenset[str]:
    return _FROM_OUTSIDE | _codes_below(AnimatorError) | _codes_below(ServingError)


def _codes_below(kind: type[AnimatorError] | type[ServingError]) -> frozenset[str]:
    codes = {kind.code}
    for below in kind.__subclasses__():
        codes |= _codes_below(below)
    return frozenset(codes)


Tolerance = Callable[[Trend], float]


def _memory(trend: Trend) -> float:
    """MiB an hour: a tenth of what there is, and never less than 16."""
    return max(0.1 * trend.level, 16.0)


def _fixed(number: float) -> Tolerance:
    return lambda _: number


_MEASURES: tuple[tuple[str, Callable[[ProcessSample], float], Tolerance], ...] = (
    ("memory, MiB", lambda process: process.pss, _memory),
    ("resident, MiB", lambda process: process.rss, _memory),
    ("handles", lambda process: process.handles, _fixed(6.0)),
    ("threads", lambda process: process.threads, _fixed(4.0)),
)


def _lasting(sample: Sample) -> list[ProcessSample]:
    return [process for process in sample.processes if process.role in _LASTING]


_SUMS: tuple[tuple[str, Callable[[Sample], float], Tolerance], ...] = (
    ("memory, MiB", lambda s: sum(p.pss for p in _lasting(s)), _memory),
    ("handles", lambda s: sum(p.handles for p in _lasting(s)), _fixed(20.0)),
    ("processes", lambda s: len(_lasting(s)), _fixed(1.0)),
    ("zombies", lambda s: sum(p.role == "zombie" for p in s.processes), _fixed(1.0)),
    ("temporary files", lambda s: s.temp_files, _fixed(3.0)),
    ("files of jobs under way", lambda s: s.scratch_files, _fixed(3.0)),
    ("data, MiB", lambda s: s.data, _memory),
)
