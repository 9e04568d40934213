"""From an answer to the version that gave it, and from that to what it is made of."""

import httpx

from serving.archive.manifest import read_manifest
from tests.support_contract import MODELS, Server, running_server


def test_answers_name_the_version_that_gave_them(server: Server) -> None:
    answer = httpx.post(f"{server.inference}/predictions/echo", content=b"hello", timeout=20)
    assert answer.headers.get_list("x-model-version") == ["1.0"]
    body = {"inputs": [{"name": "x", "datatype": "FP32", "shape": [1], "data": [1.5]}]}
    answer = httpx.post(f"{server.inference}/v2/models/echo/infer", json=body, timeout=20)
    assert answer.status_code == 200, answer.text
    assert answer.headers.get_list("x-model-version") == ["1.0"]


def test_reference_sends_no_such_header() -> None:
    with running_server(SERVING_COMPAT="torchserve") as (_, server):
        answer = httpx.post(f"{server.inference}/predictions/echo", content=b"hello", timeout=20)
        assert answer.status_code == 200
        assert "x-model-version" not in answer.headers


def test_management_tells_what_a_version_is_made_of(server: Server) -> None:
    told = httpx.get(f"{server.management}/models/echo/1.0/lineage", timeout=20).json()
    assert told == {
        "modelName": "echo",
        "modelVersion": "1.0",
        "modelUrl": "",
        "archiveSha256": "",
        "handler": "handler.py:Echo",
        "files": read_manifest(MODELS / "echo").files,
        "filesAreIntact": True,
        "training": None,
    }
    missing = httpx.get(f"{server.management}/models/echo/9/lineage", timeout=20)
    assert missing.status_code == 404
