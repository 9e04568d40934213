"""Twenty bad or odd inputs through the real command: each a clear error or a sane result."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.support_bad_images import READABLE, REFUSED, alpha_png


@pytest.fixture(scope="module")
def inputs(tmp_path_factory: pytest.TempPathFactory) -> dict[str, tuple[Path, str | None]]:
    """By name: a path, and the code of the error that it must give (None: it must be read)."""
    folder = tmp_path_factory.mktemp("inputs")
    cases: dict[str, tuple[Path, str | None]] = {
        "missing": (folder / "missing.png", "invalid_image"),
        "directory": (folder, "invalid_image"),
        "wrong-extension": (folder / "really-a-png.jpg", None),
    }
    cases["wrong-extension"][0].write_bytes(alpha_png())
    for name, (data, code) in REFUSED.items():
        cases[name] = (folder / f"{name}.png", code)
        cases[name][0].write_bytes(data)
    for name, data in READABLE.items():
        cases[name] = (folder / f"{name}.png", None)
        cases[name][0].write_bytes(data)
    return cases


@pytest.fixture(scope="module")
def records(inputs: dict[str, tuple[Path, str | None]]) -> dict[str, dict[str, Any]]:
    """What one run of the command says of each input."""
    paths = [str(path) for path, _ in inputs.values()]
    done = subprocess.run(
        [sys.executable, "-m", "animator", "annotate", *paths, "--json"],
        capture_output=True,
        text=True,
        check=False,
        timeout=170,
    )
    assert done.stderr == ""
    assert done.returncode == 1
    lines = [json.loads(line) for line in done.stdout.splitlines()]
    assert [line["file"] for line in lines] == paths
    return dict(zip(inputs, lines, strict=True))


CASES = ["missing", "directory", "wrong-extension", *REFUSED, *READABLE]


def test_there_are_twenty_of_them() -> None:
    assert len(CASES) >= 20


@pytest.mark.parametrize("name", CASES)
def test_input_gives_a_clear_error_or_a_sane_result(
    name: str, inputs: dict[str, tuple[Path, str | None]], records: dict[str, dict[str, Any]]
) -> None:
    _, code = inputs[name]
    record = records[name]
    if code is None:
        assert record["error"] is None
        assert record["width"] >= 16
    else:
        assert record["error"]["code"] == code
        assert record["error"]["message"].endswith(".")
        assert record["figures"] == []


@pytest.mark.parametrize("name", ["blank-page", "black-page"])
def test_page_without_a_drawing_holds_no_figure(
    name: str, records: dict[str, dict[str, Any]]
) -> None:
    assert records[name]["figures"] == []


def test_sideways_picture_is_measured_upright(records: dict[str, dict[str, Any]]) -> None:
    record = records["exif-rotated"]
    assert (record["width"], record["height"]) == (64, 96)
