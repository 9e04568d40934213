"""What concerns TorchServe's server as a whole: tokens, TLS, sockets, listeners, snapshots."""

import json
import ssl
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import httpx
import pytest

from tests.contract.test_torchserve import message, write_archive
from tests.support_contract import MODELS, Server, start_server, stop_server, wait_for_server


@contextmanager
def served(models: Path = MODELS, **environment: str) -> Iterator[Server]:
    with start_server(models, **environment) as process:
        try:
            yield wait_for_server(process)
        finally:
            stop_server(process)


def bearer(path: Path, kind: str) -> dict[str, str]:
    return {"Authorization": f"Bearer {json.loads(path.read_text())[kind]['key']}"}


@pytest.mark.parametrize("compat", ["torchserve", "better"])
def test_doors_open_to_their_keys(tmp_path: Path, compat: str) -> None:
    keys = tmp_path / "keys.json"
    is_exact = compat == "torchserve"
    refused = 400 if is_exact else 401
    with served(
        SERVING_COMPAT=compat, SERVING_KEY_FILE=str(keys), SERVING_TOKEN_AUTHORIZATION="all"
    ) as server:
        answer = httpx.get(f"{server.management}/models")
        message(answer, refused, "InvalidKeyException")
        assert answer.headers.get("www-authenticate") == (None if is_exact else "Bearer")
        management, inference = bearer(keys, "management"), bearer(keys, "inference")
        assert httpx.get(f"{server.management}/models", headers=management).status_code == 200
        assert httpx.get(f"{server.management}/models", headers=inference).status_code == refused

        url = f"{server.inference}/predictions/echo"
        message(httpx.post(url, content=b"x"), refused, "InvalidKeyException")
        assert httpx.post(url, content=b"x", headers=inference).status_code == 200
        v2 = f"{server.inference}/v2/models/echo"
        assert httpx.get(v2).status_code == 401
        assert httpx.get(v2, headers=inference).status_code == 200
        assert httpx.get(f"{server.inference}/ping").status_code == (400 if is_exact else 200)
        assert httpx.request("OPTIONS", f"{server.inference}/").status_code == 200
        assert httpx.get(f"{server.metrics}/metrics").status_code == 200

        token = f"{server.management}/token"
        kind = {"type": "inference"}
        message(httpx.get(token, params=kind, headers=management), refused, "InvalidKeyException")
        api = bearer(keys, "API")
        message(httpx.get(token, headers=api), 400, "BadRequestException")
        answer = httpx.get(token, params=kind, headers=api)
        assert answer.status_code == 200
        if is_exact:
            assert answer.text.strip() == ""
        else:
            assert answer.json()["key"] in bearer(keys, "inference")["Authorization"]
        assert httpx.post(url, content=b"x", headers=inference).status_code == refused
        fresh = bearer(keys, "inference")
        assert httpx.post(url, content=b"x", headers=fresh).status_code == 200
    assert not keys.exists()


def test_equal_addresses_are_one_listener_that_asks_for_the_key_of_the_address(
    tmp_path: Path,
) -> None:
    keys, path = tmp_path / "keys.json", tmp_path / "all.sock"
    address = f"unix:{path}"
    with (
        served(
            SERVING_INFERENCE_ADDRESS=address,
            SERVING_MANAGEMENT_ADDRESS=address,
            SERVING_METRICS_ADDRESS=address,
            SERVING_KEY_FILE=str(keys),
            SERVING_TOKEN_AUTHORIZATION="all",
        ),
        httpx.Client(transport=httpx.HTTPTransport(uds=str(path)), base_url="http://h") as http,
    ):
        paths = http.request("OPTIONS", "/").json()["paths"]
        assert {"/predictions/{model_name}", "/models", "/metrics"} <= paths.keys()
        assert http.get("/ping").status_code == 200
        inference, management = bearer(keys, "inference"), bearer(keys, "management")
        answer = http.post("/predictions/echo", content=b"x", headers=inference)
        assert answer.status_code == 200
        assert http.get("/models", headers=management).status_code == 200
        assert http.get("/models", headers=inference).status_code == 401
        assert "serving_requests" in http.get("/metrics").text
    assert not path.exists()


def test_metrics_have_no_listener_where_they_are_off() -> None:
    with served(SERVING_ENABLE_METRICS_API="false") as server:
        assert server.metrics == "http://127.0.0.1:0"


