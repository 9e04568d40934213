"""The report of a soak: JSON for programs, and a summary for people."""

import statistics
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import msgspec

from benchmarks.soaking.faults import Injected
from benchmarks.soaking.ledger import count
from benchmarks.soaking.sampling import Sample
from benchmarks.soaking.verdict import Finding, Soaked
from benchmarks.soaking.world import Answer

__all__ = ("summary", "write")


def write(
    folder: Path, facts: Mapping[str, str], soaked: Soaked, findings: Sequence[Finding]
) -> str:
    """Write `soak.json` and `soak.md` into a folder; the summary.

    The samples have a file of their own, which was written as they were taken.
    """
    text = summary(facts, soaked, findings)
    (folder / "soak.md").write_text(text, encoding="utf-8")
    told = {
        "facts": facts,
        "findings": findings,
        "jobs": soaked.entries,
        "faults": soaked.faults,
        "answers": soaked.answers,
        "left": soaked.left,
    }
    (folder / "soak.json").write_bytes(msgspec.json.format(msgspec.json.encode(told), indent=1))
    return text


def summary(facts: Mapping[str, str], soaked: Soaked, findings: Sequence[Finding]) -> str:
    """All tables in Markdown."""
    parts = [
        "\n".join(f"- {name}: {value}" for name, value in facts.items()),
        _table(
            "| holds | what | numbers |", (f"| {f.holds} | {f.name} | {f.text} |" for f in findings)
        ),
        _table("| accepted job | number | what became of them |", _fates(soaked)),
        _table(
            "| fault | times | answers after s | reads again after s, worst |",
            _faults(soaked.faults),
        ),
        _table("| asked | times | answers |", _answers(soaked.answers)),
        _table(
            "| role | memory (PSS) at first, at last, most, MiB | handles | CPU s |",
            _roles(soaked.samples),
        ),
    ]
    return "\n\n".join(parts) + "\n"


def _table(head: str, rows: Iterator[str]) -> str:
    return "\n".join((head, "|" + "---|" * (head.count("|") - 1), *rows))


def _fates(soaked: Soaked) -> Iterator[str]:
    for kind, fates in sorted(count(soaked.entries).items()):
        yield f"| {kind} | {fates.total()} | {_counted(fates)} |"


def _answers(answers: Sequence[Answer]) -> Iterator[str]:
    table: dict[str, Counter[str]] = defaultdict(Counter)
    for answer in answers:
        table[answer.action][answer.code] += 1
    for action, codes in sorted(table.items()):
        yield f"| {action} | {codes.total()} | {_counted(codes)} |"


def _faults(faults: Sequence[Injected]) -> Iterator[str]:
    table: dict[str, list[Injected]] = defaultdict(list)
    for fault in faults:
        table[fault.name].append(fault)
    for name, all_of_it in sorted(table.items()):
        well, works = ([getattr(f, what) for f in all_of_it] for what in ("well", "works"))
        yield f"| {name} | {len(all_of_it)} | {_worst(well)} | {_worst(works)} |"


def _worst(seconds: Sequence[float | None]) -> str:
    told = [each for each in seconds if each is not None]
    return "never" if len(told) < len(seconds) else f"{max(told):.1f}"


def _roles(samples: Sequence[Sample]) -> Iterator[str]:
    roles = sorted({process.role for sample in samples for process in sample.processes})
    for role in roles:
        own = [[p for p in sample.processes if p.role == role] for sample in samples]
        memory = [sum(p.pss for p in each) for each in own if each]
        handles = [sum(p.handles for p in each) for each in own if each]
        cpu: dict[str, float] = defaultdict(float)
        for process in (p for each in own for p in each):
            cpu[process.life] = max(cpu[process.life], process.cpu)
        ends = f"{_mean(memory[:5])}, {_mean(memory[-5:])}, {max(memory):.0f}"
        handle_ends = f"{_mean(handles[:5])}, {_mean(handles[-5:])}, {max(handles)}"
        yield f"| {role} | {ends} | {handle_ends} | {sum(cpu.values()):.0f} |"


def _mean(values: Sequence[float]) -> str:
    return f"{statistics.fmean(values):.0f}"


def _counted(counter: Counter[str]) -> str:
    return ", ".join(f"{number} {what}" for what, number in counter.most_common())
