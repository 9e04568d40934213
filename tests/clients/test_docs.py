"""The examples of docs/open-inference.md run, on the shipped models."""

import re
import shlex
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support_clients import Addresses, server_for_clients

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "open-inference.md").read_text()


@pytest.fixture(scope="module")
def shipped() -> Iterator[Addresses]:
    with server_for_clients(ROOT / "models", SERVING_TOKEN_AUTHORIZATION="off") as addresses:
        yield addresses


def test_python_example_runs(shipped: Addresses, capsys: pytest.CaptureFixture[str]) -> None:
    pytest.importorskip("tritonclient.http")
    (example,) = re.findall(r"```python\n(.+?)```", PAGE, re.DOTALL)
    assert "127.0.0.1:8080" in example
    exec(compile(example.replace("127.0.0.1:8080", shipped.http), "open-inference.md", "exec"), {})
    assert capsys.readouterr().out == "(17, 2)\n"


def test_curl_examples_are_answered(shipped: Addresses) -> None:
    if shutil.which("curl") is None:
        pytest.skip("curl is not installed")
    (block,) = re.findall(r"```bash\n(.+?)```", PAGE, re.DOTALL)
    lines = block.replace("127.0.0.1:8080", shipped.http).splitlines()
    assert len(lines) == 6
    for line in lines:
        subprocess.run([*shlex.split(line), "-sS"], check=True, capture_output=True, timeout=20)
