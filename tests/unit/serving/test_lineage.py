"""From an answer to the version that gave it, and from that to what it is made of."""

import hashlib
import json
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest

from serving.archive.manifest import read_manifest
from serving.archive.stored import StoredModel
from serving.observe.lineage import lineage_of
from tests.support_contract import MODELS, Server, running_server


@pytest.fixture(scope="module")
def server() -> Iterator[Server]:
    with running_server() as (_, server):
        yield server


@pytest.fixture
def stored(tmp_path: Path) -> StoredModel:
    (tmp_path / "weights").write_bytes(b"w")
    manifest = {
        "name": "m",
        "version": "3",
        "handler": "h.py:H",
        "files": {"weights": hashlib.sha256(b"w").hexdigest()},
    }
    (tmp_path / "manifest.json").write_text(json.dumps(manifest))
    return StoredModel(folder=tmp_path, manifest=read_manifest(tmp_path), url="m.mar", sha256="ab")


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


def test_lineage_has_hashes_and_what_the_maker_wrote(stored: StoredModel) -> None:
    (stored.folder / "lineage.json").write_text('{"seeds": [1, 2]}')
    lineage = lineage_of(stored)
    assert (lineage.model_name, lineage.model_version, lineage.model_url) == ("m", "3", "m.mar")
    assert lineage.archive_sha256 == "ab"
    assert lineage.files == {"weights": hashlib.sha256(b"w").hexdigest()}
    assert lineage.files_are_intact
    assert lineage.training == {"seeds": [1, 2]}


def test_file_that_was_changed_since_is_told(stored: StoredModel) -> None:
    (stored.folder / "weights").write_bytes(b"other")
    (stored.folder / "lineage.json").write_text("{broken")
    lineage = lineage_of(stored)
    assert not lineage.files_are_intact
    assert lineage.training is None
