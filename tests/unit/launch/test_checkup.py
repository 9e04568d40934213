import hashlib
import json
import shutil
import socket
from pathlib import Path

import msgspec
import pytest

from animator.__main__ import main
from animator.launch.checkup import Finding, examine
from animator.settings import Settings
from serving.bench.ports import free_ports
from tests.support_s3 import BUCKET, ObjectServer
from tests.support_serve import TINY_MODELS


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    shutil.copytree(TINY_MODELS, tmp_path / "models")
    web, inference, management, metrics = free_ports(4)
    return Settings(
        data_dir=tmp_path / "data",
        models_dir=tmp_path / "models",
        port=web,
        inference_port=inference,
        management_port=management,
        metrics_port=metrics,
    )


def find(findings: tuple[Finding, ...], name: str) -> Finding:
    return next(finding for finding in findings if finding.name == name)


def test_whole_machine_has_nothing_bad(settings: Settings) -> None:
    findings = examine(settings)
    assert [finding for finding in findings if finding.state == "bad"] == []
    names = {finding.name for finding in findings}
    assert {"animator", "cores", "memory", "gpu", "redis", "ports", "heic", "gif", "mp4"} <= names
    assert "Valkey" in find(findings, "redis").text
    assert not settings.data_dir.exists()


def test_changed_model_file_is_found_by_its_hash(settings: Settings) -> None:
    folder = settings.models_dir / "drawn_humanoid_detector"
    weights = folder / "model.onnx"
    weights.write_bytes(b"weights")
    manifest = json.loads((folder / "manifest.json").read_text())
    manifest["files"] = {"model.onnx": hashlib.sha256(b"weights").hexdigest()}
    (folder / "manifest.json").write_text(json.dumps(manifest))
    name = "model drawn_humanoid_detector"
    assert find(examine(settings), name).state == "ok"
    weights.write_bytes(b"other")
    assert find(examine(settings), name).state == "bad"


def test_missing_model_is_bad(settings: Settings) -> None:
    shutil.rmtree(settings.models_dir / "drawn_humanoid_pose_estimator")
    finding = find(examine(settings), "model drawn_humanoid_pose_estimator")
    assert finding.state == "bad"


def test_taken_port_is_only_a_note(settings: Settings) -> None:
    with socket.create_server(("127.0.0.1", settings.port)):
        finding = find(examine(settings), "ports")
    assert finding.state == "note"
    assert str(settings.port) in finding.text


def test_command_prints_json_and_fails_when_something_is_bad(
    settings: Settings, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ANIMATOR_DATA_DIR", str(settings.data_dir))
    assert main(["doctor", "--json", "--models-dir", str(settings.models_dir)]) == 0
    assert {finding["state"] for finding in json.loads(capsys.readouterr().out)} <= {"ok", "note"}
    assert main(["doctor", "--models-dir", str(settings.models_dir / "none")]) == 1
    assert "BAD   models" in capsys.readouterr().out


def test_store_is_asked_whether_it_keeps_conditions(
    settings: Settings, objects: ObjectServer
) -> None:
    def look(name: str) -> Finding:
        given = msgspec.structs.replace(
            settings, store=f"s3://{name}", store_endpoint=objects.url, store_path_style=True
        )
        return find(examine(given), "store")

    assert look(BUCKET).state == "ok"
    assert look("elsewhere") == Finding(
        name="store", state="bad", text="There is no bucket elsewhere in the object store."
    )
