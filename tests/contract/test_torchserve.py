"""TorchServe's REST APIs, with handlers written for it: as the reference, and better where it errs.

Each case runs twice: `compat=torchserve` must answer as TorchServe 0.12 does, also where that is
wrong; the other server is what one gets without asking. docs/torchserve.md tables the differences.
"""

import json
import socket
import time
import zipfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import httpx
import pytest

from tests.support_contract import Server, start_server, stop_server, wait_for_server

HANDLER = """
import json, time

class Handler:
    def initialize(self, context):
        self.version = context.manifest["model"]["modelVersion"]
        if "broken" in context.model_name:
            raise RuntimeError("no weights here")

    def handle(self, data, context):
        answers = []
        for index, row in enumerate(data):
            fields = {name: self.plain(value) for name, value in row.items()}
            if context.get_request_header(index, "describe") == "True":
                answers.append({"kind": "echo"})
                continue
            command = next(iter(fields.values()), "")
            if command == "teapot":
                context.set_response_status(418, "Short and stout", index)
                context.set_response_header(index, "X-Kind", "earl grey")
                context.set_response_content_type(index, "text/tea")
            if command == "fail":
                raise ValueError("spilled")
            headers = context.get_all_request_header(index)
            kept = {k: headers.get(k) for k in ("url_path", "explain", "x-my-header")}
            answers.append({"fields": fields, "version": self.version, "headers": kept})
        return answers

    def plain(self, value):
        return value.decode() if isinstance(value, (bytes, bytearray)) else value
"""

FUNCTIONS = """
def raise_voice(data, context):
    return None if data is None else [bytes(row["body"]).upper() for row in data]

def exclaim(data, context):
    return None if data is None else [bytes(row["body"]) + b"!" for row in data]
"""

SPEC = "dag:\n  raise_voice: [exclaim]\n"

STREAM = """
from ts.handler_utils.utils import send_intermediate_predict_response

class Stream:
    def initialize(self, context):
        pass

    def handle(self, data, context):
        for _ in range(3):
            send_intermediate_predict_response(
                ["hello " for _ in data], context.request_ids, "Intermediate", 200, context
            )
        return ["world" for _ in data]
"""


def write_archive(store: Path, name: str, version: str = "1.0", code: str = HANDLER) -> None:
    manifest = {
        "runtime": "python",
        "model": {"modelName": name, "modelVersion": version, "handler": "handler.py"},
        "archiverVersion": "0.12.0",
    }
    with zipfile.ZipFile(store / f"{name}{'' if version == '1.0' else version}.mar", "w") as mar:
        mar.writestr("MAR-INF/MANIFEST.json", json.dumps(manifest))
        mar.writestr("handler.py", code)


def write_workflow(store: Path, name: str) -> None:
    workflow = {"workflowName": name, "specFile": "spec.yaml", "handler": "functions.py"}
    with zipfile.ZipFile(store / f"{name}.war", "w") as war:
        war.writestr("WAR-INF/MANIFEST.json", json.dumps({"workflow": workflow}))
        war.writestr("spec.yaml", SPEC)
        war.writestr("functions.py", FUNCTIONS)


@dataclass(frozen=True)
class Reference:
    """A server, and whether it answers as the reference."""

    server: Server
    is_exact: bool

    def manage(self, method: str, path: str, **more: object) -> httpx.Response:
        return httpx.request(method, f"{self.server.management}{path}", timeout=60, **more)  # type: ignore[arg-type]

    def ask(self, path: str, method: str = "POST", **more: object) -> httpx.Response:
        return httpx.request(method, f"{self.server.inference}{path}", timeout=60, **more)  # type: ignore[arg-type]

    def register(self, url: str, **more: object) -> httpx.Response:
        return self.manage("POST", "/models", params={"url": url, **more})


@pytest.fixture(scope="module", params=["torchserve", "better"])
def served(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Reference]:
    store = tmp_path_factory.mktemp("store")
    for name in ("echo", "broken", "spare"):
        write_archive(store, name)
    write_archive(store, "spare", "2.0")
    write_archive(store, "stream", code=STREAM)
    write_workflow(store, "two")
    (store / "junk.mar").write_text("junk")
    with start_server(
        store,
        SERVING_COMPAT=request.param,
        SERVING_LOAD_MODELS="echo.mar,stream.mar",
        SERVING_ENABLE_MODEL_API="true",
        SERVING_MAX_REQUEST_BYTES="100000",
        SERVING_CORS_ALLOWED_ORIGIN="https://page",
        SERVING_CORS_ALLOWED_METHODS="GET, POST",
    ) as process:
        try:
            yield Reference(wait_for_server(process), request.param == "torchserve")
        finally:
            stop_server(process)


