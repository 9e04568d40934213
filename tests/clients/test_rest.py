"""What Triton's client does not do over REST: other methods, versions, bodies without JSON."""

import gzip
import json
import socket
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import numpy as np
import pytest

from tests.support_clients import Addresses, server_for_clients

LENGTH = "Inference-Header-Content-Length"


@pytest.fixture
def http(addresses: Addresses) -> Iterator[httpx.Client]:
    with httpx.Client(base_url=f"http://{addresses.http}", timeout=20) as client:
        yield client


def tensor(*values: float, **fields: Any) -> dict[str, Any]:
    return {"name": "x", "datatype": "FP32", "shape": [len(values)], "data": values} | fields


def infer(http: httpx.Client, model: str, **request: Any) -> httpx.Response:
    return http.post(f"/v2/models/{model}/infer", json=request)


@pytest.mark.parametrize(
    ("method", "path", "allowed"),
    [
        ("DELETE", "/v2", "GET"),
        ("POST", "/v2/health/live", "GET"),
        ("GET", "/v2/models/echo/infer", "POST"),
        ("PUT", "/v2/models/echo/versions/1", "GET"),
        ("GET", "/v2/repository/index", "POST"),
        ("GET", "/v2/systemsharedmemory/unregister", "POST"),
        ("PUT", "/v2/logging", "GET, POST"),
    ],
)
def test_other_methods_are_told_the_right_one(
    http: httpx.Client, method: str, path: str, allowed: str
) -> None:
    answer = http.request(method, path)
    assert (answer.status_code, answer.headers["allow"]) == (405, allowed)
    assert "error" in answer.json()


@pytest.mark.parametrize(
    "path",
    [
        "/v2/nothing",
        "/v2/models",
        "/v2/models/echo/nothing",
        "/v2/models/echo/versions",
        "/v2/repository/models/echo/nothing",
        "/v2/systemsharedmemory/region/a/nothing",
        "/v2/systemsharedmemory/register",
    ],
)
def test_unknown_address_is_an_error_in_the_protocols_form(http: httpx.Client, path: str) -> None:
    for method in ("GET", "POST"):
        answer = http.request(method, path)
        assert answer.status_code in {404, 405}
        assert set(answer.json()) == {"error", "code"}


def test_body_may_be_the_one_inputs_data_alone(http: httpx.Client) -> None:
    data = np.array([0.5, 9, 2, 3], np.float32).tobytes()
    answer = http.post("/v2/models/scores/infer", content=data, headers={LENGTH: "0"})
    length = int(answer.headers[LENGTH])
    assert json.loads(answer.content[:length])["outputs"][0]["name"] == "scores"
    assert answer.content[length:] == data


def test_long_json_is_read_and_written(http: httpx.Client) -> None:
    values = np.arange(100_000) / 8
    answer = infer(http, "echo", inputs=[tensor(*values)])
    assert answer.json()["outputs"][0]["data"] == values.tolist()


def test_answer_is_compressed_for_who_names_one_coding(http: httpx.Client) -> None:
    body = json.dumps({"inputs": [tensor(*[0.0] * 5000)]}).encode()
    headers = {"content-encoding": "gzip", "accept-encoding": "gzip"}
    answer = http.post("/v2/models/echo/infer", content=gzip.compress(body), headers=headers)
    assert answer.headers["content-encoding"] == "gzip"
    assert len(answer.json()["outputs"][0]["data"]) == 5000
    plain = http.post("/v2/models/echo/infer", content=body)
    assert "content-encoding" not in plain.headers


def test_bomb_is_413(http: httpx.Client) -> None:
    answer = http.post(
        "/v2/models/echo/infer",
        content=gzip.compress(bytes(10_000_000)),
        headers={"content-encoding": "gzip"},
    )
    assert answer.status_code == 413
    assert "error" in answer.json()


