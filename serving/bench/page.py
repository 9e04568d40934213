"""Page: the report as one HTML file that needs nothing else; plots and tables, phone and desk."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from html import escape

from serving.bench.limits import Limit, excess
from serving.bench.measured import Trial
from serving.bench.page_style import STYLE
from serving.bench.plots import Axis, Bar, Point, bars, scatter
from serving.bench.wording import short

__all__ = ("Report", "pareto", "report_page")

_MOST_ROWS = 12


@dataclass(frozen=True)
class Report:
    """What a page tells.

    Attributes:
        title: what was measured.
        facts: about the run: name and value.
        trials: each setting's longest trial, in the order in which they were tried.
        limits: what was to be kept.
        best: of the trials; None: none keeps the limits.
        tuned: the configuration of the best; "" when there is none.
        changes: sentences of the comparison with a former report.
    """

    title: str
    facts: Sequence[tuple[str, str]]
    trials: Sequence[Trial]
    limits: Sequence[Limit]
    best: Trial | None
    tuned: str = ""
    changes: Sequence[str] = ()

    def is_brief(self, trial: Trial) -> bool:
        """Whether others were tried for longer: then its numbers are a first look."""
        return trial.seconds < max(each.seconds for each in self.trials)


def pareto(trials: Iterable[Trial]) -> list[Trial]:
    """Those that no other beats in both throughput and p99, by rising throughput."""
    front: list[Trial] = []
    ran = [trial for trial in trials if trial.is_measured]
    for trial in sorted(ran, key=lambda t: (-t.median("throughput"), t.median("p99_ms"))):
        if not front or trial.median("p99_ms") < front[-1].median("p99_ms"):
            front.append(trial)
    return front[::-1]


def report_page(report: Report) -> str:
    """The page."""
    ran = [trial for trial in report.trials if trial.is_measured]
    sections = [_verdict(report), _facts(report.facts), _changes(report.changes)]
    if ran:
        sections += [_latencies(report, ran), _usage(report, ran), _tuned(report.tuned)]
    sections += [_table(report, ran), _problems(report.trials)]
    head = (
        f'<!doctype html>\n<html lang="en">\n<meta charset="utf-8">\n'
        f'<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{escape(report.title)}</title>\n<style>{STYLE}</style>\n"
    )
    body = "\n".join(filter(None, sections))
    return f"{head}<main>\n<h1>{escape(report.title)}</h1>\n{body}\n</main>\n</html>\n"


def _verdict(report: Report) -> str:
    limits = ", ".join(limit.text for limit in report.limits)
    within = f" inside {limits}" if limits else ""
    if report.best is None:
        text = f"No setting stays{within}. Nearest are the first rows of the table."
        return f'<p class="verdict none">{escape(text)}</p>'
    best = report.best
    return (
        f'<p class="verdict"><strong>{short(best.median("throughput"), 4)}/s</strong> '
        f"{escape(within.strip())} with {escape(best.setting.name)}: "
        f"p50 {short(best.median('p50_ms'))}, p99 {short(best.median('p99_ms'))} ms</p>"
    )


def _facts(facts: Iterable[tuple[str, str]]) -> str:
    rows = "".join(f"<dt>{escape(name)}</dt><dd>{escape(value)}</dd>" for name, value in facts)
    return f"<dl>{rows}</dl>"


def _changes(changes: Sequence[str]) -> str:
    if not changes:
        return ""
    rows = "".join(
        f'<li class="{"bad" if text.startswith("WORSE") else ""}">{escape(text)}</li>'
        for text in changes
    )
    return f"<h2>Against the former report</h2><ul>{rows}</ul>"


def _kind(report: Report, trial: Trial) -> str:
    if trial is report.best:
        return "best"
    return "good" if excess(trial, report.limits) <= 1 else "bad"


def _latencies(report: Report, ran: Sequence[Trial]) -> str:
    by_trial = {id(trial): _point(report, trial) for trial in ran}
    limit = next((lim for lim in report.limits if lim.what == "p99"), None)
    plot = scatter(
        list(by_trial.values()),
        (Axis("good answers a second", is_log=_is_wide(ran)), Axis("p99, ms", is_log=True)),
        [by_trial[id(trial)] for trial in pareto(ran)],
        (limit.bound, f"limit {limit.bound:g} ms") if limit else None,
    )
    legend = '<span class="best">best</span> <span class="good">inside the limits</span> '
    legend += '<span class="bad">outside</span> '
    legend += '<span class="front">nobody beats these in both</span>'
    rings = "; rings were tried only briefly" if any(map(report.is_brief, ran)) else ""
    return (
        f"<h2>Latency against throughput</h2><figure>{plot}"
        f"<figcaption>{legend}. Bars: least to most of the repeats{rings}.</figcaption></figure>"
    )


def _is_wide(ran: Sequence[Trial]) -> bool:
    rates = [trial.median("throughput") for trial in ran]
    return max(rates) > 20 * min(rates)


def _point(report: Report, trial: Trial) -> Point:
    rate, p99 = trial.spread("throughput"), trial.spread("p99_ms")
    text = f"{trial.setting.name}: {short(rate.median, 4)}/s, p99 {short(p99.median)} ms"
    several = len(trial.repeats) > 1 and rate.low > 0
    return Point(
        rate.median,
        p99.median,
        text,
        _kind(report, trial),
        (rate.low, rate.high) if several else None,
        (p99.low, p99.high) if several else None,
        is_hollow=report.is_brief(trial),
    )


def _usage(report: Report, ran: Sequence[Trial]) -> str:
    seen = [trial for trial in _ordered(report, ran) if trial.usage.memory_mb][:_MOST_ROWS]
    if not seen:
        return ""
    has_gpu = any(trial.usage.gpu_memory_mb for trial in seen)
    rows = [
        Bar(
            trial.setting.name,
            (trial.usage.cpu_ms, trial.usage.memory_mb),
            (short(trial.usage.cpu_ms), f"{trial.usage.memory_mb:.0f}"),
            _kind(report, trial),
        )
        for trial in seen
    ]
    plots = [bars(rows, ("CPU ms a request", "memory, MB"))]
    if has_gpu:
        plots.append(bars([_gpu_bar(report, t) for t in seen], ("GPU, %", "GPU memory, MB")))
    return f"<h2>What it costs</h2><figure>{'</figure><figure>'.join(plots)}</figure>"


def _gpu_bar(report: Report, trial: Trial) -> Bar:
    usage = trial.usage
    texts = f"{usage.gpu_percent:.0f}", f"{usage.gpu_memory_mb:.0f}"
    values = usage.gpu_percent, usage.gpu_memory_mb
    return Bar(trial.setting.name, values, texts, _kind(report, trial))


def _ordered(report: Report, ran: Iterable[Trial]) -> list[Trial]:
    """The best first; then inside the limits by throughput, and by how far they are broken."""

    def place(trial: Trial) -> tuple[bool, float, bool, float]:
        over = max(excess(trial, report.limits), 1.0)
        is_brief = report.is_brief(trial)
        return trial is not report.best, over, is_brief, -trial.median("throughput")

    return sorted(ran, key=place)


def _tuned(text: str) -> str:
    return f'<h2>Configuration</h2><pre tabindex="0">{escape(text)}</pre>' if text else ""


_COLUMNS = (
    "setting", "good/s", "least to most", "goodput/s", "p50", "p90", "p95", "p99", "p99.9 ms",
    "failed", "batch", "queue ms", "model ms", "CPU ms", "MB", "seconds",
)  # fmt: skip


def _table(report: Report, ran: Sequence[Trial]) -> str:
    head = "".join(f"<th>{escape(column)}</th>" for column in _COLUMNS)
    rows = "".join(_row(trial, _kind(report, trial)) for trial in _ordered(report, ran))
    table = f"<table><tr>{head}</tr>{rows}</table>"
    # What scrolls must be within reach of the keyboard.
    reach = 'tabindex="0" role="region" aria-label="All settings"'
    return f'<h2>All settings</h2><div class="wide" {reach}>{table}</div>'


def _row(trial: Trial, kind: str) -> str:
    rate, stages, usage = trial.spread("throughput"), trial.stages, trial.usage
    names = ("p50_ms", "p90_ms", "p95_ms", "p99_ms", "p999_ms")
    spread = f"{short(rate.low, 4)} - {short(rate.high, 4)}"
    cells = [
        short(rate.median, 4),
        spread if len(trial.repeats) > 1 else "once",
        short(trial.median("goodput"), 4),
        *(short(trial.median(name)) for name in names),
        f"{trial.failed} of {trial.requests}",
        *map(short, (stages.batch_mean, stages.queue_mean, stages.model_mean)),
        short(usage.cpu_ms),
        f"{usage.memory_mb:.0f}",
        short(trial.measured_s),
    ]
    text = "".join(f"<td>{escape(cell)}</td>" for cell in cells)
    return f'<tr class="{kind}"><th>{escape(trial.setting.name)}</th>{text}</tr>'


def _problems(trials: Iterable[Trial]) -> str:
    rows = "".join(
        f"<li>{escape(trial.setting.name)}: {escape(trial.problem)}</li>"
        for trial in trials
        if trial.problem
    )
    return f"<h2>Could not be tried</h2><ul>{rows}</ul>" if rows else ""