def message(answer: httpx.Response, status: int, kind: str) -> str:
    assert answer.status_code == status, answer.text
    body = answer.json()
    assert body.keys() == {"code", "type", "message"}
    assert (body["code"], body["type"]) == (status, kind)
    text: str = body["message"]
    return text


def test_every_answer_has_torchserves_headers(served: Reference) -> None:
    answer = served.ask("/ping", "GET", headers={"x-request-id": "mine"})
    assert answer.text == '{\n  "status": "Healthy"\n}\n'
    told = answer.headers["x-request-id"]
    assert len(told) == 36 if served.is_exact else told == "mine"
    assert answer.headers["pragma"] == "no-cache"
    assert answer.headers["cache-control"] == "no-cache; no-store, must-revalidate, private"
    assert answer.headers["expires"] == "Thu, 01 Jan 1970 00:00:00 UTC"
    assert answer.headers["access-control-allow-origin"] == "https://page"


def test_errors_end_the_connection_only_in_the_reference(served: Reference) -> None:
    answer = served.ask("/nowhere")
    assert "Requested resource is not found" in message(answer, 404, "ResourceNotFoundException")
    assert (answer.headers.get("connection") == "close") == served.is_exact


def test_root_describes_the_api(served: Reference) -> None:
    body = served.ask("/", "OPTIONS").json()
    assert body["openapi"] == "3.0.1"
    assert "/predictions/{model_name}" in body["paths"]
    assert "/models" not in body["paths"]
    assert served.ask("/api-description", "GET").json() == body
    assert "/models" in served.manage("OPTIONS", "/").json()["paths"]
    assert "not allowed" in message(served.ask("/", "GET"), 405, "MethodNotAllowedException")


def test_model_describes_how_it_is_asked(served: Reference) -> None:
    body = served.ask("/predictions/echo", "OPTIONS").json()
    assert body["info"]["title"] == "RESTful API for: echo"
    body = served.manage("OPTIONS", "/models/echo").json()
    assert body["info"]["title"] == "RESTful Management API for: echo"


def test_handler_says_what_it_is(served: Reference) -> None:
    (body,) = served.manage("GET", "/models/echo", params={"customized": "true"}).json()
    assert body["customizedMetadata"] == {"kind": "echo"}
    (body,) = served.manage("GET", "/models/echo").json()
    assert "customizedMetadata" not in body


@pytest.mark.parametrize("method", ["GET", "POST", "PUT", "DELETE", "PATCH"])
def test_any_verb_asks_for_a_prediction(served: Reference, method: str) -> None:
    answer = served.ask("/predictions/echo", method, content=b"hello")
    assert answer.status_code == 200
    assert answer.json()["fields"] == {"body": "hello"}
    assert "content-type" not in answer.headers


def test_form_reaches_the_handler_field_by_field(served: Reference) -> None:
    answer = served.ask("/predictions/echo", data={"a": "1", "b": "2"})
    assert answer.json()["fields"] == {"a": "1", "b": "2"}
    answer = served.ask("/predictions/echo", files={"a": b"x"}, data={"b": "2"})
    assert answer.json()["fields"] == {"a": "x", "b": "2"}


def test_body_is_decoded_by_its_content_type(served: Reference) -> None:
    answer = served.ask("/predictions/echo", json={"a": [1]})
    assert answer.json()["fields"] == {"body": {"a": [1]}}


@pytest.mark.parametrize(
    ("path", "url_path", "explain"),
    [
        ("/predictions/echo", "", "False"),
        ("/predictions/echo/1.0", "", "False"),
        ("/predictions/echo/1.0/a/b", "a/b", "False"),
    ],
)
def test_headers_reach_the_handler(
    served: Reference, path: str, url_path: str, explain: str
) -> None:
    headers = served.ask(path, content=b"x", headers={"X-My-Header": "h"}).json()["headers"]
    assert headers == {"url_path": url_path, "explain": explain, "x-my-header": "h"}