def test_client_talks_tls_with_a_certificate_made_here() -> None:
    context = ssl.create_default_context()
    context.check_hostname = False
    context.verify_mode = ssl.CERT_NONE
    with served(SERVING_INFERENCE_ADDRESS="https://127.0.0.1:0") as server:
        url = server.inference.replace("http://", "https://")
        with httpx.Client(verify=context) as http:
            assert http.get(f"{url}/ping").json() == {"status": "Healthy"}
            answer = http.post(f"{url}/predictions/echo", content=b"x" * 1_000_000)
            assert answer.json()["length"] == 1_000_000
        with pytest.raises(httpx.HTTPError):
            httpx.get(server.inference)


def test_management_without_tokens_is_not_opened_to_everybody() -> None:
    with start_server(MODELS, SERVING_HOST="0.0.0.0") as process:
        assert process.wait(timeout=20) == 1
        assert "keep it on 127.0.0.1" in (process.stderr.read() if process.stderr else "")


@pytest.fixture
def store(tmp_path: Path) -> Path:
    folder = tmp_path / "store"
    folder.mkdir()
    for version in ("1.0", "2.0"):
        write_archive(folder, "echo", version)
    return folder


@contextmanager
def served_from(snapshot: Path | None, store: Path, logs: Path) -> Iterator[Server]:
    """Start as TorchServe's command does, on free ports."""
    config = store.parent / "config.properties"
    kinds = ("inference", "management", "metrics")
    config.write_text(
        "".join(f"{kind}_address=http://127.0.0.1:0\n" for kind in kinds)
        + "grpc_inference_port=0\ngrpc_management_port=0\nenable_model_api=true\n"
        + f"disable_token_authorization=true\nmodel_store={store}\n"
    )
    environment = {"TS_CONFIG_FILE": str(snapshot or config), "LOG_LOCATION": str(logs)}
    with start_server(store, f"--model-store={store}", **environment) as process:
        try:
            yield wait_for_server(process)
        finally:
            stop_server(process)


def test_server_serves_again_what_it_served_before_it_was_stopped(
    tmp_path: Path, store: Path
) -> None:
    logs = tmp_path / "logs"
    with served_from(None, store, logs) as server:
        models = f"{server.management}/models"
        first = httpx.post(models, params={"url": "echo.mar", "batch_size": 3}, timeout=60)
        assert first.status_code == 200, first.text
        second = httpx.post(models, params={"url": "echo2.0.mar", "initial_workers": 1}, timeout=60)
        assert second.status_code == 200, second.text
        assert httpx.put(f"{models}/echo/1.0/set-default").status_code == 200
    (last,) = (logs / "config").glob("*-shutdown.cfg")
    assert len(list((logs / "config").glob("*-snapshot.cfg"))) == 3

    with served_from(last, store, logs) as server:
        models = f"{server.management}/models"
        described = httpx.get(f"{models}/echo/all").json()
        found = {each["modelVersion"]: each for each in described}
        assert (found["1.0"]["batchSize"], found["1.0"]["minWorkers"]) == (3, 0)
        assert found["2.0"]["minWorkers"] == len(found["2.0"]["workers"]) == 1
        assert httpx.get(f"{models}/echo").json()[0]["modelVersion"] == "1.0"
        assert all(each["loadedAtStartup"] for each in described)

    (store / "echo2.0.mar").unlink()
    with (
        pytest.raises(AssertionError, match="not found in model store"),
        served_from(last, store, logs),
    ):
        pass


def test_answers_that_are_too_large_are_errors_on_every_route() -> None:
    with served(SERVING_MAX_RESPONSE_BYTES="1000") as server:
        body = b"x" * 1000
        answer = httpx.post(f"{server.inference}/predictions/echo", content=body)
        message(answer, 503, "InternalServerException")
        assert "max_response_size is 1000" in answer.json()["message"]
        tensor = {"name": "body", "datatype": "UINT8", "shape": [1000], "data": [7] * 1000}
        asked = {"inputs": [tensor]}
        answer = httpx.post(f"{server.inference}/v2/models/echo/infer", json=asked)
        assert answer.status_code == 500
        assert "max_response_size is 1000" in answer.json()["error"]
        assert httpx.post(f"{server.inference}/predictions/echo", content=b"x").status_code == 200
