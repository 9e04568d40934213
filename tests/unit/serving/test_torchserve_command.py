import argparse
import logging
from pathlib import Path

import psutil
import pytest

from serving.settings import InvalidSettings, ServerSettings
from serving.torchserve_command import (
    add_torchserve_flags,
    launch,
    settings_from_flags,
    warn_of_ignored,
)


def read(*flags: str, **environment: str) -> ServerSettings:
    return settings_from_flags(parse(*flags), environment)


def parse(*flags: str) -> argparse.Namespace:
    parser = argparse.ArgumentParser()
    add_torchserve_flags(parser)
    return parser.parse_args(flags)


@pytest.fixture(autouse=True)
def in_an_empty_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "store").mkdir()
    monkeypatch.chdir(tmp_path)


def test_flags_become_settings() -> None:
    settings = read(
        "--model-store", "store", "--models", "a.mar", "b=c.mar", "--dt", "--enable-model-api",
        "--ncs",
    )  # fmt: skip
    assert (settings.models_dir, settings.load_models) == ("store", "a.mar,b=c.mar")
    assert settings.token_authorization == "off"
    assert settings.enable_model_api
    assert (settings.log_dir, settings.snapshots) == ("logs", False)


def test_flags_go_before_the_file() -> None:
    Path("c.properties").write_text("model_store=nowhere\ndisable_token_authorization=false\n")
    settings = read("--ts-config", "c.properties", "--model-store", "store", "--dt")
    assert (settings.models_dir, settings.token_authorization) == ("store", "off")


def test_environment_names_the_file_and_the_folders() -> None:
    Path("c.properties").write_text("model_store=store\n")
    settings = read(TS_CONFIG_FILE="c.properties", LOG_LOCATION="l", METRICS_LOCATION="m")
    assert (settings.models_dir, settings.log_dir, settings.metrics_dir) == ("store", "l", "m")


def test_file_of_the_usual_name_is_read() -> None:
    Path("config.properties").write_text("model_store=store\njob_queue_size=7\n")
    assert read().defaults.queue_size == 7


def test_compatibility_is_asked_for_by_the_environment_or_the_file() -> None:
    assert read("--model-store", "store").compat == "better"
    assert read("--model-store", "store", SERVING_COMPAT="torchserve").compat == "torchserve"
    Path("config.properties").write_text("compat=torchserve\n")
    assert read("--model-store", "store").compat == "torchserve"


def test_last_snapshot_is_read_unless_that_is_turned_off() -> None:
    folder = Path("logs") / "config"
    folder.mkdir(parents=True)
    for day, size in (("01", 1), ("02", 2)):
        path = folder / f"202601{day}000000000-snapshot.cfg"
        path.write_text(f"#Saving snapshot\nmodel_store=store\njob_queue_size={size}\n")
    assert read().defaults.queue_size == 2
    assert read("--ncs", "--model-store", "store").defaults.queue_size == 100


@pytest.mark.parametrize(
    ("flags", "reason"),
    [
        ((), "Missing mandatory parameter --model-store"),
        (("--model-store", "nowhere"), "--model-store directory not found: nowhere"),
        (
            ("--model-store", "store", "--workflow-store", "no"),
            "--workflow-store directory not found: no",
        ),
        (("--ts-config", "no.properties"), "--ts-config file not found: no.properties"),
    ],
)
def test_what_is_missing_is_named(flags: tuple[str, ...], reason: str) -> None:
    with pytest.raises(InvalidSettings, match=reason):
        read(*flags)


def test_flag_that_changes_nothing_is_named(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.WARNING):
        warn_of_ignored(parse("--plugins-path", "x"))
    assert caplog.messages == ["--plugins-path is ignored: Java plugins cannot be loaded"]


def test_stopping_what_does_not_run_is_no_error(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    monkeypatch.setenv("TEMP", str(tmp_path))
    assert launch(["--stop"]) == 0
    assert capsys.readouterr().out == "TorchServe is not currently running.\n"


@pytest.mark.parametrize("text", ["1", "none", "999999999"])
def test_number_of_another_process_is_not_believed(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path, text: str
) -> None:
    monkeypatch.setenv("TEMP", str(tmp_path))
    (tmp_path / ".model_server.pid").write_text(text)
    assert launch(["--stop"]) == 0
    assert "Removing orphan pid file." in capsys.readouterr().out
    assert psutil.pid_exists(1)
    assert not (tmp_path / ".model_server.pid").exists()


def test_wrong_flag_is_told_before_anything_is_started(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    monkeypatch.setenv("TEMP", str(tmp_path))
    assert launch(["--start", "--model-store", "nowhere"]) == 1
    assert capsys.readouterr().out == "--model-store directory not found: nowhere\n"
