"""KServe's own SDK against this server; it needs an interpreter of its own.

KSERVE_PYTHON=/path/to/venv/bin/python pytest -m peer tests/peers/test_kserve.py
"""

import json
import os
import subprocess
from pathlib import Path
from typing import Any

import pytest

from tests.support_clients import server_for_clients

pytestmark = [pytest.mark.peer, pytest.mark.timeout(300)]

CALLS = Path(__file__).parent / "kserve_calls.py"


@pytest.fixture(scope="module")
def answers() -> dict[str, Any]:
    """What the SDK got, by wire."""
    python = os.environ.get("KSERVE_PYTHON")
    if not python:
        pytest.skip("KSERVE_PYTHON names no interpreter that has the kserve SDK")
    with server_for_clients(SERVING_TOKEN_AUTHORIZATION="off") as addresses:
        command = [python, str(CALLS), f"http://{addresses.http}", addresses.grpc]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    found: dict[str, Any] = json.loads(done.stdout)
    return found


@pytest.fixture(params=["rest", "grpc"])
def wire(request: pytest.FixtureRequest) -> str:
    return str(request.param)


def test_states_are_told(answers: dict[str, Any], wire: str) -> None:
    assert answers[wire]["states"] == [True, True, True, False]


@pytest.mark.parametrize("datatype", ["BOOL", "UINT8", "INT16", "INT64", "FP16", "FP32", "FP64"])
def test_numbers_come_back(answers: dict[str, Any], wire: str, datatype: str) -> None:
    forms = [answers[wire].get(f"{datatype} {form}") for form in ("binary", "list")]
    values = [0, 1, 1, 1, 0, 1] if datatype == "BOOL" else [0, 1, 7, 1, 0, 100]
    expected = {"id": "17", "shape": [2, 3], "values": values}
    assert forms[0] == expected
    assert forms[1] == expected or datatype == "FP16"


def test_text_rows_and_classes_come_back(answers: dict[str, Any], wire: str) -> None:
    found = answers[wire]
    assert found["BYTES"]["values"] == ["ä", ""]
    assert (found["rows"]["shape"], found["rows"]["values"]) == ([3, 1], [3, 3, 3])
    assert found["classes"]["values"] == ["3.000000:1:dog"]


def test_unknown_model_is_an_error_with_its_sentence(answers: dict[str, Any], wire: str) -> None:
    assert "Model not found: dog" in answers[wire]["failure"]
