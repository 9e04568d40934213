"""The Open Inference Protocol over HTTP."""

import gzip
import json
import math

import httpx
import numpy as np
import pytest

from serving.client import Client
from serving.errors import BadInput, InferenceFailed, ModelNotFound
from tests.support_contract import Server

LENGTH = "Inference-Header-Content-Length"


def infer(http: httpx.Client, model: str = "echo", **request: object) -> httpx.Response:
    return http.post(f"/v2/models/{model}/infer", json=request)


def tensor(*values: float, name: str = "x") -> dict[str, object]:
    return {"name": name, "datatype": "FP32", "shape": [len(values)], "data": values}


def check_error(answer: httpx.Response, status: int) -> str:
    assert answer.status_code == status
    message: str = answer.json()["error"]
    return message


def test_server_says_who_it_is(http: httpx.Client) -> None:
    body = http.get("/v2").json()
    assert body.keys() >= {"name", "version", "extensions"}
    assert "binary_tensor_data" in body["extensions"]


@pytest.mark.parametrize("state", ["live", "ready"])
def test_server_is_live_and_ready(http: httpx.Client, state: str) -> None:
    answer = http.get(f"/v2/health/{state}")
    assert (answer.status_code, answer.json()) == (200, {state: True})


@pytest.mark.parametrize("path", ["fragile", "fragile/versions/1.0"])
def test_model_says_what_it_takes_and_gives(http: httpx.Client, path: str) -> None:
    body = http.get(f"/v2/models/{path}").json()
    assert (body["name"], body["versions"]) == ("fragile", ["1.0"])
    assert body["inputs"] == [{"name": "seconds", "datatype": "FP32", "shape": [1]}]
    assert body["outputs"] == [{"name": "pid", "datatype": "INT64", "shape": []}]


def test_model_is_ready(http: httpx.Client) -> None:
    for path in ("echo", "echo/versions/1.0"):
        assert http.get(f"/v2/models/{path}/ready").status_code == 200


@pytest.mark.parametrize("path", ["dog", "dog/ready", "echo/versions/9", "echo/versions/9/ready"])
def test_unknown_model_is_404(http: httpx.Client, path: str) -> None:
    assert check_error(http.get(f"/v2/models/{path}"), 404)


def test_json_tensors_come_back_as_json(http: httpx.Client) -> None:
    answer = infer(http, id="42", inputs=[tensor(1, 2.5)])
    assert answer.status_code == 200
    assert LENGTH not in answer.headers
    assert answer.json() == {
        "model_name": "echo",
        "model_version": "1.0",
        "id": "42",
        "outputs": [tensor(1, 2.5) | {"data": [1.0, 2.5]}],
    }


def test_binary_tensors_come_back_as_binary(http: httpx.Client) -> None:
    header = json.dumps(
        {
            "inputs": [
                {
                    "name": "x",
                    "datatype": "UINT8",
                    "shape": [1, 3],
                    "parameters": {"binary_data_size": 3},
                }
            ],
            "parameters": {"binary_data_output": True},
        }
    ).encode()
    answer = http.post(
        "/v2/models/echo/versions/1.0/infer",
        content=header + b"\x01\x02\x03",
        headers={LENGTH: str(len(header))},
    )
    length = int(answer.headers[LENGTH])
    described = json.loads(answer.content[:length])["outputs"]
    assert described[0]["parameters"] == {"binary_data_size": 3}
    assert answer.content[length:] == b"\x01\x02\x03"


def test_only_wanted_outputs_come(http: httpx.Client) -> None:
    answer = infer(http, inputs=[tensor(1, name="a"), tensor(2, name="b")], outputs=[{"name": "b"}])
    assert [output["name"] for output in answer.json()["outputs"]] == ["b"]


def test_numbers_that_are_none_travel_as_binary(server: Server) -> None:
    with Client(server.inference, timeout_s=10) as client:
        answer = client.infer("echo", {"x": np.array([math.nan, math.inf], np.float16)})
    np.testing.assert_array_equal(answer["x"], np.array([math.nan, math.inf], np.float16))
    assert answer["x"].dtype == np.float16


def test_unknown_output_is_400(http: httpx.Client) -> None:
    answer = infer(http, inputs=[tensor(1)], outputs=[{"name": "y"}])
    assert "no output 'y'" in check_error(answer, 400)


@pytest.mark.parametrize(
    "body", [b"", b"{", b'{"inputs": 1}', b'{"inputs": [{"name": "x"}]}'], ids=str
)
def test_bad_json_is_400(http: httpx.Client, body: bytes) -> None:
    assert check_error(http.post("/v2/models/echo/infer", content=body), 400)


@pytest.mark.parametrize(
    "length", ["-1", "many", "9999", "²", pytest.param(5000 * "9", id="endless")]
)
def test_bad_header_length_is_400(http: httpx.Client, length: str) -> None:
    answer = http.post(
        "/v2/models/echo/infer", content=b"{}", headers={LENGTH.encode(): length.encode()}
    )
    assert check_error(answer, 400)


def test_compressed_body_is_read(http: httpx.Client) -> None:
    answer = http.post(
        "/v2/models/echo/infer",
        content=gzip.compress(json.dumps({"inputs": [tensor(1, 2.5)]}).encode()),
        headers={"Content-Encoding": "gzip"},
    )
    assert answer.json()["outputs"] == [tensor(1, 2.5) | {"data": [1.0, 2.5]}]


def test_too_large_a_request_is_413(http: httpx.Client) -> None:
    answer = http.post("/v2/models/echo/infer", content=b" " * 2_000_001)
    check_error(answer, 413)


def test_input_other_than_declared_is_400(server: Server) -> None:
    with (
        Client(server.inference, timeout_s=10) as client,
        pytest.raises(BadInput, match=r"must be FP32 \[1\]"),
    ):
        client.infer("fragile", {"seconds": np.zeros(2, np.float32)})


def test_deadline_in_microseconds_is_504(http: httpx.Client) -> None:
    answer = infer(
        http, "fragile", inputs=[tensor(1, name="seconds")], parameters={"timeout": 100_000}
    )
    assert "within 0.1 s" in check_error(answer, 504)


def test_failure_of_the_model_is_500_and_typed(http: httpx.Client, server: Server) -> None:
    inputs = {"seconds": np.array([math.nan], np.float32)}
    with Client(server.inference, timeout_s=10) as client:
        with pytest.raises(InferenceFailed, match="ArithmeticError"):
            client.infer("fragile", inputs)
        with pytest.raises(ModelNotFound):
            client.infer("dog", inputs)
        assert client.is_ready()


def test_unknown_path_is_404(http: httpx.Client) -> None:
    assert http.get("/v2/nowhere").status_code == 404
