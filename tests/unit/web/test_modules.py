"""The page's pure modules, by node's own runner; its types, by the TypeScript compiler."""

import shutil
import subprocess
from pathlib import Path

import pytest

WEB = Path(__file__).parents[3] / "web"
TSC = WEB / "node_modules" / "typescript" / "bin" / "tsc"


@pytest.fixture
def node() -> str:
    found = shutil.which("node")
    if found is None:
        pytest.skip("node is not installed: the page's modules are tested by its runner")
    return found


def test_pure_modules_pass_their_own_tests(node: str) -> None:
    files = [str(file) for file in (WEB / "tests").glob("*.test.js")]
    assert files
    done = subprocess.run([node, "--test", *files], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


def test_types_agree(node: str) -> None:
    if not TSC.is_file():
        pytest.skip("the TypeScript compiler is not installed: run `npm ci` in web/")
    command = [node, str(TSC), "--project", str(WEB / "jsconfig.json")]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout


def test_page_names_no_other_host() -> None:
    allowed = ("http://www.w3.org/2000/svg",)
    for file in WEB.rglob("*"):
        if file.suffix not in {".html", ".js", ".css", ".svg"} or "node_modules" in file.parts:
            continue
        text = file.read_text(encoding="utf-8")
        for name in allowed:
            text = text.replace(name, "")
        assert "http://" not in text, file
        assert "https://" not in text, file