@pytest.mark.parametrize(
    ("path", "fields"),
    [
        ("/invocations?model_name=echo&a=1", {"model_name": "echo", "a": "1", "body": "x"}),
        ("/models/echo/invoke?a=1", {"a": "1", "body": "x"}),
        ("/echo/predict?a=1", {"a": "1", "body": "x"}),
        ("/echo/1.0/predict", {"body": "x"}),
        ("/v1/models/echo:predict", {"body": "x"}),
        ("/v2/models/echo/infer", {"body": "x"}),
    ],
)
def test_older_and_other_addresses_lead_to_the_model(
    served: Reference, path: str, fields: dict[str, str]
) -> None:
    answer = served.ask(path, content=b"x")
    assert answer.status_code == 200, answer.text
    assert answer.json()["fields"] == fields


@pytest.mark.parametrize("path", ["/predictions", "/predictions/", "/models/echo/ask"])
def test_half_an_address_leads_nowhere(served: Reference, path: str) -> None:
    message(served.ask(path), 404, "ResourceNotFoundException")


def test_model_must_be_named_where_there_are_several(served: Reference) -> None:
    text = message(served.ask("/invocations", content=b"x"), 400, "BadRequestException")
    assert text == "Parameter model_name is required."


def test_handler_sets_status_phrase_headers_and_type(served: Reference) -> None:
    answer = served.ask("/predictions/echo", content=b"teapot")
    assert (answer.status_code, answer.reason_phrase) == (418, "Short and stout")
    assert answer.headers["x-kind"] == "earl grey"
    assert answer.headers["content-type"] == "text/tea"


def test_failure_of_the_handler_is_503(served: Reference) -> None:
    message(served.ask("/predictions/echo", content=b"fail"), 503, "InternalServerException")


def test_reply_is_streamed_in_chunks(served: Reference) -> None:
    with httpx.stream(
        "POST", f"{served.server.inference}/predictions/stream", content=b"x"
    ) as answer:
        assert answer.headers["transfer-encoding"] == "chunked"
        assert answer.read() == b"hello hello hello world"


def test_too_large_a_body_is_413(served: Reference) -> None:
    answer = served.ask("/predictions/echo", content=b"x" * 100_001)
    assert answer.status_code == 413
    if served.is_exact:
        assert answer.content == b""
    else:
        message(answer, 413, "BadRequestException")


def test_kserve_asks_whether_a_model_is_ready(served: Reference) -> None:
    ready = {"name": "echo", "ready": True}
    assert served.manage("GET", "/v1/models/echo").json() == ready
    message(served.manage("POST", "/v1/models/echo"), 405, "MethodNotAllowedException")
    answer = served.ask("/v1/models/echo", "GET")
    if served.is_exact:
        message(answer, 404, "ResourceNotFoundException")
    else:
        assert answer.json() == ready


def test_browsers_preflight_is_answered_but_by_the_reference(served: Reference) -> None:
    headers = {"Origin": "https://page", "Access-Control-Request-Method": "POST"}
    answer = served.manage("OPTIONS", "/models", headers=headers)
    if served.is_exact:
        message(answer, 405, "MethodNotAllowedException")
    else:
        assert answer.status_code == 204
        assert answer.headers["access-control-allow-methods"] == "GET, POST"


