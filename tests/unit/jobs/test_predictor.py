from types import SimpleNamespace

import numpy as np
import pytest
from numpy.typing import NDArray

from animator.core.errors import ModelUnavailable
from animator.jobs.predictor import PatientPredictor, Tensors
from serving.errors import (
    BadInput,
    InferenceFailed,
    ModelNotFound,
    NoWorker,
    ServingError,
    WorkerDied,
)

INPUTS: dict[str, NDArray[np.uint8]] = {"image": np.zeros((2, 2, 3), np.uint8)}


class Server:
    """Raises the given errors, one a request, and answers after that."""

    def __init__(self, *errors: ServingError) -> None:
        self.errors = list(errors)
        self.requests = 0

    def infer(self, model: str, inputs: Tensors) -> Tensors:
        self.requests += 1
        if self.errors:
            raise self.errors.pop(0)
        return {"scores": np.ones(1, np.float32)}


@pytest.fixture(autouse=True)
def clock(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """Seconds slept; the clock shows their sum."""
    slept: list[float] = []
    fake = SimpleNamespace(sleep=slept.append, monotonic=lambda: sum(slept))
    monkeypatch.setattr("animator.jobs.predictor.time", fake)
    return slept


def test_what_passes_is_tried_again_with_growing_pauses(clock: list[float]) -> None:
    server = Server(NoWorker("a"), WorkerDied("b"), NoWorker("c"), NoWorker("d"), NoWorker("e"))
    outputs = PatientPredictor(server, patience=20).infer("pose", INPUTS)
    assert outputs["scores"].tolist() == [1.0]
    assert clock == [0.2, 0.4, 0.8, 1.0, 1.0]


def test_patience_ends(clock: list[float]) -> None:
    server = Server(*[NoWorker("no")] * 100)
    with pytest.raises(ModelUnavailable, match="pose is not available"):
        PatientPredictor(server, patience=5).infer("pose", INPUTS)
    assert 4 <= sum(clock) <= 5


def test_missing_model_is_told_at_once(clock: list[float]) -> None:
    with pytest.raises(ModelUnavailable):
        PatientPredictor(Server(ModelNotFound("no")), patience=20).infer("pose", INPUTS)
    assert clock == []


@pytest.mark.parametrize("error", [BadInput("bad"), InferenceFailed("bug")])
def test_fault_of_ours_is_not_hidden(error: ServingError) -> None:
    with pytest.raises(type(error)):
        PatientPredictor(Server(error), patience=20).infer("pose", INPUTS)
