import logging
import re
from pathlib import Path
from typing import Literal

import pytest

from serving.handlers.points import MetricPoint
from serving.observe.custom import MODEL_METRICS_LOG, TS_METRICS_LOG, TorchServeMetrics
from serving.observe.families import Families, FamilySpec
from serving.observe.machine import gpu_readings, read_machine
from serving.settings import InvalidSettings, ServerSettings

COMPAT: Literal["torchserve"] = "torchserve"


def samples(metrics: TorchServeMetrics) -> list[str]:
    return [line for line in metrics.as_text().splitlines() if not line.startswith("#")]


def test_requests_and_times_are_told_as_torchserve_tells_them() -> None:
    metrics = TorchServeMetrics(ServerSettings(compat=COMPAT))
    metrics.default_version_of = lambda _: "2"
    metrics.answered(200)
    metrics.answered(404)
    metrics.answered(507)
    metrics.queued("cat", "2", [0.001, 0.002])
    metrics.inferred("cat", "2", 0.5)
    metrics.inferred("cat", "1", 0.25)
    metrics.shipped(0.004)
    metrics.loaded("W-1-cat_2", 1.5)
    text = re.sub(r'(H|h)ostname="[^"]+"', r'\1ostname="h"', "\n".join(samples(metrics)))
    assert text.splitlines() == [
        'Requests2XX{Level="Host",Hostname="h",} 1.0',
        'Requests4XX{Level="Host",Hostname="h",} 1.0',
        'Requests5XX{Level="Host",Hostname="h",} 1.0',
        'ts_inference_requests_total{model_name="cat",model_version="default",hostname="h",} 1.0',
        'ts_inference_requests_total{model_name="cat",model_version="1",hostname="h",} 1.0',
        "ts_inference_latency_microseconds"
        '{model_name="cat",model_version="default",hostname="h",} 500000.0',
        "ts_inference_latency_microseconds"
        '{model_name="cat",model_version="1",hostname="h",} 250000.0',
        'ts_queue_latency_microseconds{model_name="cat",model_version="default",hostname="h",} '
        "3000.0",
        'QueueTime{Level="Host",Hostname="h",} 2.0',
        'WorkerThreadTime{Level="Host",Hostname="h",} 4.0',
        'WorkerLoadTime{WorkerName="W-1-cat_2",Level="Host",Hostname="h",} 1500.0',
    ]


def test_labels_have_no_comma_at_the_end_and_name_the_version_elsewhere() -> None:
    metrics = TorchServeMetrics(ServerSettings())
    metrics.default_version_of = lambda _: "2"
    metrics.inferred("cat", "2", 0.5)
    assert re.fullmatch(
        r'ts_inference_requests_total\{model_name="cat",model_version="2",hostname="[^"]+"\} 1\.0',
        samples(metrics)[0],
    )


def test_version_is_forgotten_with_its_workers_and_the_model_with_its_last_version() -> None:
    metrics = TorchServeMetrics(ServerSettings())
    metrics.default_version_of = lambda _: "2"
    for version in ("1", "2", "11"):
        metrics.inferred("cat", version, 0.5)
        metrics.loaded(f"W-3-cat_{version}", 1.5)
        metrics.observe("cat", version, MetricPoint(name="HandlerTime", value=1, unit="ms"))
    metrics.inferred("dog", "1", 0.5)
    metrics.forget("cat", "1", is_last=False)
    text = "\n".join(samples(metrics))
    # Requests and latency of the versions that are left, and of the dog's.
    assert sorted(re.findall(r'model_version="(\d+)"', text)) == ["1", "1", "11", "11", "2", "2"]
    assert re.findall(r'WorkerName="([^"]+)"', text) == ["W-3-cat_2", "W-3-cat_11"]
    assert text.count('ModelName="cat"') == 1
    metrics.inferred("cat", "2", 0.5)
    counted = 'ts_inference_requests_total{model_name="cat",model_version="2",'
    assert next(s for s in samples(metrics) if s.startswith(counted)).endswith(" 2.0")
    metrics.forget("cat", "11", is_last=False)
    metrics.forget("cat", "2", is_last=True)
    assert {s.split("{")[1].split(",")[0] for s in samples(metrics)} == {'model_name="dog"'}


def test_names_that_handlers_invent_do_not_fill_the_memory() -> None:
    metrics = TorchServeMetrics(ServerSettings())
    for number in range(1100):
        metrics.observe("cat", "1", MetricPoint(name=f"Purr{number}", value=1, unit="Count"))
    assert metrics.as_text().count("# TYPE") == len(metrics._specs) == 1000


def test_every_family_is_named_before_it_has_values() -> None:
    text = TorchServeMetrics(ServerSettings()).as_text()
    assert "# TYPE GPUUtilization gauge\n" in text
    unit = "# HELP Requests2XX Torchserve prometheus counter metric with unit: Count\n"
    assert unit in text


def test_names_filter_the_families() -> None:
    text = TorchServeMetrics(ServerSettings()).as_text({"QueueTime", "Requests2XX"})
    assert re.findall(r"# TYPE (\w+)", text) == ["Requests2XX", "QueueTime"]


POINT = MetricPoint(name="Purrs", value=2, kind="counter", unit="Count", dimensions={"Mood": 'g"'})


def test_handlers_metric_is_told() -> None:
    metrics = TorchServeMetrics(ServerSettings())
    metrics.observe("cat", "1", POINT)
    metrics.observe("cat", "1", POINT)
    assert samples(metrics)[0].startswith('Purrs{Mood="g\\"",Hostname="')
    assert samples(metrics)[0].endswith("} 4.0")


