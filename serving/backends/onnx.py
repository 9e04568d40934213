"""ONNX Runtime."""

import tempfile
from pathlib import Path
from typing import Any

import onnxruntime

from serving.backends.backend import Arrays, Backend, ModelFile, refuse_precision
from serving.errors import InvalidModel

__all__ = ("load",)


def load(file: ModelFile) -> Backend:
    """Open a session; fp16 and int8 (dynamic, weights and activations) convert the graph first.

    Raises:
        InvalidModel: when the graph cannot be loaded or converted.
    """
    if file.hints.precision == "fp32":
        return _OnnxBackend(_session(file.path, file))
    # Beside the session nobody needs the converted file.
    with tempfile.TemporaryDirectory() as folder:
        return _OnnxBackend(_session(_converted(file, Path(folder)), file))


class _OnnxBackend:
    def __init__(self, session: Any) -> None:
        self._session = session
        self._outputs = [output.name for output in session.get_outputs()]

    def run(self, inputs: Arrays) -> Arrays:
        values = self._session.run(self._outputs, dict(inputs))
        return dict(zip(self._outputs, values, strict=True))


def _session(path: Path, file: ModelFile) -> Any:
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = file.threads
    options.inter_op_num_threads = 1
    # Spinning threads would starve the other workers of a small machine.
    options.add_session_config_entry("session.intra_op.allow_spinning", "0")
    options.log_severity_level = 3
    try:
        return onnxruntime.InferenceSession(path, options, providers=_providers(file))
    except Exception as error:
        msg = f"ONNX Runtime cannot load {file.path.name}: {error}"
        raise InvalidModel(msg) from error


def _providers(file: ModelFile) -> list[Any]:
    cuda = "CUDAExecutionProvider"
    if file.device == "cpu":
        return ["CPUExecutionProvider"]
    if cuda not in onnxruntime.get_available_providers():
        msg = "ONNX Runtime has no CUDA here: install onnxruntime-gpu, or choose cpu"
        raise InvalidModel(msg)
    return [(cuda, {"device_id": int(file.device.partition(":")[2])}), "CPUExecutionProvider"]


def _converted(file: ModelFile, folder: Path) -> Path:
    target = folder / "model.onnx"
    precision = file.hints.precision
    if precision not in {"fp16", "int8"}:
        raise refuse_precision(file, "ONNX Runtime")
    try:
        if precision == "int8":
            from onnxruntime.quantization import quantize_dynamic

            quantize_dynamic(file.path, target)
        else:
            _to_half(file.path, target)
    except ImportError as error:
        msg = f"{precision} needs the extra torch, which brings onnx: {error}"
        raise InvalidModel(msg) from error
    return target


def _to_half(source: Path, target: Path) -> None:
    import onnx
    from onnxruntime.transformers.float16 import convert_float_to_float16

    onnx.save(convert_float_to_float16(onnx.load(source), keep_io_types=True), target)
