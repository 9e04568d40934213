"""What the server's own OpenAPI document says, and what it does: schemathesis compares the two.

It sends what the document allows, and what it does not, by each verb, and looks at each answer: its
status, content, headers, and whether a wrong request was refused and a right one was not. Names are
made up, so most requests end with 404; one test asks a model that there is.
"""

import json
import os
import subprocess
import sys
from pathlib import Path

import httpx
import pytest

from tests.support_contract import Server, running_server


def compare(url: str, folder: Path, *flags: str) -> None:
    """Compare document and server; what does not agree is told whole."""
    done = subprocess.run(
        [
            Path(sys.executable).with_name("schemathesis"), "run", f"{url}/api-description",
            "--seed=1", "--max-examples=3", "--phases=coverage,fuzzing",
            "--no-shrink", "--continue-on-failure", "--no-color", "--suppress-health-check=all",
            *flags,
        ],
        cwd=folder, env=os.environ, capture_output=True, text=True, check=False, timeout=240,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.parametrize("listener", ["inference", "management", "metrics"])
def test_server_does_what_its_document_says(server: Server, listener: str, tmp_path: Path) -> None:
    flags = ("--exclude-path-regex=^/v2/models/{|^/explanations",)
    compare(getattr(server, listener), tmp_path, *flags)


def test_document_holds_where_models_may_be_changed(tmp_path: Path) -> None:
    with running_server(SERVING_ENABLE_MODEL_API="true") as (_, server):
        compare(server.management, tmp_path)
        only = ("--include-path-regex=/v2/repository",)
        compare(server.inference, tmp_path, *only)


def test_model_is_asked_as_the_document_says(server: Server, tmp_path: Path) -> None:
    (tmp_path / "schemathesis.toml").write_text(
        '[parameters]\nmodel_name = "echo"\nmodel_version = "1.0"\n'
    )
    # No schema can say that a tensor's data is as long as its shape tells.
    flags = ("--include-path-regex=^/v2/models", "--exclude-checks=positive_data_acceptance")
    compare(server.inference, tmp_path, *flags)


def test_document_names_what_is_offered_and_nothing_else(server: Server) -> None:
    paths = httpx.get(f"{server.inference}/api-description").json()["paths"]
    assert paths.keys() >= {"/v2", "/v2/models/{model_name}/infer", "/predictions/{model_name}"}
    assert not any("/load" in path for path in paths)
    paths = httpx.get(f"{server.management}/api-description").json()["paths"]
    assert paths["/models"].keys() == {"get"}
    assert "/token" not in paths
    assert json.dumps(paths).count('"operationId"') == len(
        {verb["operationId"] for path in paths.values() for verb in path.values()}
    )
