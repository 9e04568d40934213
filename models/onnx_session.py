"""A session of ONNX Runtime on the CPU, as a worker process wants it."""

from pathlib import Path

import onnxruntime

__all__ = ("check_cpu_precision", "open_session")


def check_cpu_precision(precision: str) -> None:
    """Refuse a precision that the graphs for the CPU do not have.

    Raises:
        ValueError: when it is neither "" nor "fp32".
    """
    if precision not in {"", "fp32"}:
        msg = f"{precision} is for GPUs: on the CPU this model works in fp32"
        raise ValueError(msg)


def open_session(file: Path, threads: int) -> onnxruntime.InferenceSession:
    """Open a model; its weights are read from the file that the graph names beside it.

    Args:
        file: the `.onnx` graph.
        threads: threads of one call, >= 1.
    """
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = threads
    options.inter_op_num_threads = 1
    # Spinning threads would starve the other workers of a small machine.
    options.add_session_config_entry("session.intra_op.allow_spinning", "0")
    options.log_severity_level = 3
    return onnxruntime.InferenceSession(file, options, providers=["CPUExecutionProvider"])
