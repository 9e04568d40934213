"""The compared models in Triton's Python backend."""

import os
import sys
from typing import Any

sys.path[:0] = os.environ["PYTHONPATH"].split(":")  # the backend's process does not read it

import numpy as np  # noqa: E402
import triton_python_backend_utils as backend  # type: ignore[import-not-found]  # noqa: E402
from common import load  # type: ignore[import-not-found]  # noqa: E402


class TritonPythonModel:
    """Answers with the first number that the model says of a body's bytes."""

    def initialize(self, args: Any) -> None:
        """Load the model that the environment names."""
        self._predict = load()

    def execute(self, requests: list[Any]) -> list[Any]:
        """Run the model on a batch."""
        inputs = [backend.get_input_tensor_by_name(r, "image").as_numpy() for r in requests]
        answers = self._predict([value.reshape(-1)[0] for value in inputs])
        return [self._response(answer) for answer in answers]

    def _response(self, answer: dict[str, Any]) -> Any:
        number = np.array([[float(next(iter(answer.values())))]], np.float32)
        return backend.InferenceResponse([backend.Tensor("out", number)])
