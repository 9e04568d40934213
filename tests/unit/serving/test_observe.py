import json
from collections.abc import Sequence

from serving.handlers.points import MetricPoint
from serving.observe.metrics import ServerMetrics
from serving.observe.statistics import BatchTimes, EndpointStatistics
from serving.open_inference.statistics import Duration, statistics_of
from serving.protocol.torchserve import ErrorBody, ModelListItem, encode_pretty, page_of_models

MODELS = [ModelListItem(model_name=name, model_url=f"{name}.mar") for name in ("c", "a", "b")]


def test_what_happened_is_counted_by_model_and_version() -> None:
    metrics = ServerMetrics()
    endpoint = metrics.for_endpoint("cat", "2")
    endpoint.watch(in_flight=lambda: 5, waiting=lambda: 3, workers=lambda: 1)
    endpoint.launched([0.002, 0.004], "full")
    endpoint.inferred(BatchTimes(0.0625, 0.3125, 0.125), 2)
    endpoint.coded(0.5, True)
    endpoint.coded(0.25, False)
    endpoint.answered(0.5, "ok")
    endpoint.dropped("queue_full")
    endpoint.restarted(2)
    lines = metrics.as_text().decode().splitlines()
    labels = 'model_name="cat",model_version="2"'
    for line in (
        f"serving_queue_seconds_count{{{labels}}} 2.0",
        f"serving_queue_seconds_sum{{{labels}}} 0.006",
        f"serving_batch_wait_seconds_sum{{{labels}}} 0.004",
        f"serving_batch_size_sum{{{labels}}} 2.0",
        f'serving_batches_total{{{labels},reason="full"}} 1.0',
        f"serving_inference_seconds_sum{{{labels}}} 0.3125",
        f"serving_preprocess_seconds_sum{{{labels}}} 0.5625",
        f"serving_model_seconds_sum{{{labels}}} 0.125",
        f"serving_postprocess_seconds_sum{{{labels}}} 0.375",
        f'serving_requests_total{{{labels},result="ok"}} 1.0',
        f'serving_shed_total{{{labels},reason="queue_full"}} 1.0',
        f"serving_in_flight{{{labels}}} 5.0",
        f"serving_queue_length{{{labels}}} 3.0",
        f"serving_workers{{{labels}}} 1.0",
        f"serving_worker_restarts_total{{{labels}}} 2.0",
    ):
        assert line in lines


def test_times_before_and_after_the_model_are_told_apart() -> None:
    sums = EndpointStatistics()
    sums.add_batch(BatchTimes(0.001, 0.007, 0.002), 2)
    sums.add_batch(BatchTimes(0.002, 0.004, 0.001), 1)
    told = statistics_of("cat", "2", sums, None)
    # Over items: those of a batch each took as long as all of it.
    assert told.inference_stats.compute_input == Duration(3, 4_000_000)
    assert told.inference_stats.compute_infer == Duration(3, 9_000_000)
    assert told.inference_stats.compute_output == Duration(3, 5_000_000)
    one, two = told.batch_stats
    assert (one.batch_size, one.compute_infer) == (1, Duration(1, 1_000_000))
    assert (two.batch_size, two.compute_output) == (2, Duration(1, 2_000_000))


class Listener:
    """Writes down what it hears."""

    def __init__(self) -> None:
        self.heard: list[tuple[object, ...]] = []

    def inferred(self, model: str, version: str, latency_s: float) -> None:
        self.heard.append((model, version, latency_s))

    def queued(self, model: str, version: str, waits_s: Sequence[float]) -> None:
        self.heard.append((model, version, waits_s))

    def shipped(self, seconds: float) -> None:
        self.heard.append((seconds,))

    def loaded(self, worker: str, seconds: float) -> None:
        self.heard.append((worker, seconds))

    def observe(self, model: str, version: str, point: MetricPoint) -> None:
        self.heard.append((model, version, point.name))

    def forget(self, model: str, version: str, *, is_last: bool) -> None:
        self.heard.append((model, version, is_last))


