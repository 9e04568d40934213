"""TorchServe's own formats: its YAML is read unchanged, its columns are written exactly."""

import csv
import io
from datetime import datetime
from pathlib import Path

import pytest

from serving.bench.results import read_trials
from serving.bench.setting import Setting
from serving.bench.stages import Stages
from serving.bench.torchserve_report import COLUMNS, Case, ab_csv, ab_markdown
from serving.bench.torchserve_yaml import InvalidBenchmark, read_benchmarks
from serving.bench.usage import Usage
from serving.errors import BadInput
from tests.unit.serving.bench.simulated import trial

HEADER = (
    "Benchmark,TS failed requests,TS throughput,TS latency P50,TS latency P90,TS latency P99,"
    "TS latency mean,TS error rate,Batch size,Batch delay,Workers,Model,Concurrency,Input,Requests,"
    "Model_p50,Model_p90,Model_p99,Queue time p50,Queue time p90,Queue time p99,predict_mean,"
    "handler_time_mean,waiting_time_mean,worker_thread_mean,cpu_percentage_mean,"
    "memory_percentage_mean,gpu_percentage_mean,gpu_memory_percentage_mean,gpu_memory_used_mean"
)

MAIN = """\
ts_version:
    branch: &ts_version "master"
models:
    - "mnist.yaml"
hardware: &hardware "gpu"
metrics_cmd:
    - "cmd": "aws cloudwatch put-metric-data"
    - "--namespace": ["torchserve_benchmark_nightly_", *hardware]
report_cmd:
    - "dest": ['s3://torchserve-benchmark/nightly', "today()", *hardware]
"""
MODEL = """\
---
mnist:
    eager_mode:
        benchmark_engine: "ab"
        url: "https://example.org/mnist_v2.mar"
        workers:
            - 4
        batch_delay: 100
        batch_size: [1, 2, 4, 8]
        requests: 500000
        concurrency: 10
        input: "./0.png"
        backend_profiling: False
        exec_env: "local"
        processors:
            - "cpu"
            - "gpus": "all"
"""


def case() -> Case:
    done = trial(
        Setting(batch_size=8, max_batch_delay_ms=100.0, workers=4, concurrency=10), 10, 50, 30
    )
    full = type(done)(
        setting=done.setting,
        seconds=done.seconds,
        repeats=done.repeats,
        usage=Usage(cpu_percent=150.0, memory_mb=512.0, memory_percent=12.5),
        stages=Stages(model_p50=11.0, model_p99=19.0, model_mean=12.0, queue_p90=3.0),
    )
    return Case(full, "eager_mode_mnist", "https://example.org/m.mar", "./0.png")


def test_columns_are_those_of_auto_benchmark() -> None:
    assert ",".join(COLUMNS) == HEADER


def test_csv_has_a_row_for_each_case_and_no_number_that_was_not_measured() -> None:
    (row,) = csv.DictReader(io.StringIO(ab_csv([case()])))
    assert (row["Benchmark"], row["TS throughput"], row["TS latency P99"]) == ("AB", "50.00", "30")
    assert (row["Batch size"], row["Batch delay"], row["Workers"]) == ("8", "100", "4")
    assert (row["Model"], row["Input"]) == ("[.mar](https://example.org/m.mar)", "[input](./0.png)")
    assert (row["Requests"], row["TS failed requests"], row["TS error rate"]) == ("500", "0", "0")
    assert (row["Model_p50"], row["Model_p99"], row["Queue time p90"]) == ("11", "19", "3")
    assert (row["cpu_percentage_mean"], row["memory_percentage_mean"]) == ("150", "12.5")
    assert row["gpu_percentage_mean"] == row["worker_thread_mean"] == ""


def test_markdown_is_the_reference_s_report() -> None:
    text = ab_markdown([case()], "cpu", "0.12.0", datetime(2026, 1, 2, 3, 4, 5))
    lines = text.splitlines()
    assert lines[1:3] == ["TorchServe Benchmark on cpu", "==========================="]
    assert lines[4] == "# Date: 2026-01-02 03:04:05"
    assert lines[6] == "# TorchServe Version: 0.12.0"
    assert lines[8] == "## eager_mode_mnist"
    assert lines[10] == "|version|" + HEADER.replace(",", "|") + "|"
    assert lines[11] == "|" + ":---:|" * 31
    assert lines[12].startswith("|0.12.0|AB|0|50.00|20|25|30|")


def test_their_files_are_read_as_they_are(tmp_path: Path) -> None:
    (tmp_path / "models_config").mkdir()
    (tmp_path / "models_config" / "mnist.yaml").write_text(MODEL)
    main = tmp_path / "benchmark_config.yaml"
    main.write_text(MAIN)
    found = read_benchmarks(main)
    assert found.hardware == "gpu"
    assert {"metrics_cmd", "report_cmd", "ts_version", "processors"} <= set(found.ignored)
    (listed,) = found.listed
    assert (listed.group, listed.url) == ("eager_mode_mnist", "https://example.org/mnist_v2.mar")
    assert listed.requests == 500000
    assert listed.body == tmp_path / "models_config" / "0.png"
    settings = list(listed.space.grid())
    assert [(s.batch_size, s.workers, s.concurrency) for s in settings] == [
        (1, 4, 10), (2, 4, 10), (4, 4, 10), (8, 4, 10),
    ]  # fmt: skip
    assert {s.max_batch_delay_ms for s in settings if s.batch_size > 1} == {100.0}


def test_file_of_one_model_may_be_named_alone(tmp_path: Path) -> None:
    file = tmp_path / "mnist.yaml"
    file.write_text(MODEL)
    assert [listed.group for listed in read_benchmarks(file).listed] == ["eager_mode_mnist"]


def test_file_that_is_not_there_is_told_plainly(tmp_path: Path) -> None:
    with pytest.raises(InvalidBenchmark, match=r"^cannot read .*none\.yaml: No such file"):
        read_benchmarks(tmp_path / "none.yaml")
    with pytest.raises(BadInput, match=r"holds no results of a bench .*: No such file"):
        read_trials(tmp_path / "none")


@pytest.mark.parametrize(
    "text",
    [
        "", "[1]", "mnist: 3", "mnist: {eager: {input: a}}", "models: [nowhere.yaml]", "a: [",
        MODEL.replace("[1, 2, 4, 8]", "[1, two]"), MODEL.replace("- 4", "- 0"),
        MODEL.replace("concurrency: 10", "concurrency: 100000"),
    ],
)  # fmt: skip
def test_what_is_no_benchmark_is_told_with_its_file(tmp_path: Path, text: str) -> None:
    file = tmp_path / "wrong.yaml"
    file.write_text(text)
    with pytest.raises(InvalidBenchmark, match=r"\.yaml"):
        read_benchmarks(file)
