"""What the three ways of torch have in common: arrays in and out, precision, device."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
import torch

from serving.backends.backend import Arrays, ModelFile

__all__ = ("TorchBackend", "dtype_of")

_DTYPES = {"fp32": torch.float32, "fp16": torch.float16, "bf16": torch.bfloat16}


def dtype_of(file: ModelFile) -> torch.dtype:
    """The type of the floating-point numbers that a model works with."""
    return _DTYPES.get(file.hints.precision, torch.float32)


class TorchBackend:
    """Calls a module with its inputs in order, and names what it gives.

    Args:
        call: the module.
        file: names, device and precision.
    """

    def __init__(self, call: Callable[..., Any], file: ModelFile) -> None:
        torch.set_num_threads(file.threads)
        self._call = call
        self._device = torch.device(file.device)
        self._dtype = dtype_of(file)
        self._inputs = [tensor.name for tensor in file.inputs]
        self._outputs = [tensor.name for tensor in file.outputs]

    def run(self, inputs: Arrays) -> Arrays:
        """Run the model; what is BF16 or half inside comes out as FP32.

        Raises:
            Exception: whatever the model raises.
            KeyError: when it gives no output of a declared name.
        """
        names = self._inputs or list(inputs)
        with torch.inference_mode():
            given = self._call(*(self._tensor(inputs[name]) for name in names))
        return {name: self._array(value) for name, value in self._named(given).items()}

    def _tensor(self, array: Any) -> torch.Tensor:
        # torch wants memory that it may write to.
        tensor = torch.from_numpy(np.require(array, requirements=["C", "W"]))
        dtype = self._dtype if tensor.dtype == torch.float32 else tensor.dtype
        return tensor.to(self._device, dtype)

    def _named(self, given: Any) -> Mapping[str, torch.Tensor]:
        if isinstance(given, Mapping):
            return {name: given[name] for name in self._outputs or given}
        values: Sequence[torch.Tensor] = given if isinstance(given, tuple | list) else [given]
        names = self._outputs or [f"output_{index}" for index in range(len(values))]
        return dict(zip(names, values, strict=True))

    def _array(self, value: torch.Tensor) -> Any:
        if value.dtype in {self._dtype, torch.bfloat16}:
            value = value.float()
        return value.cpu().numpy()
