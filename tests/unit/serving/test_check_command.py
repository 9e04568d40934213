"""The command `check`: what it says of archives and settings."""

import json
import zipfile
from pathlib import Path

import pytest

from serving.__main__ import main
from tests.support_archives import pack
from tests.support_networks import save_onnx

HANDLER = "def handle(data, context):\n    return data and ['ok' for _ in data]\n"


def _archive(tmp_path: Path, **files: str) -> Path:
    content = {
        "handler.py": HANDLER,
        "model-config.yaml": "batchSize: 2\nparallelType: odd\n",
    }
    return pack(tmp_path / "cat.mar", {**content, **files}, configFile="model-config.yaml")


def test_an_archive_is_described(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["check", str(_archive(tmp_path))]) == 0
    said = capsys.readouterr().out
    for words in (
        "cat version 1.0",
        "SHA-256 ",
        "handler handler.py, a file of the archive",
        "parallelType is not followed: must be one of",
        "served with batch_size 2",
    ):
        assert words in said
    assert "loaded in" not in said


def test_a_model_is_loaded_where_that_is_asked(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["check", "--load", str(_archive(tmp_path))]) == 0
    assert "loaded in" in capsys.readouterr().out


def test_a_model_that_cannot_be_loaded_is_told_with_the_reason(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = _archive(tmp_path, **{"handler.py": "raise ValueError('not today')\n"})
    assert main(["check", str(path)]) == 0
    assert main(["check", "--load", str(path)]) == 1
    assert "not today" in capsys.readouterr().err


def test_a_model_without_a_handler_is_described(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["check", str(save_onnx(tmp_path / "tiny.onnx"))]) == 0
    said = capsys.readouterr().out
    assert "served from tiny.onnx" in said
    assert "takes x FP32 [2]" in said
    assert "gives sum FP32 [1], twice FP32 [2]" in said


@pytest.mark.parametrize(
    ("manifest", "said"),
    [
        ({"handler": "gone"}, "gone is neither a file of the archive"),
        ({"handler": "base_handler", "modelFile": "net.py"}, r"the archive has no net.py"),
    ],
)
def test_an_archive_that_lacks_something_is_refused(
    tmp_path: Path, manifest: dict[str, str], said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with zipfile.ZipFile(tmp_path / "m.mar", "w") as archive:
        described = {"model": {"modelName": "m", **manifest}}
        archive.writestr("MAR-INF/MANIFEST.json", json.dumps(described))
    assert main(["check", str(tmp_path / "m.mar")]) == 1
    assert said in capsys.readouterr().err


def test_a_workflow_is_described(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with zipfile.ZipFile(tmp_path / "w.war", "w") as archive:
        manifest = {"workflow": {"workflowName": "w", "specFile": "w.yaml", "handler": "f.py"}}
        archive.writestr("WAR-INF/MANIFEST.json", json.dumps(manifest))
        archive.writestr("w.yaml", "models: {m: {url: m.mar}}\ndag: {first: [m], m: [last]}\n")
        archive.writestr("f.py", "")
    assert main(["check", str(tmp_path / "w.war")]) == 0
    assert "the workflow w of first, m, last" in capsys.readouterr().out


def test_settings_are_described_with_the_archives_of_the_store(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    store = tmp_path / "store"
    store.mkdir()
    _archive(store)
    config = tmp_path / "serving.toml"
    config.write_text(f'[serving]\nmodels_dir = "{store}"\nhost = "0.0.0.0"\nwatch = true\n')
    assert main(["check", "--config", str(config)]) == 0
    said = capsys.readouterr().out
    assert "the settings are good" in said
    assert "others can reach them at 0.0.0.0 (management_address)" in said
    assert f"who can write to {store} may run any (watch)" in said
    assert "cat version 1.0" in said


def test_settings_of_torchserve_are_taken_and_what_is_ignored_is_named(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], caplog: pytest.LogCaptureFixture
) -> None:
    config = tmp_path / "config.properties"
    config.write_text(f"model_store={tmp_path / 'none'}\njob_queue_size=7\nio_ratio=50\n")
    assert main(["check", "--ts-config", str(config)]) == 0
    assert "queue_size=7" in capsys.readouterr().out
    assert "io_ratio=50 is ignored" in caplog.text


def test_bad_settings_are_told_in_one_sentence(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    config = tmp_path / "serving.toml"
    config.write_text("[serving]\nprot = 1")
    assert main(["check", "--config", str(config)]) == 1
    assert "unknown field `prot`" in capsys.readouterr().err


def test_nothing_to_check_is_told(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["check"]) == 1
    assert "name an archive" in capsys.readouterr().err


def test_an_ensemble_is_described(capsys: pytest.CaptureFixture[str]) -> None:
    folder = Path(__file__).parents[3] / "docs" / "examples" / "drawn_figures"
    assert main(["check", str(folder)]) == 0
    said = capsys.readouterr().out
    assert "the ensemble drawn_figures of drawn_humanoid_detector, " in said
    assert "steps.py:crop" in said