def test_listener_hears_what_happens() -> None:
    metrics, listener = ServerMetrics(), Listener()
    metrics.listeners.append(listener)
    endpoint = metrics.for_endpoint("cat", "2")
    endpoint.loaded(7, 1.5)
    endpoint.launched([0.002], "idle")
    endpoint.inferred(BatchTimes(0.0, 0.3, 0.0), 1, [MetricPoint(name="Purrs", value=1)])
    endpoint.shipped(0.001)
    endpoint.answered(0.5, "ok")
    assert listener.heard == [
        ("W-7-cat_2", 1.5),
        ("cat", "2", [0.002]),
        ("cat", "2", "Purrs"),
        (0.001,),
        ("cat", "2", 0.5),
    ]


def test_version_that_is_served_no_longer_is_forgotten_and_the_others_go_on() -> None:
    metrics, listener = ServerMetrics(), Listener()
    metrics.listeners.append(listener)
    versions = {version: metrics.for_endpoint("cat", version) for version in ("1", "2")}
    for endpoint in versions.values():
        endpoint.watch(in_flight=lambda: 5, waiting=lambda: 3, workers=lambda: 1)
        endpoint.answered(0.5, "ok")
    metrics.forget_endpoint("cat", "1")
    metrics.forget_endpoint("cat", "1")
    heard = len(listener.heard)
    versions["1"].answered(0.5, "ok")
    assert len(listener.heard) == heard, "they would begin to tell of it again"
    versions["2"].answered(0.5, "ok")
    text = metrics.as_text().decode()
    assert 'model_version="1"' not in text
    assert 'serving_requests_total{model_name="cat",model_version="2",result="ok"} 2.0' in text
    metrics.forget_endpoint("cat", "2")
    assert "cat" not in metrics.as_text().decode()
    told = [heard for heard in listener.heard if isinstance(heard[-1], bool)]
    assert told == [("cat", "1", False), ("cat", "2", True)]


def test_version_that_comes_back_counts_from_nothing_but_goes_on_if_it_was_not_forgotten() -> None:
    metrics = ServerMetrics()
    line = 'serving_requests_total{model_name="cat",model_version="1",result="ok"}'
    metrics.for_endpoint("cat", "1").answered(0.5, "ok")
    metrics.for_endpoint("cat", "1").answered(0.5, "ok")
    assert f"{line} 2.0" in metrics.as_text().decode()
    metrics.forget_endpoint("cat", "1")
    metrics.for_endpoint("cat", "1").answered(0.5, "ok")
    assert f"{line} 1.0" in metrics.as_text().decode()


def test_text_can_be_cut_down_to_some_names() -> None:
    metrics = ServerMetrics()
    metrics.for_endpoint("cat", "2").answered(0.5, "ok")
    text = metrics.as_text({"serving_requests_total"}).decode()
    assert {line.split("{")[0] for line in text.splitlines() if not line.startswith("#")} == {
        "serving_requests_total"
    }


def test_two_servers_in_one_process_count_apart() -> None:
    one, other = ServerMetrics(), ServerMetrics()
    one.for_endpoint("cat", "1").answered(1, "ok")
    assert "cat" not in other.as_text().decode()


def test_pages_are_sorted_and_say_where_the_next_begins() -> None:
    first = page_of_models(MODELS, limit=2, start=0)
    assert [model.model_name for model in first.models] == ["a", "b"]
    assert first.next_page_token == "2"
    last = page_of_models(MODELS, limit=2, start=2)
    assert [model.model_name for model in last.models] == ["c"]
    assert last.next_page_token is None


def test_limits_out_of_bounds_mean_a_hundred() -> None:
    for limit in (-1, 101):
        assert len(page_of_models(MODELS, limit=limit, start=-3).models) == 3


def test_json_is_as_the_reference_writes_it() -> None:
    text = encode_pretty(page_of_models(MODELS[:1], limit=1, start=0)).decode()
    assert text == (
        '{\n  "models": [\n    {\n'
        '      "modelName": "c",\n      "modelUrl": "c.mar"\n    }\n  ]\n}\n'
    )
    error = ErrorBody(code=404, type="ModelNotFoundException", message="Model not found: x")
    assert list(json.loads(encode_pretty(error))) == ["code", "type", "message"]
