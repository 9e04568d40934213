"""Results: the folder that a sweep leaves behind."""

import os
import platform
from collections.abc import Sequence
from datetime import datetime
from pathlib import Path

import msgspec

from serving.bench.measured import Trial
from serving.bench.page import Report, report_page
from serving.bench.torchserve_report import Case, ab_csv, ab_markdown
from serving.errors import BadInput, reason_of

__all__ = ("TRIALS", "machine_facts", "read_trials", "write_cases", "write_page")

TRIALS = "trials.jsonl"


def read_trials(folder: Path) -> list[Trial]:
    """All trials of a folder of results.

    Raises:
        BadInput: when it holds none that can be read.
    """
    try:
        lines = (folder / TRIALS).read_bytes().splitlines()[1:]
        return [msgspec.json.decode(line, type=Trial) for line in lines]
    except (OSError, msgspec.DecodeError) as error:
        msg = f"{folder} holds no results of a bench ({TRIALS}): {reason_of(error)}"
        raise BadInput(msg) from error


def write_page(folder: Path, report: Report) -> Path:
    """Write report.html, and tuned.toml where there is one; where the page is."""
    tuned = folder / "tuned.toml"
    tuned.write_text(report.tuned) if report.tuned else tuned.unlink(missing_ok=True)
    page = folder / "report.html"
    page.write_text(report_page(report), encoding="utf-8")
    return page


def write_cases(folder: Path, cases: Sequence[Case], hardware: str, version: str) -> None:
    """Write TorchServe's table as CSV and as report.md, and as it does a folder for each case."""
    done = [case for case in cases if case.trial.repeats]
    (folder / "ab_report.csv").write_text(ab_csv(done), encoding="utf-8")
    text = ab_markdown(done, hardware, version, datetime.now())
    (folder / "report.md").write_text(text, encoding="utf-8")


def machine_facts() -> list[tuple[str, str]]:
    """Where it was measured."""
    return [
        ("measured", f"{datetime.now():%Y-%m-%d %H:%M}"),
        ("machine", f"{_processor()}, {os.cpu_count()} cores, {platform.system()}"),
        ("load of the machine", f"{os.getloadavg()[0]:.1f}"),
    ]


def _processor() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
    except OSError:
        return platform.machine()
    names = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return names[0] if names else platform.machine()