def test_one_version_is_loaded_and_unloaded(http: httpx.Client) -> None:
    path = "/v2/repository/models/scores/versions/3"
    assert http.post(f"{path}/unload").status_code == 200
    assert http.get("/v2/models/scores/versions/3/ready").status_code == 404
    assert infer(http, "scores", inputs=[tensor(1, 2, 3, 4)]).status_code == 404
    assert http.post(f"{path}/load", json={}).status_code == 200
    assert http.get("/v2/models/scores/versions/3/ready").status_code == 200
    index = http.post("/v2/repository/index", json={"ready": True}).json()
    assert {"name": "scores", "version": "3", "state": "READY", "reason": ""} in index
    missing = http.post("/v2/repository/models/scores/versions/4/load")
    assert (missing.status_code, missing.json()["code"]) == (404, "model_not_found")


def test_model_that_reads_requests_itself_answers_json_as_it_came(http: httpx.Client) -> None:
    answer = infer(http, "parts", id="5", inputs=[tensor(1, 2)])
    assert answer.json()["outputs"] == [tensor(1, 2, name="x-again") | {"data": [1, 2]}]


def test_model_that_reads_requests_itself_gets_binary_tensors_as_json(http: httpx.Client) -> None:
    given = tensor(parameters={"binary_data_size": 8}, shape=[2])
    del given["data"]
    header = json.dumps({"id": "5", "inputs": [given]}).encode()
    content = header + np.array([1, 2], np.float32).tobytes()
    answer = http.post(
        "/v2/models/parts/infer", content=content, headers={LENGTH: str(len(header))}
    )
    assert answer.json()["outputs"] == [tensor(1, 2, name="x-again") | {"data": [1, 2]}]


def test_priority_and_sequence_are_taken(http: httpx.Client) -> None:
    parameters = {"priority": 1, "sequence_id": "a", "sequence_start": True, "own": "thing"}
    answer = infer(http, "echo", inputs=[tensor(1)], parameters=parameters)
    assert answer.status_code == 200
    wrong = infer(http, "echo", inputs=[tensor(1)], parameters={"priority": "high"})
    assert "priority must be" in wrong.json()["error"]


def test_what_a_vanished_client_asked_is_not_computed(
    http: httpx.Client, addresses: Addresses
) -> None:
    def naps() -> int:
        answer = infer(http, "nap", inputs=[tensor(0, name="seconds")])
        return int(answer.json()["outputs"][0]["data"][0])

    before = naps()
    host, _, port = addresses.http.rpartition(":")
    body = json.dumps({"inputs": [tensor(0.3, name="seconds")]})
    head = f"POST /v2/models/nap/infer HTTP/1.1\r\nhost: x\r\ncontent-length: {len(body)}\r\n\r\n"
    clients = [socket.create_connection((host, int(port))) for _ in range(6)]
    for client in clients:
        client.sendall((head + body).encode())
    time.sleep(0.1)
    for client in clients:
        client.close()
    # One nap was under way, and its number of those taken comes with the next answer.
    assert naps() - before <= 1


def test_server_takes_no_shared_memory_and_loads_nothing_unless_told(echo: Path) -> None:
    with (
        server_for_clients(echo, SERVING_TOKEN_AUTHORIZATION="off") as addresses,
        httpx.Client(base_url=f"http://{addresses.http}", timeout=20) as http,
    ):
        assert "system_shared_memory" not in http.get("/v2").json()["extensions"]
        place = {"key": "/a", "byte_size": 8}
        refused = http.post("/v2/systemsharedmemory/region/a/register", json=place)
        assert "client_shared_memory" in refused.json()["error"]
        parameters = {"shared_memory_region": "a", "shared_memory_byte_size": 4}
        given = tensor(shape=[1], parameters=parameters)
        del given["data"]
        refused = infer(http, "echo", inputs=[given])
        assert "no shared memory is taken" in refused.json()["error"]
        for verb in ("load", "unload"):
            refused = http.post(f"/v2/repository/models/echo/{verb}")
            assert "enable_model_api" in refused.json()["error"]
        assert infer(http, "echo", inputs=[tensor(1)]).status_code == 200
