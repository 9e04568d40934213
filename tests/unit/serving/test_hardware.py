from pathlib import Path

import pytest

from serving.hardware import default_device


@pytest.mark.parametrize(
    ("has_gpu", "has_torch", "expected"),
    [(True, True, "cuda:0"), (True, False, "cpu"), (False, True, "cpu")],
    ids=["both", "no torch", "no GPU"],
)
def test_gpu_is_chosen_only_when_it_can_be_used(
    monkeypatch: pytest.MonkeyPatch, has_gpu: bool, has_torch: bool, expected: str
) -> None:
    monkeypatch.setattr(Path, "exists", lambda path: has_gpu and str(path) == "/dev/nvidia0")
    monkeypatch.setattr("importlib.util.find_spec", lambda name: object() if has_torch else None)
    assert default_device() == expected