def test_model_comes_is_scaled_and_goes(served: Reference) -> None:
    assert served.register("spare.mar").json() == {
        "status": 'Model "spare" Version: 1.0 registered with 0 initial workers. '
        "Use scale workers API to add workers for the model."
    }
    answer = served.ask("/predictions/spare", content=b"x")
    text = message(answer, 503, "ServiceUnavailableException")
    exact = 'Model "spare" has no worker to serve inference request.'
    assert text.startswith(exact if served.is_exact else "spare version 1.0 has no worker")
    assert served.manage("GET", "/v1/models/spare").json()["ready"] is False

    (described,) = served.manage("GET", "/models/spare").json()
    assert (described["minWorkers"], described["workers"]) == (0, [])
    assert not described["loadedAtStartup"]
    answer = served.manage("PUT", "/models/spare", params={"min_worker": 1, "synchronous": "true"})
    assert answer.json() == {"status": "Workers scaled to 1 for model: spare"}
    answer = served.manage("PUT", "/models/spare/1.0", params={"synchronous": "true"})
    assert answer.json() == {"status": "Workers scaled to 1 for model: spare, version: 1.0"}
    assert served.ask("/predictions/spare", content=b"x").status_code == 200
    answer = served.manage("PUT", "/models/spare", params={"min_worker": 1})
    assert (answer.status_code, answer.json()) == (202, {"status": "Processing worker updates..."})
    answer = served.manage("PUT", "/models/spare", params={"min_worker": 2, "max_worker": 1})
    text = message(answer, 400, "BadRequestException")
    assert text == "max_worker cannot be less than min_worker."
    message(served.manage("PUT", "/models/spare/9"), 404, "ModelVersionNotFoundException")
    message(served.manage("PUT", "/models/dog"), 404, "ModelNotFoundException")

    answer = served.manage("DELETE", "/models/spare/")
    assert answer.json() == {"status": 'Model "spare" unregistered'}
    message(served.manage("DELETE", "/models/spare"), 404, "ModelNotFoundException")


def test_default_version_is_chosen_and_kept(served: Reference) -> None:
    body = {"url": "spare.mar", "initial_workers": 1, "batch_size": 3}
    assert served.manage("POST", "/models", json=body).json() == {
        "status": 'Model "spare" Version: 1.0 registered with 1 initial workers'
    }
    assert served.register("spare2.0.mar", initial_workers=1).status_code == 200
    (described,) = served.manage("GET", "/models/spare/1.0").json()
    assert described["batchSize"] == 3
    assert len(served.manage("GET", "/models/spare/all").json()) == 2
    first = "1.0" if served.is_exact else "2.0"
    assert served.ask("/predictions/spare", content=b"x").json()["version"] == first

    answer = served.manage("PUT", "/models/spare/2.0/set-default")
    assert answer.json() == {
        "status": 'Default version successfully updated for model "spare" to "2.0"'
    }
    assert served.ask("/predictions/spare", content=b"x").json()["version"] == "2.0"
    message(
        served.manage("PUT", "/models/spare/9/set-default"), 404, "ModelVersionNotFoundException"
    )
    message(served.manage("GET", "/models/spare/1.0/set-default"), 405, "MethodNotAllowedException")

    answer = served.manage("DELETE", "/models/spare/2.0")
    text = message(answer, 403, "InvalidModelVersionException")
    assert text == "Cannot remove default version for model spare"
    for version in ("1.0", "2.0"):
        assert served.manage("DELETE", f"/models/spare/{version}").status_code == 200


def test_same_version_cannot_come_twice(served: Reference) -> None:
    answer = served.register("echo.mar")
    text = message(answer, 409, "ConflictStatusException")
    assert text == "Model version 1.0 is already registered for model echo"


def test_model_that_cannot_be_loaded_is_not_listed(served: Reference) -> None:
    answer = served.register("broken.mar", initial_workers=1)
    text = message(answer, 500, "InternalServerException")
    assert text.startswith("Failed to start workers for model broken version: 1.0")
    assert "no weights here" in text
    message(served.manage("GET", "/models/broken"), 404, "ModelNotFoundException")


def test_model_that_nobody_waits_for_is_tried_again_only_by_the_reference(
    served: Reference,
) -> None:
    answer = served.register("broken.mar", initial_workers=1, synchronous="false")
    assert (answer.status_code, answer.json()) == (202, {"status": "Processing worker updates..."})
    if served.is_exact:
        (described,) = served.manage("GET", "/models/broken").json()
        assert described["minWorkers"] == 1
        assert served.manage("DELETE", "/models/broken").status_code == 200
        return
    for _ in range(300):
        if served.manage("GET", "/models/broken").status_code == 404:
            break
        time.sleep(0.1)
    message(served.manage("GET", "/models/broken"), 404, "ModelNotFoundException")


