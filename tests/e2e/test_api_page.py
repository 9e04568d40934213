"""The examples of the page about the API work as they stand there."""

import re
import shutil
import subprocess
from pathlib import Path

import pytest

from tests.support_serve import ROOT, App

PAGE = (ROOT / "docs" / "api.md").read_text()
ADDRESS = "http://127.0.0.1:8000"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder in which to follow them."""
    (tmp_path / "web").symlink_to(ROOT / "web")
    return tmp_path


def test_example_in_python_works(
    app: App, folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(folder)
    (example,) = re.findall(r"```python\n(.+?)```", PAGE, re.DOTALL)
    exec(compile(example.replace(ADDRESS, app.url), "docs/api.md", "exec"), {})
    told = capsys.readouterr().out
    assert told.startswith("found at Box(")
    assert "done 100%" in told
    assert told.splitlines()[-1].startswith(f"{app.url}/shared/")
    assert (folder / "wave.gif").read_bytes().startswith(b"GIF89a")


@pytest.mark.skipif(shutil.which("curl") is None, reason="curl is not installed")
def test_example_with_curl_works(app: App, folder: Path) -> None:
    (example,) = re.findall(r"((?: {4}.+\n)+)", PAGE[PAGE.index("    api=http") :])[:1]
    script = "".join(line.removeprefix("    ") for line in example.splitlines(keepends=True))
    done = subprocess.run(
        ["bash", "-euo", "pipefail", "-c", script.replace(ADDRESS, app.url)],
        cwd=folder,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.count('"state":"done"') == 2
    assert (folder / "wave.gif").read_bytes().startswith(b"GIF89a")
