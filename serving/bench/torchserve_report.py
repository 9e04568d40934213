"""The reports of TorchServe's auto_benchmark: its CSV and its report.md, column by column.

Source of the columns: benchmarks/benchmark-ab.py and utils/gen_md_report.py of TorchServe 0.12.
What is not measured here is an empty cell, never a made-up number.
"""

import csv
import io
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from serving.bench.measured import Trial

__all__ = ("COLUMNS", "Case", "ab_csv", "ab_markdown")

COLUMNS = (
    "Benchmark", "TS failed requests", "TS throughput", "TS latency P50", "TS latency P90",
    "TS latency P99", "TS latency mean", "TS error rate", "Batch size", "Batch delay", "Workers",
    "Model", "Concurrency", "Input", "Requests", "Model_p50", "Model_p90", "Model_p99",
    "Queue time p50", "Queue time p90", "Queue time p99", "predict_mean", "handler_time_mean",
    "waiting_time_mean", "worker_thread_mean", "cpu_percentage_mean", "memory_percentage_mean",
    "gpu_percentage_mean", "gpu_memory_percentage_mean", "gpu_memory_used_mean",
)  # fmt: skip


@dataclass(frozen=True)
class Case:
    """One row.

    Attributes:
        trial: what was measured.
        group: the heading that it stands under, `<mode>_<model>`.
        model: address of the archive, or the model's name.
        body: file that was sent.
    """

    trial: Trial
    group: str
    model: str
    body: str


def ab_csv(cases: Sequence[Case]) -> str:
    """The table as CSV, a row a case."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(COLUMNS)
    writer.writerows(_cells(case) for case in cases)
    return text.getvalue()


def ab_markdown(cases: Sequence[Case], hardware: str, version: str, when: datetime) -> str:
    """The report, with a table for each group.

    Args:
        cases: the rows.
        hardware: in the title.
        version: of the server.
        when: it was measured.
    """
    title = f"TorchServe Benchmark on {hardware}"
    lines = ["", title, "=" * len(title), "", f"# Date: {when:%Y-%m-%d %H:%M:%S}", ""]
    lines += [f"# TorchServe Version: {version}", ""]
    for group in dict.fromkeys(case.group for case in cases):
        rows = [("version", *COLUMNS), (":---:",) * (len(COLUMNS) + 1)]
        rows += [(version, *_cells(case)) for case in cases if case.group == group]
        lines += [f"## {group}", "", *(f"|{'|'.join(row)}|" for row in rows), ""]
    return "\n".join(lines)


def _cells(case: Case) -> tuple[str, ...]:
    known = {**_asked(case), **_answered(case.trial), **_in_the_server(case.trial)}
    return tuple(known.get(column, "") for column in COLUMNS)


def _asked(case: Case) -> Mapping[str, str]:
    setting = case.trial.setting
    return {
        "Benchmark": "AB",
        "Batch size": str(setting.batch_size),
        "Batch delay": f"{setting.max_batch_delay_ms:g}",
        "Workers": str(setting.workers),
        "Model": f"[.mar]({case.model})",
        "Concurrency": str(setting.concurrency),
        "Input": f"[input]({case.body})",
    }


def _answered(trial: Trial) -> Mapping[str, str]:
    def of(field: str) -> str:
        value = trial.median(field)
        return "" if math.isnan(value) else f"{value:.4g}"

    requests = trial.requests
    return {
        "Requests": str(requests),
        "TS failed requests": str(trial.failed),
        "TS throughput": f"{trial.median('throughput'):.2f}" if trial.repeats else "",
        "TS latency P50": of("p50_ms"),
        "TS latency P90": of("p90_ms"),
        "TS latency P99": of("p99_ms"),
        "TS latency mean": of("mean_ms"),
        "TS error rate": f"{100 * trial.failed / requests:.6g}" if requests else "",
    }


def _in_the_server(trial: Trial) -> Mapping[str, str]:
    stages, usage = trial.stages, trial.usage
    numbers: dict[str, float] = {}
    if stages.model_mean:  # else the server tells less of itself, or nothing
        numbers |= {
            "Model_p50": stages.model_p50,
            "Model_p90": stages.model_p90,
            "Model_p99": stages.model_p99,
            "predict_mean": stages.model_mean,
            "handler_time_mean": stages.model_mean,
            "Queue time p50": stages.queue_p50,
            "Queue time p90": stages.queue_p90,
            "Queue time p99": stages.queue_p99,
        }
    if stages.model_mean or stages.queue_mean:
        numbers["waiting_time_mean"] = stages.queue_mean
    if usage.memory_mb:
        numbers |= {
            "cpu_percentage_mean": usage.cpu_percent,
            "memory_percentage_mean": usage.memory_percent,
        }
    if usage.gpu_memory_mb:
        numbers |= {
            "gpu_percentage_mean": usage.gpu_percent,
            "gpu_memory_percentage_mean": usage.gpu_memory_percent,
            "gpu_memory_used_mean": usage.gpu_memory_mb,
        }
    return {column: f"{number:.4g}" for column, number in numbers.items()}
