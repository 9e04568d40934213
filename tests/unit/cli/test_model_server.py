"""Which model server is asked, and who gets its key."""

import argparse
import json
import os
from pathlib import Path

import pytest

from animator.cli.model_server import ask_server

OWN = "http://127.0.0.1:9081"


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A data folder whose model server has written its keys."""
    keys = tmp_path / "serving-keys.json"
    keys.write_text(json.dumps({"management": {"key": "secret"}}))
    environment = {"ANIMATOR_DATA_DIR": str(tmp_path), "ANIMATOR_MANAGEMENT_PORT": "9081"}
    monkeypatch.setattr(os, "environ", environment)
    return keys


def asked(url: str | None = None) -> tuple[str, str]:
    """Address and file of keys that a command finds."""
    found: list[str] = []

    def look(args: argparse.Namespace) -> int:
        environment = os.environ
        found.append(args.url or environment["SERVING_MANAGEMENT_URL"])
        found.append(environment.get("SERVING_KEY_FILE", ""))
        return 7

    assert ask_server(argparse.Namespace(url=url, run=look)) == 7
    return found[0], found[1]


@pytest.mark.parametrize("url", [None, OWN, f"{OWN}/"])
def test_server_here_is_asked_with_its_key(here: Path, url: str | None) -> None:
    assert asked(url) == (url or OWN, str(here))


def test_another_server_is_not_told_the_key_of_the_one_here() -> None:
    assert asked("http://elsewhere:8081") == ("http://elsewhere:8081", "")


def test_another_server_of_the_environment_is_not_told_it_either() -> None:
    os.environ["SERVING_MANAGEMENT_URL"] = "http://elsewhere:8081"
    assert asked() == ("http://elsewhere:8081", "")
