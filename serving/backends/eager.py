"""A network's class with its weights: safetensors, or what torch saved of a state dict."""

import importlib.util
import inspect
import pickle
import sys
import warnings
from pathlib import Path
from typing import Any

import torch

from serving.backends.backend import Backend, ModelFile
from serving.backends.torch_common import TorchBackend, dtype_of
from serving.errors import InvalidModel

__all__ = ("load",)


def load(file: ModelFile) -> Backend:
    """Build the class of `backend.model_file` and load its weights; nothing but data is read.

    int8 quantises the weights of linear layers, and activations as they come (dynamic).

    Raises:
        InvalidModel: when there is no such class, or the weights are not its own.
    """
    name, _, class_name = file.hints.model_file.partition(":")
    network = _network_class(file.path.parent / name, class_name)
    try:
        module = network()
        module.load_state_dict(_weights(file.path))
    except (RuntimeError, TypeError, pickle.UnpicklingError, OSError) as error:
        msg = f"{file.path.name} cannot be loaded into {network.__name__}: {error}"
        raise InvalidModel(msg) from error
    module = module.eval()
    if file.hints.precision == "int8":
        module = _quantised(module)
    return TorchBackend(module.to(file.device, dtype_of(file)), file)


def _network_class(path: Path, class_name: str) -> type[Any]:
    name = f"serving_network_{path.stem}"
    spec = importlib.util.spec_from_file_location(name, path)
    if spec is None or spec.loader is None or not path.is_file():
        msg = f"there is no Python file {path.name}: name it as backend.model_file"
        raise InvalidModel(msg)
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    found = [
        member
        for _, member in inspect.getmembers(module, inspect.isclass)
        if issubclass(member, torch.nn.Module)
        and member.__module__ == name
        and class_name in {"", member.__name__}
    ]
    if len(found) != 1:
        names = ", ".join(kind.__name__ for kind in found) or "none"
        msg = f"{path.name} must define one torch.nn.Module, or be named as file.py:Class: {names}"
        raise InvalidModel(msg)
    return found[0]


def _weights(path: Path) -> Any:
    if path.suffix == ".safetensors":
        from safetensors.torch import load_file

        return load_file(path)
    return torch.load(path, map_location="cpu", weights_only=True)


def _quantised(module: Any) -> Any:
    quantise: Any = torch.ao.quantization.quantize_dynamic
    with warnings.catch_warnings():
        # torch means to move it to another package.
        warnings.simplefilter("ignore")
        return quantise(module, {torch.nn.Linear}, dtype=torch.qint8)