@pytest.mark.parametrize(
    ("parameters", "status", "kind", "text"),
    [
        ({}, 400, "BadRequestException", "Parameter url is required."),
        ({"url": ""}, 404, "ModelNotFoundException", "empty url"),
        (
            {"url": "../fake.mar"},
            404,
            "ModelNotFoundException",
            "Relative path is not allowed in url: ../fake.mar",
        ),
        (
            {"url": "x.mar", "runtime": "ruby"},
            400,
            "BadRequestException",
            "Invalid RuntimeType value: ruby",
        ),
        ({"url": "nowhere.mar"}, 404, "ModelNotFoundException", "nowhere.mar"),
        ({"url": "file:///etc/passwd"}, 404, "ModelNotFoundException", "not in the model store"),
        ({"url": "junk.mar"}, 400, "InvalidModelException", "junk.mar"),
    ],
)
def test_registration_that_makes_no_sense_is_refused(
    served: Reference, parameters: dict[str, str], status: int, kind: str, text: str
) -> None:
    assert text in message(served.manage("POST", "/models", params=parameters), status, kind)


def test_file_that_is_no_archive_is_listed_only_by_the_reference(served: Reference) -> None:
    answer = served.register("junk.mar", model_name="junk")
    if not served.is_exact:
        message(answer, 400, "InvalidModelException")
        return
    assert answer.status_code == 200
    answer = served.manage("PUT", "/models/junk", params={"synchronous": "true"})
    message(answer, 500, "InternalServerException")
    assert served.manage("DELETE", "/models/junk").status_code == 200


def test_body_that_is_no_registration_is_refused(served: Reference) -> None:
    answer = served.manage("POST", "/models", json={"url": 3})
    message(answer, 400, "BadRequestException")


def test_parameter_that_is_no_number_is_the_default_only_in_the_reference(
    served: Reference,
) -> None:
    answer = served.register("spare.mar", batch_size="many")
    if served.is_exact:
        assert answer.status_code == 200
        assert served.manage("DELETE", "/models/spare").status_code == 200
    else:
        text = message(answer, 400, "BadRequestException")
        assert text == "batch_size must be a whole number, got 'many'"


def test_last_page_names_a_next_one_only_in_the_reference(served: Reference) -> None:
    body = served.manage("GET", "/models", params={"limit": 2}).json()
    assert [model["modelName"] for model in body["models"]] == ["echo", "stream"]
    assert body["models"][0]["modelUrl"] == "echo.mar"
    assert ("nextPageToken" in body) == served.is_exact


@pytest.mark.parametrize("method", ["PUT", "DELETE"])
def test_wrong_verb_is_405(served: Reference, method: str) -> None:
    text = message(served.manage(method, "/models"), 405, "MethodNotAllowedException")
    assert text == "Requested method is not allowed, please refer to API document."


def test_metrics_of_these_names_are_told(served: Reference) -> None:
    served.ask("/predictions/echo", content=b"x")
    answer = httpx.get(f"{served.server.metrics}/metrics", params={"name[]": "Requests2XX"})
    assert answer.headers["content-type"] == "text/plain; version=0.0.4; charset=utf-8"
    (line,) = [line for line in answer.text.splitlines() if not line.startswith("#")]
    assert line.startswith('Requests2XX{Level="Host",Hostname="')
    assert (",} " in line) == served.is_exact
    assert float(line.rpartition(" ")[2]) > 0


def test_workflow_is_registered_asked_and_removed(served: Reference) -> None:
    answer = served.manage("POST", "/workflows", params={"url": "two.war"})
    assert answer.status_code == 200, answer.text
    listed = served.manage("GET", "/workflows").json()["workflows"]
    assert [workflow["workflowName"] for workflow in listed] == ["two"]
    (described,) = served.manage("GET", "/workflows/two").json()
    assert described["workflowName"] == "two"
    assert served.ask("/wfpredict/two", content=b"hello").text == "HELLO!"
    message(served.ask("/wfpredict/dog"), 404, "WorkflowNotFoundException")
    assert served.manage("DELETE", "/workflows/two").status_code == 200
    message(served.manage("GET", "/workflows/two"), 404, "WorkflowNotFoundException")


def test_client_that_hangs_up_during_a_form_harms_nobody(served: Reference) -> None:
    address = httpx.URL(served.server.inference)
    with socket.create_connection((address.host, address.port or 80)) as client:
        client.sendall(
            b"POST /predictions/echo HTTP/1.1\r\nHost: h\r\nContent-Length: 100\r\n\r\nhalf"
        )
    assert served.ask("/ping", "GET").status_code == 200