def test_metric_that_no_file_lists_is_dropped_where_the_settings_say_so() -> None:
    metrics = TorchServeMetrics(ServerSettings(model_metrics_auto_detect=False))
    metrics.observe("cat", "1", POINT)
    assert samples(metrics) == []


def test_name_from_a_handler_cannot_break_the_text() -> None:
    metrics = TorchServeMetrics(ServerSettings())
    metrics.observe("cat", "1", MetricPoint(name="a} 1\nb", value=1, dimensions={'x="': "y"}))
    assert samples(metrics)[0].startswith('a__1_b{x__="')


def test_file_says_which_metrics_there_are(tmp_path: Path) -> None:
    path = tmp_path / "metrics.yaml"
    path.write_text(
        """
        dimensions:
          - &model "ModelName"
          - &host "Hostname"
        ts_metrics:
          counter:
            - name: Requests2XX
              unit: Count
              dimensions: [*host]
        model_metrics:
          histogram:
            - name: Seconds
              unit: s
              dimensions: [*model]
        """
    )
    metrics = TorchServeMetrics(ServerSettings(metrics_config=str(path)))
    metrics.answered(200)
    metrics.answered(404)
    metrics.observe("cat", "1", MetricPoint(name="Seconds", value=0.2, kind="gauge"))
    text = re.sub(r'Hostname="[^"]+"', 'Hostname="h"', "\n".join(samples(metrics)))
    assert text.startswith('Requests2XX{Hostname="h"} 1.0\nSeconds_bucket{ModelName="cat",')
    assert 'Seconds_bucket{ModelName="cat",Hostname="h",le="0.1"} 0.0' in text
    assert 'Seconds_bucket{ModelName="cat",Hostname="h",le="0.25"} 1.0' in text
    assert 'Seconds_count{ModelName="cat",Hostname="h"} 1.0' in text
    assert text.endswith('Seconds_sum{ModelName="cat",Hostname="h"} 0.2')


@pytest.mark.parametrize("text", ["[", "ts_metrics: 3", "ts_metrics: {counter: [{unit: x}]}"])
def test_file_that_is_none_stops_the_start(tmp_path: Path, text: str) -> None:
    path = tmp_path / "metrics.yaml"
    path.write_text(text)
    with pytest.raises(InvalidSettings, match=r"metrics_config .*metrics\.yaml"):
        TorchServeMetrics(ServerSettings(metrics_config=str(path)))


@pytest.mark.parametrize(
    ("mode", "told", "written"),
    [
        ("prometheus", {"Requests2XX", "ts_inference_requests_total"}, set()),
        ("log", set(), {"Requests2XX", "ts_inference_requests_total"}),
        ("legacy", {"ts_inference_requests_total"}, {"Requests2XX"}),
    ],
)
def test_mode_says_where_metrics_go(
    caplog: pytest.LogCaptureFixture,
    mode: Literal["prometheus", "log", "legacy"],
    told: set[str],
    written: set[str],
) -> None:
    metrics = TorchServeMetrics(ServerSettings(compat=COMPAT, metrics_mode=mode))
    with caplog.at_level(logging.INFO, TS_METRICS_LOG):
        metrics.answered(200)
        metrics._take("ts_inference_requests_total", {"model_name": "cat"}, 1)
    assert {line.partition("{")[0] for line in samples(metrics)} == told
    assert {line.partition(".")[0] for line in caplog.messages} == written


def test_line_is_torchserves(caplog: pytest.LogCaptureFixture) -> None:
    metrics = TorchServeMetrics(ServerSettings(metrics_mode="log"))
    point = MetricPoint(name="HandlerTime", value=1.5, unit="ms", dimensions={"Level": "Model"})
    with caplog.at_level(logging.INFO, MODEL_METRICS_LOG):
        metrics.observe("cat", "1", point)
    assert re.fullmatch(
        r"HandlerTime\.ms:1\.5\|#ModelName:cat,Level:Model\|#hostname:[^,]+,timestamp:\d+",
        caplog.messages[0],
    )


def test_handler_cannot_fill_the_memory() -> None:
    families = Families([])
    spec = FamilySpec("many", "gauge", "", ("n",))
    for number in range(1200):
        families.take(spec, {"n": str(number)}, 1)
    assert families.as_text().count('many{n="') == 1000
    for number in range(1200):
        families.take(FamilySpec(f"f{number}", "gauge", "", ()), {}, 1)
    assert families.as_text().count("# TYPE") == 1000


def test_buckets_fit_the_unit() -> None:
    families = Families([FamilySpec("t", "histogram", "Milliseconds", ())])
    families.take(FamilySpec("t", "histogram", "Milliseconds", ()), {}, 30)
    assert 't_bucket{le="25"} 0.0\nt_bucket{le="50"} 1.0\n' in families.as_text()


def test_machine_is_read() -> None:
    values = {reading.name: reading.value for reading in read_machine() if not reading.device}
    assert values.keys() == {
        "CPUUtilization",
        "MemoryUsed",
        "MemoryAvailable",
        "MemoryUtilization",
        "DiskUsage",
        "DiskUtilization",
        "DiskAvailable",
    }
    assert 0 < values["MemoryUtilization"] < 100
    assert values["DiskUsage"] > 0


def test_gpu_is_read_from_its_tools_line() -> None:
    assert [tuple(reading) for reading in gpu_readings("1, 35, 512, 2048")] == [
        ("GPUUtilization", 35, "1"),
        ("GPUMemoryUsed", 512, "1"),
        ("GPUMemoryUtilization", 25, "1"),
    ]
    assert list(gpu_readings("[Not Supported]")) == []
