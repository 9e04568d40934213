"""Programs of torch.export, and packages of AOTInductor; both end in .pt2."""

import zipfile

import torch

from serving.backends.backend import Backend, ModelFile, refuse_precision
from serving.backends.torch_common import TorchBackend
from serving.errors import InvalidModel

__all__ = ("load",)


def load(file: ModelFile) -> Backend:
    """Load a program, or compiled code; their precision is the one that they were exported with.

    Raises:
        InvalidModel: when it cannot be loaded, or another precision is asked for.
    """
    if file.hints.precision != "fp32":
        raise refuse_precision(file, "torch.export (export it in that precision)")
    try:
        with zipfile.ZipFile(file.path) as archive:
            is_program = any(n.endswith("models/model.json") for n in archive.namelist())
        if is_program:
            module = torch.export.load(file.path).module()
            return TorchBackend(module.to(file.device), file)
        index = -1 if file.device == "cpu" else int(file.device.partition(":")[2])
        package = torch._inductor.aoti_load_package(str(file.path), device_index=index)
        return TorchBackend(package, file)
    except (OSError, RuntimeError, ValueError, KeyError, zipfile.BadZipFile) as error:
        msg = f"torch cannot load {file.path.name}: {error}"
        raise InvalidModel(msg) from error
