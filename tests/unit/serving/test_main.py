import subprocess
import sys
from pathlib import Path

import pytest

from serving.__main__ import main


def test_help_teaches() -> None:
    command = [sys.executable, "-m", "serving", "start", "--help"]
    text = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    for word in ("--models-dir", "--port", "curl", "/predictions/echo", "Ctrl-C", "SERVING_HOST"):
        assert word in text


def test_bad_settings_are_told_in_one_sentence(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    config = tmp_path / "serving.toml"
    config.write_text("[serving]\nprot = 1")
    assert main(["start", "--config", str(config)]) == 1
    assert capsys.readouterr().err == (f"serving: {config}: Object contains unknown field `prot`\n")


def test_missing_models_folder_is_told_in_one_sentence(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    kinds = ("inference", "management", "metrics", "grpc-inference", "grpc-management")
    flags = [*(f"--{kind}-port=0" for kind in kinds), f"--key-file={tmp_path}/keys"]
    assert main(["start", "--models-dir", str(tmp_path / "nowhere"), *flags]) == 1
    assert "there is no folder of models" in capsys.readouterr().err
