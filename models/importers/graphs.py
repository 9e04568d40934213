"""Imported networks as ONNX graphs, so that a CPU needs no torch."""

import warnings
from pathlib import Path

import onnx
import torch
from torch import Tensor, nn

from models.importers.description import GRAPH, WEIGHTS, Description
from models.importers.maskrcnn_r50 import RegionNetwork
from models.importers.torch_route import load_network
from models.onnx_weights import point_into

__all__ = ("export_graph",)

_EXAMPLE = (128, 160)  # height and width that are traced; others follow

_OPEN = {"image": {2: "height", 3: "width"}}


def export_graph(folder: Path, description: Description) -> None:
    """Write `model.onnx`, whose weights are those in the folder's `weights.safetensors`.

    Args:
        folder: of the model.
        description: of its network.
    """
    network = load_network(description, folder / WEIGHTS)
    image = torch.rand(1, 3, *_example_size(description))
    size, box = torch.tensor(_EXAMPLE), torch.tensor([[8.0, 8.0, 100.0, 120.0]])
    file = folder / GRAPH
    if not isinstance(network, RegionNetwork):
        _trace(network, file, {"image": image}, ("heatmaps",))
    elif hasattr(network, "keypoint_head"):
        inputs = {"image": image, "size": size, "expected": box}
        _trace(network, file, inputs, ("box", "heatmaps"))
    else:
        outputs = ("boxes", "scores", "labels", "masks")
        _trace(network, file, {"image": image, "size": size}, outputs)
    graph = onnx.load(file)
    point_into(graph, folder / WEIGHTS)
    onnx.save(graph, file)


def _example_size(description: Description) -> tuple[int, int]:
    """Height and width; a top-down network takes views of one size only."""
    if description.top_down is None:
        return _EXAMPLE
    _, conventions = description.top_down
    return conventions.input_height, conventions.input_width


def _trace(
    network: nn.Module, file: Path, inputs: dict[str, Tensor], outputs: tuple[str, ...]
) -> None:
    """Write the graph with its weights inside, under the names that they have in torch."""
    axes: dict[str, dict[int, str]] = {"image": {0: "batch"}, "heatmaps": {0: "batch"}}
    if len(inputs) > 1:
        axes = {**_OPEN, **{name: {0: "found"} for name in outputs if len(outputs) > 2}}
    with warnings.catch_warnings():
        # the tracer warns of every number that it takes for fixed, and of its own age
        warnings.simplefilter("ignore")
        torch.onnx.export(
            network,
            tuple(inputs.values()),
            file,
            input_names=list(inputs),
            output_names=list(outputs),
            opset_version=17,
            dynamo=False,
            do_constant_folding=False,
            dynamic_axes=axes,
        )
