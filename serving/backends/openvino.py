"""OpenVINO."""

from typing import Any

import openvino

from serving.backends.backend import Arrays, Backend, ModelFile, refuse_precision
from serving.errors import InvalidModel

__all__ = ("load",)

_PRECISIONS = {"fp32": "f32", "fp16": "f16", "bf16": "bf16"}


def load(file: ModelFile) -> Backend:
    """Compile an `.onnx` or `.xml` for the CPU; fp16 and bf16 are hints that it may follow.

    Raises:
        InvalidModel: when it cannot be compiled, or int8 or a GPU of NVIDIA's is asked for.
    """
    precision = _PRECISIONS.get(file.hints.precision)
    if precision is None:
        raise refuse_precision(file, "OpenVINO")
    if file.device != "cpu":
        msg = f"OpenVINO does not run on {file.device}: serve {file.path.name} on cpu"
        raise InvalidModel(msg)
    hints = {
        "INFERENCE_NUM_THREADS": file.threads,
        "INFERENCE_PRECISION_HINT": precision,
        "PERFORMANCE_HINT": "LATENCY",
    }
    try:
        return _OpenVinoBackend(openvino.Core().compile_model(str(file.path), "CPU", hints))
    except RuntimeError as error:
        msg = f"OpenVINO cannot compile {file.path.name}: {error}"
        raise InvalidModel(msg) from error


class _OpenVinoBackend:
    def __init__(self, compiled: Any) -> None:
        self._compiled = compiled
        self._outputs = [output.get_any_name() for output in compiled.outputs]

    def run(self, inputs: Arrays) -> Arrays:
        given = self._compiled(dict(inputs))
        return {name: given[index].copy() for index, name in enumerate(self._outputs)}
