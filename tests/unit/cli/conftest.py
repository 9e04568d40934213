"""Commands run in this process, over a predictor that needs no models."""

from collections.abc import Callable
from pathlib import Path

import pytest

from animator.__main__ import main
from animator.cli import drawings
from tests.support_bad_images import encode
from tests.support_drawings import stick_figure
from tests.support_predictor import DarkPredictor


@pytest.fixture
def animator(monkeypatch: pytest.MonkeyPatch) -> Callable[..., int]:
    """Runs `animator` with these words, and returns the exit code."""
    monkeypatch.setattr(drawings, "LocalModels", DarkPredictor)

    def run(*words: object) -> int:
        return main([str(word) for word in words])

    return run


@pytest.fixture
def stick_png(tmp_path: Path) -> Path:
    """A picture of a stick figure."""
    path = tmp_path / "stick.png"
    path.write_bytes(encode(stick_figure(), "PNG"))
    return path
