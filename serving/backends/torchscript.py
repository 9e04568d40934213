"""TorchScript."""

import warnings
from typing import Any

import torch

from serving.backends.backend import Backend, ModelFile, refuse_precision
from serving.backends.torch_common import TorchBackend, dtype_of
from serving.errors import InvalidModel

__all__ = ("load",)


def load(file: ModelFile) -> Backend:
    """Load a scripted or traced module; fp16 and bf16 cast it.

    Raises:
        InvalidModel: when it cannot be loaded, or int8 is asked for.
    """
    if file.hints.precision == "int8":
        raise refuse_precision(file, "TorchScript")
    open_module: Any = torch.jit.load
    try:
        with warnings.catch_warnings():
            # That TorchScript is old is known.
            warnings.simplefilter("ignore")
            module = open_module(file.path, map_location=file.device).eval()
    except (RuntimeError, ValueError) as error:
        msg = f"torch cannot load {file.path.name} as TorchScript: {error}"
        raise InvalidModel(msg) from error
    return TorchBackend(module.to(dtype_of(file)), file)
