"""Tiny models whose outputs are worked out by hand: `sum` is x . (1, 2) + 0.5, `twice` is 2x."""

from pathlib import Path
from typing import Any

import numpy as np

__all__ = ("NETWORK", "save_exported", "save_onnx", "save_torchscript", "save_weights")

NETWORK = """
import torch

class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = torch.nn.Linear(2, 1)

    def forward(self, x: torch.Tensor) -> dict[str, torch.Tensor]:
        return {"sum": self.layer(x), "twice": x * 2}
"""


def save_onnx(path: Path, *, batch: int | str = "n") -> Path:
    """Write the model as ONNX, with a first axis of any size or of one."""
    import onnx
    from onnx import TensorProto, helper, numpy_helper

    weights = {
        "w": np.array([[1.0], [2.0]], np.float32),
        "b": np.array([0.5], np.float32),
        "two": np.array(2.0, np.float32),
    }
    nodes = [
        helper.make_node("MatMul", ["x", "w"], ["product"]),
        helper.make_node("Add", ["product", "b"], ["sum"]),
        helper.make_node("Mul", ["x", "two"], ["twice"]),
    ]
    graph = helper.make_graph(
        nodes,
        "tiny",
        [helper.make_tensor_value_info("x", TensorProto.FLOAT, [batch, 2])],
        [
            helper.make_tensor_value_info("sum", TensorProto.FLOAT, [batch, 1]),
            helper.make_tensor_value_info("twice", TensorProto.FLOAT, [batch, 2]),
        ],
        [numpy_helper.from_array(array, name) for name, array in weights.items()],
    )
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=9)
    onnx.save(model, path)
    return path


def save_weights(path: Path) -> Path:
    """Write the network's weights, as torch or as safetensors."""
    import torch
    from safetensors.torch import save_file

    state = network().state_dict()
    if path.suffix == ".safetensors":
        save_file(state, path)
    else:
        torch.save(state, path)
    return path


def save_torchscript(path: Path) -> Path:
    """Write the network as TorchScript."""
    import warnings

    import torch

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        trace: Any = torch.jit.trace
        trace(network(), torch.zeros(1, 2), strict=False).save(str(path))
    return path


def save_exported(path: Path, *, is_compiled: bool = False) -> Path:
    """Write the network as a program of torch.export, or compile it with AOTInductor."""
    import torch

    axis = torch.export.Dim("n", min=1, max=64)
    program = torch.export.export(network(), (torch.zeros(2, 2),), dynamic_shapes=({0: axis},))
    if is_compiled:
        torch._inductor.aoti_compile_and_package(program, package_path=str(path))
    else:
        torch.export.save(program, path)
    return path


def network() -> Any:
    """Build the network with its weights."""
    import torch

    scope: dict[str, Any] = {}
    exec(NETWORK, scope)
    net = scope["Net"]()
    with torch.no_grad():
        net.layer.weight.copy_(torch.tensor([[1.0, 2.0]]))
        net.layer.bias.copy_(torch.tensor([0.5]))
    return net.eval()
