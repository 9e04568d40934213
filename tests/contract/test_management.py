"""TorchServe's management API, as far as it only looks, and Prometheus' text."""

import httpx
import pytest

from tests.support_contract import Server


@pytest.fixture
def models(server: Server) -> str:
    return f"{server.management}/models"


def test_models_are_listed_by_name(models: str) -> None:
    body = httpx.get(models).json()
    assert [model["modelName"] for model in body["models"]] == ["echo", "fragile"]
    assert all(model.keys() == {"modelName", "modelUrl"} for model in body["models"])
    assert "nextPageToken" not in body


def test_list_comes_in_pages(models: str) -> None:
    first = httpx.get(models, params={"limit": 1}).json()
    assert [model["modelName"] for model in first["models"]] == ["echo"]
    token = first["nextPageToken"]
    assert token == "1"
    last = httpx.get(models, params={"limit": 1, "next_page_token": token}).json()
    assert [model["modelName"] for model in last["models"]] == ["fragile"]
    assert "nextPageToken" not in last


@pytest.mark.parametrize("limit", ["-1", "101", "many"])
def test_limit_that_is_none_is_the_default(models: str, limit: str) -> None:
    assert len(httpx.get(models, params={"limit": limit}).json()["models"]) == 2


@pytest.mark.parametrize("path", ["echo", "echo/1.0", "echo/all"])
def test_model_is_described(models: str, path: str) -> None:
    (body,) = httpx.get(f"{models}/{path}").json()
    assert (body["modelName"], body["modelVersion"]) == ("echo", "1.0")
    assert (body["batchSize"], body["maxBatchDelay"]) == (4, 2)
    assert body["minWorkers"] == len(body["workers"]) == 1
    (worker,) = body["workers"]
    assert worker["status"] == "READY"
    assert worker["pid"] > 0
    assert worker["memoryUsage"] > 1_000_000
    assert body["jobQueueStatus"]["pendingRequests"] == 0


@pytest.mark.parametrize(
    ("path", "kind", "message"),
    [
        ("dog", "ModelNotFoundException", "Model not found: dog"),
        ("dog/all", "ModelNotFoundException", "Model not found: dog"),
        (
            "echo/9",
            "ModelVersionNotFoundException",
            "Model version: 9 does not exist for model: echo",
        ),
    ],
)
def test_unknown_model_is_404(models: str, path: str, kind: str, message: str) -> None:
    answer = httpx.get(f"{models}/{path}")
    assert answer.status_code == 404
    assert answer.json() == {"code": 404, "type": kind, "message": message}


def test_ports_are_kept_apart(server: Server) -> None:
    assert httpx.get(f"{server.management}/ping").status_code == 404
    assert httpx.get(f"{server.inference}/models").status_code == 404


def test_metrics_are_prometheus_text(server: Server, http: httpx.Client) -> None:
    assert http.post("/predictions/echo", content=b"x").status_code == 200
    answer = httpx.get(f"{server.metrics}/metrics")
    assert answer.headers["content-type"] == "text/plain; version=0.0.4; charset=utf-8"
    for name in (
        "ts_inference_requests_total",
        "ts_inference_latency_microseconds",
        "ts_queue_latency_microseconds",
    ):
        (line,) = [
            line
            for line in answer.text.splitlines()
            if line.startswith(f"{name}{{") and "echo" in line
        ]
        assert float(line.rpartition(" ")[2]) > 0


@pytest.mark.parametrize("method", ["GET", "POST", "OPTIONS"])
def test_foreign_page_may_read_nothing(server: Server, method: str) -> None:
    asked = {"Origin": "https://evil.example", "Access-Control-Request-Method": "POST"}
    paths = {
        server.inference: ("/ping", "/predictions/echo", "/v2/models/echo/infer"),
        server.management: ("/models", "/models/echo"),
        server.metrics: ("/metrics",),
    }
    for url, each in paths.items():
        for path in each:
            answer = httpx.request(method, url + path, headers=asked)
            assert not [name for name in answer.headers if name.startswith("access-control")]
            assert answer.status_code != 204
