"""The parameter slo_p99_ms of our management API, and what the metrics tell of it."""

from collections.abc import Iterator

import httpx
import pytest

from tests.support_contract import Server

LABELS = '{model_name="echo",model_version="1.0"}'


@pytest.fixture
def echo(server: Server) -> Iterator[str]:
    address = f"{server.management}/models/echo"
    yield address
    assert httpx.put(address, params={"slo_p99_ms": "0"}).status_code == 200


def told(server: Server) -> dict[str, float]:
    """What the metrics tell of the model `echo`, by name."""
    lines = httpx.get(f"{server.metrics}/metrics").text.splitlines()
    told = (line.partition(LABELS) for line in lines)
    return {name: float(value) for name, labels, value in told if labels}


def test_slo_is_set_described_told_and_taken_back(
    server: Server, http: httpx.Client, echo: str
) -> None:
    before = httpx.get(echo).json()[0]
    assert "sloP99Ms" not in before
    assert "serving_slo_seconds" not in told(server)
    answer = httpx.put(echo, params={"slo_p99_ms": "2500"})
    assert answer.status_code == 200
    after = httpx.get(echo).json()[0]
    assert after.pop("sloP99Ms") == 2500
    workers = [worker["pid"] for worker in before["workers"]]
    assert [worker["pid"] for worker in after["workers"]] == workers
    assert http.post("/predictions/echo", content=b"x").status_code == 200
    metrics = told(server)
    assert metrics["serving_slo_seconds"] == 2.5
    assert metrics["serving_slo_reachable"] == 1
    assert metrics["serving_tuned_batch_size"] == 4
    assert metrics["serving_tuned_delay_seconds"] == 0.002
    assert metrics["serving_slo_late_total"] == 0
    assert httpx.put(echo, params={"slo_p99_ms": "0"}).status_code == 200
    assert "sloP99Ms" not in httpx.get(echo).json()[0]
    assert "serving_slo_seconds" not in told(server)


@pytest.mark.parametrize("value", ["-1", "1.5", "nan", "soon", "3600001"])
def test_slo_that_is_no_time_is_refused(server: Server, echo: str, value: str) -> None:
    answer = httpx.put(echo, params={"slo_p99_ms": value})
    assert answer.status_code == 400
    assert "slo_p99_ms must be" in answer.json()["message"]
    assert "sloP99Ms" not in httpx.get(echo).json()[0]
