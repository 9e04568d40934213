import json

from serving.observe.metrics import ServerMetrics
from serving.protocol.torchserve import ErrorBody, ModelListItem, encode_pretty, page_of_models

MODELS = [ModelListItem(model_name=name, model_url=f"{name}.mar") for name in ("c", "a", "b")]


def test_what_happened_is_counted_by_model_and_version() -> None:
    metrics = ServerMetrics()
    endpoint = metrics.for_endpoint("cat", "2")
    endpoint.watch(in_flight=lambda: 5, waiting=lambda: 3, workers=lambda: 1)
    endpoint.launched([0.002, 0.004], "full")
    endpoint.inferred(0.3, 2)
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
        f"serving_inference_seconds_sum{{{labels}}} 0.3",
        f'serving_requests_total{{{labels},result="ok"}} 1.0',
        f'serving_shed_total{{{labels},reason="queue_full"}} 1.0',
        f"serving_in_flight{{{labels}}} 5.0",
        f"serving_queue_length{{{labels}}} 3.0",
        f"serving_workers{{{labels}}} 1.0",
        f"serving_worker_restarts_total{{{labels}}} 2.0",
    ):
        assert line in lines


def test_torchserves_names_are_kept() -> None:
    metrics = ServerMetrics()
    endpoint = metrics.for_endpoint("cat", "2")
    endpoint.launched([0.002], "idle")
    endpoint.answered(0.5, "ok")
    values = {
        line.partition("{")[0]: float(line.rpartition(" ")[2])
        for line in metrics.as_text().decode().splitlines()
        if line.startswith("ts_")
    }
    assert values == {
        "ts_inference_requests_total": 1,
        "ts_inference_latency_microseconds": 500_000,
        "ts_queue_latency_microseconds": 2_000,
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
