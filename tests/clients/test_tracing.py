"""Clients of other servers that have traces of their own see what this one did in them."""

import json
import secrets
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import grpc
import httpx
import pytest

from serving.grpc import inference
from serving.protocol.proto.generated import torchserve_inference_pb2 as ts
from tests.support_clients import Addresses, wait_for_addresses
from tests.support_contract import MODELS, start_server, stop_server
from tests.support_grpc import Stub
from tests.support_traces import Collector, Taken, collector


@pytest.fixture(scope="module")
def taken() -> Iterator[Collector]:
    with collector() as taken:
        yield taken


@pytest.fixture(scope="module")
def log() -> list[str]:
    """What the server has said since it was ready."""
    return []


@pytest.fixture(scope="module")
def traced(taken: Collector, log: list[str]) -> Iterator[Addresses]:
    told = {"SERVING_TRACE_ENDPOINT": taken.url, "OTEL_BSP_SCHEDULE_DELAY": "100"}
    with start_server(MODELS, "--log-format=json", **told) as process:
        try:
            yield wait_for_addresses(process, log)
        finally:
            stop_server(process)


def new_traceparent() -> str:
    return f"00-{secrets.token_hex(16)}-{secrets.token_hex(8)}-01"


def predict(traced: Addresses, model: str, body: str, **headers: str) -> httpx.Response:
    url = f"http://{traced.http}/predictions/{model}"
    return httpx.post(url, content=body, headers={"content-type": "text/plain", **headers})


def spans_of(taken: Collector, traceparent: str, names: set[str]) -> dict[str, Taken]:
    """Those of a trace, by name, once they are all there."""
    trace = traceparent.split("-")[1]
    taken.wait_for(lambda: names <= {span.name for span in taken.trace(trace)})
    return {span.name: span for span in taken.trace(trace)}


def test_rest_client_finds_our_part_in_its_trace(traced: Addresses, taken: Collector) -> None:
    traceparent = new_traceparent()
    predict(traced, "echo", "hello", traceparent=traceparent).raise_for_status()
    route = "POST /predictions/{model}"
    spans = spans_of(taken, traceparent, {route, "queue", "batch", "model"})
    assert spans[route].parent == traceparent.split("-")[2]
    assert spans[route].said["http.response.status_code"] == 200
    assert {spans[name].parent for name in ("queue", "batch")} == {spans[route].id}
    assert spans["model"].parent == spans["batch"].id
    assert spans["model"].said["serving.device"] == "cpu"


def test_client_that_follows_nobody_is_not_followed(traced: Addresses, taken: Collector) -> None:
    traceparent = new_traceparent()
    predict(traced, "echo", "hello", traceparent=traceparent[:-1] + "0").raise_for_status()
    later = new_traceparent()
    predict(traced, "echo", "hello", traceparent=later).raise_for_status()
    spans_of(taken, later, {"POST /predictions/{model}"})
    assert taken.trace(traceparent.split("-")[1]) == []


def test_grpc_client_finds_our_part_in_its_trace(traced: Addresses, taken: Collector) -> None:
    traceparent = new_traceparent()
    with grpc.insecure_channel(traced.grpc) as channel:
        Stub(channel, inference.NAME).call(
            "Predictions",
            ts.PredictionsRequest(model_name="echo", input={"data": b"hello"}),
            ts.PredictionResponse,
            metadata=[("traceparent", traceparent), ("x-request-id", "of-grpc")],
        )
    method = f"{inference.NAME}/Predictions"
    spans = spans_of(taken, traceparent, {method, "batch", "model"})
    assert spans[method].parent == traceparent.split("-")[2]
    assert spans[method].said == {
        "rpc.system.name": "grpc",
        "rpc.method": method,
        "rpc.response.status_code": "OK",
        "serving.request_id": "of-grpc",
    }
    assert spans["batch"].parent == spans[method].id


def test_requests_that_go_together_are_seen_in_each_trace(
    traced: Addresses, taken: Collector
) -> None:
    traces = [new_traceparent() for _ in range(4)]

    def ask(traceparent: str) -> None:
        predict(traced, "fragile", "0.3", traceparent=traceparent).raise_for_status()

    with ThreadPoolExecutor(4) as clients:
        list(clients.map(ask, traces))
    route = "POST /predictions/{model}"
    found = [spans_of(taken, trace, {route, "queue", "batch"}) for trace in traces]
    together = [spans["batch"] for spans in found if spans["batch"].said["serving.batch.size"] > 1]
    assert together, "while the first is worked on, the others wait"
    (whole,) = [span for span in together if len(span.links) > 1]
    followed = {spans[route].id for spans in found if spans["batch"] in together}
    assert set(whole.links) == followed
    assert {span.links for span in together if span is not whole} == {(whole.id,)}


def test_id_of_the_client_is_told_by_the_line_of_the_worker_that_failed(
    traced: Addresses, log: list[str], taken: Collector
) -> None:
    traceparent = new_traceparent()
    answer = predict(
        traced, "fragile", "nan", **{"x-request-id": "my.id-7", "traceparent": traceparent}
    )
    assert answer.is_server_error
    assert answer.headers["x-request-id"] == "my.id-7"
    span = spans_of(taken, traceparent, {"POST /predictions/{model}"})["POST /predictions/{model}"]
    assert span.is_error
    taken.wait_for(lambda: any("my.id-7" in line for line in log))
    lines = [json.loads(line) for line in log]
    told = [line["message"] for line in lines if line.get("request_id") == "my.id-7"]
    assert any("inference failed: ArithmeticError" in message for message in told)


@pytest.mark.parametrize("given", ["", "with space", "x" * 65, "a\tb"])
def test_unfit_id_is_not_taken(traced: Addresses, given: str) -> None:
    answer = predict(traced, "echo", "hello", **{"x-request-id": given})
    assert answer.headers["x-request-id"] not in ("", given)
