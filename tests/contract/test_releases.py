"""A release as clients of each protocol see it, and as its operator does, over the wire."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import grpc
import httpx
import pytest

from serving.bench.ports import free_ports
from serving.protocol.proto.generated import open_inference_pb2 as oip
from serving.protocol.proto.generated import torchserve_inference_pb2 as ts
from tests.faults.test_releases import GOOD, write_models
from tests.support_contract import start_server, stop_server, wait_for_server
from tests.support_grpc import Stub

V2_BODY = {"inputs": [{"name": "x", "datatype": "FP32", "shape": [], "data": [3]}]}
FAILS = {**GOOD, "seconds": 0.0, "failing": 1.0}


ENSEMBLE = """
name = "around"
inputs = [{name = "x", datatype = "FP32", shape = []}]
outputs = [{name = "y", datatype = "FP32", shape = [], value = "one.y"}]
[[steps]]
name = "one"
model = "temper"
inputs = {x = "x"}
"""


class House:
    """The addresses of a server of the versions 1.0 and 1.1, of which the latter always fails."""

    def __init__(self, addresses: Any, grpc_port: int) -> None:
        self.inference = httpx.Client(base_url=addresses.inference)
        self.management = httpx.Client(base_url=addresses.management)
        self.channel = grpc.insecure_channel(f"127.0.0.1:{grpc_port}")

    def begin(self, **plan: Any) -> httpx.Response:
        said = {"model": "temper", "stable": "1.0", **plan}
        return self.management.post("/releases?again=true", json=said)

    def all_to(self, version: str) -> None:
        """Whoever names no version is answered by this one, but for one in a million."""
        weights = {"1.0": 1e-6, "1.1": 1e-6, version: 1}
        self.begin(kind="split", weights=weights).raise_for_status()

    def close(self) -> None:
        self.inference.close()
        self.management.close()
        self.channel.close()


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Iterator[House]:
    folder = tmp_path_factory.mktemp("models")
    write_models(folder, {"1.0": {**GOOD, "seconds": 0.0}, "1.1": FAILS})
    (folder / "around").mkdir()
    (folder / "around" / "ensemble.toml").write_text(ENSEMBLE)
    (port,) = free_ports(1)
    with start_server(folder, SERVING_GRPC_INFERENCE_PORT=str(port)) as process:
        house = House(wait_for_server(process), port)
        yield house
        house.close()
        stop_server(process)


@pytest.fixture
def house(shared: House) -> Iterator[House]:
    yield shared
    shared.management.post("/releases/temper/abort")


def told_of(answer: httpx.Response) -> tuple[int, str, bool]:
    """Status, version, and whether the choice is told."""
    headers = answer.headers
    return answer.status_code, headers["x-model-version"], "x-model-choice" in headers


@pytest.mark.parametrize(("version", "status"), [("1.0", 200), ("1.1", 503)])
def test_predictions_tell_version_and_choice_even_when_they_fail(
    house: House, version: str, status: int
) -> None:
    house.all_to(version)
    answer = house.inference.post("/predictions/temper", content=b'{"x": 3}')
    assert told_of(answer) == (status, version, True)
    choice = answer.headers["x-model-choice"]
    assert choice.startswith("release=")
    assert "by=drawn; share=0.99999" in choice


@pytest.mark.parametrize(("version", "status"), [("1.0", 200), ("1.1", 500)])
def test_open_inference_tells_them_too(house: House, version: str, status: int) -> None:
    house.all_to(version)
    answer = house.inference.post("/v2/models/temper/infer", json=V2_BODY)
    assert told_of(answer) == (status, version, True)
    if status == 200:
        assert answer.json()["model_version"] == version
    packed = house.inference.post(
        "/v2/models/temper/infer", json=V2_BODY, headers={"accept-encoding": "gzip"}
    )
    assert told_of(packed) == (status, version, True)


def test_who_names_a_version_is_answered_by_that_one(house: House) -> None:
    house.all_to("1.1")
    answer = house.inference.post("/predictions/temper/1.0", content=b'{"x": 3}')
    assert told_of(answer) == (200, "1.0", False)
    answer = house.inference.post("/v2/models/temper/versions/1.0/infer", json=V2_BODY)
    assert told_of(answer) == (200, "1.0", False)
    assert "x-model-choice" not in house.inference.get("/v2/models/temper").headers


def test_calls_of_grpc_tell_them_behind_the_answer(house: House) -> None:
    house.all_to("1.0")
    stub = Stub(house.channel, "org.pytorch.serve.grpc.inference.InferenceAPIsService")
    asked = ts.PredictionsRequest(model_name="temper", input={"data": b'{"x": 3}'})
    method = stub.method("unary_unary", "Predictions", ts.PredictionResponse)
    _, call = method.with_call(asked, timeout=20)
    assert ("x-model-version", "1.0") in call.trailing_metadata()
    stub = Stub(house.channel, "inference.GRPCInferenceService")
    tensor = oip.ModelInferRequest.InferInputTensor(name="x", datatype="FP32", shape=[])
    tensor.contents.fp32_contents.append(3)
    infer = oip.ModelInferRequest(model_name="temper", inputs=[tensor])
    method = stub.method("unary_unary", "ModelInfer", oip.ModelInferResponse)
    response, call = method.with_call(infer, timeout=20)
    assert response.model_version == "1.0"
    assert "x-model-choice" in [key for key, _ in call.trailing_metadata()]


def test_failing_call_of_grpc_tells_the_version_too(house: House) -> None:
    house.all_to("1.1")
    stub = Stub(house.channel, "org.pytorch.serve.grpc.inference.InferenceAPIsService")
    asked = ts.PredictionsRequest(model_name="temper", input={"data": b'{"x": 3}'})
    with pytest.raises(grpc.RpcError) as failure:
        stub.call("Predictions", asked, ts.PredictionResponse)
    error: Any = failure.value
    metadata = dict(error.trailing_metadata())
    assert (metadata["x-model-version"], metadata["serving-code"]) == ("1.1", "inference_failed")


def test_browser_keeps_its_version_by_a_cookie(house: House) -> None:
    sticky = {"by": "cookie", "name": "who"}
    house.begin(kind="split", weights={"1.0": 1, "1.1": 1}, sticky=sticky)
    for _ in range(5):
        with httpx.Client(base_url=house.inference.base_url) as browser:
            versions = set()
            for _ in range(6):
                answer = browser.post("/predictions/temper", content=b'{"x": 3}')
                versions.add(answer.headers["x-model-version"])
            assert len(versions) == 1
            assert len(browser.cookies) == 1


def test_address_and_header_keep_clients_with_their_version(house: House) -> None:
    weights = {"1.0": 1, "1.1": 1}
    house.begin(kind="split", weights=weights, sticky={"by": "address"})
    found = {
        house.inference.post("/predictions/temper", content=b'{"x": 3}').headers["x-model-version"]
        for _ in range(8)
    }
    assert len(found) == 1
    house.management.post("/releases/temper/abort")
    house.begin(kind="split", weights=weights, sticky={"by": "header", "name": "X-User"})
    by_user = [
        {
            house.inference.post(
                "/predictions/temper", content=b'{"x": 3}', headers={"x-user": user}
            ).headers["x-model-version"]
            for _ in range(4)
        }
        for user in map(str, range(12))
    ]
    assert {len(versions) for versions in by_user} == {1}
    assert len(set().union(*by_user)) == 2


def test_steps_of_an_ensemble_know_who_asks(house: House) -> None:
    weights, sticky = {"1.0": 1, "1.1": 1}, {"by": "header", "name": "x-user"}
    house.begin(kind="split", weights=weights, sticky=sticky).raise_for_status()
    infer = Stub(house.channel, "inference.GRPCInferenceService").method(
        "unary_unary", "ModelInfer", oip.ModelInferResponse
    )
    tensor = oip.ModelInferRequest.InferInputTensor(name="x", datatype="FP32", shape=[])
    tensor.contents.fp32_contents.append(3)
    asked = oip.ModelInferRequest(model_name="around", inputs=[tensor])
    found = []
    for user in map(str, range(20)):
        directly, within = (
            house.inference.post(
                f"/v2/models/{model}/infer", json=V2_BODY, headers={"x-user": user}
            ).status_code
            for model in ("temper", "around")
        )
        assert within == directly, "the version that fails is the same client's both times"
        try:
            infer(asked, timeout=20, metadata=(("x-user", user),))
            assert directly == 200
        except grpc.RpcError:
            assert directly == 500
        found.append(directly)
    assert set(found) == {200, 500}


def test_operator_begins_steps_pauses_and_ends_a_release(house: House) -> None:
    answer = house.begin(kind="canary", version="1.1", steps=[0.25, 0.5])
    assert answer.status_code == 201
    report = answer.json()
    assert (report["state"], report["share"], report["steps"]) == ("running", 0.25, [0.25, 0.5, 1])
    post = house.management.post
    assert post("/releases/temper/step").json()["share"] == 0.5
    assert post("/releases/temper/step", json={"share": 0.1}).json()["share"] == 0.1
    assert post("/releases/temper/pause").json()["state"] == "paused"
    assert post("/releases/temper/resume").json()["state"] == "running"
    assert house.begin(kind="canary", version="1.1").status_code == 409
    (listed,) = house.management.get("/releases").json()["releases"]
    assert listed["id"] == report["id"]
    ended = post("/releases/temper/abort", json={"reason": "tea time"}).json()
    assert (ended["state"], ended["reason"]) == ("aborted", "tea time")
    assert house.management.get("/releases/temper").json()["events"][-1]["kind"] == "aborted"
    assert post("/releases/temper/promote").status_code == 409


def test_clients_say_what_answers_were_worth(house: House) -> None:
    said = {"version": "1.0", "metric": "kept", "value": 1}
    assert house.inference.post("/feedback/temper", json=said).status_code == 404
    house.all_to("1.0")
    assert house.inference.post("/feedback/temper", json=said).status_code == 200
    arms = house.management.get("/releases/temper").json()["arms"]
    assert {"kept": {"count": 1, "mean": 1.0}} in [arm["metrics"] for arm in arms]


@pytest.mark.parametrize(
    ("method", "path", "body", "status"),
    [
        ("POST", "/releases", {"kind": "canary", "version": "1.1"}, 400),
        ("POST", "/releases", {"kind": "canary", "model": "temper"}, 400),
        ("POST", "/releases", {"kind": "blue", "model": "temper", "version": "1.1"}, 400),
        (
            "POST", "/releases",
            {"kind": "canary", "model": "temper", "version": "1.1", "sticky": {"by": "header"}},
            400,
        ),
        ("POST", "/releases?again=maybe", {"kind": "canary", "model": "a", "version": "1"}, 400),
        ("POST", "/releases", {"kind": "canary", "model": "a", "version": "1"}, 404),
        ("DELETE", "/releases", {}, 405),
        ("GET", "/releases/dog", {}, 404),
        ("POST", "/releases/dog", {}, 405),
        ("POST", "/releases/dog/step", {}, 404),
        ("POST", "/releases/dog/step", {"share": 2}, 400),
        ("GET", "/releases/dog/step", {}, 405),
        ("POST", "/releases/dog/dance", {}, 404),
    ],
)  # fmt: skip
def test_what_cannot_be_asked_is_refused(
    house: House, method: str, path: str, body: dict[str, Any], status: int
) -> None:
    answer = house.management.request(method, path, content=json.dumps(body))
    assert answer.status_code == status, answer.text
    assert answer.json()["message"]


def test_reference_has_no_such_addresses(tmp_path: Path) -> None:
    write_models(tmp_path, {"1.0": GOOD})
    with start_server(tmp_path, SERVING_COMPAT="torchserve") as process:
        addresses = wait_for_server(process)
        for answer in (
            httpx.get(f"{addresses.management}/releases"),
            httpx.post(f"{addresses.management}/releases", json={}),
            httpx.post(f"{addresses.inference}/feedback/temper", json={}),
        ):
            assert (answer.status_code, answer.json()["type"]) == (404, "ResourceNotFoundException")
        stop_server(process)
