"""The imported networks in torch, with the trunk in half precision on a GPU."""

from collections import OrderedDict
from pathlib import Path
from typing import TYPE_CHECKING, Any

import torch
from numpy.typing import NDArray
from safetensors.torch import load_file
from torch import Tensor, nn

from models.importers.convert import build_network
from models.importers.description import Description
from models.importers.maskrcnn_r50 import RegionNetwork

if TYPE_CHECKING:
    from models.importers.detector_handler import Network as Detector
    from models.importers.detector_handler import Outputs
    from models.importers.pose_handler import Arrays
    from models.importers.pose_handler import Network as Pose
    from models.importers.preparing import Planes

__all__ = ("load_detector", "load_network", "load_pose")


def load_network(description: Description, weights: Path) -> nn.Module:
    """The network with its weights, float32, on the CPU."""
    shape, conventions = description.regions or description.top_down or (None, None)
    if shape is None or conventions is None:
        msg = "the description holds no network"
        raise ValueError(msg)
    network = build_network(shape, conventions, "meta")
    state = {name: tensor.float() for name, tensor in load_file(weights).items()}
    network.load_state_dict(state, assign=True)
    return network


def load_detector(description: Description, weights: Path, device: str) -> "Detector":
    """A Mask R-CNN on a device."""
    network = _regions(description, weights, device)

    def run(planes: "Planes") -> "Outputs":
        with torch.inference_mode():
            image, size = _on(device, planes.pixels), torch.from_numpy(planes.size)
            found = network.detect(image, _features(network, image), size)
            boxes, scores, labels, masks = (part.cpu().numpy() for part in found)
        return boxes, scores, labels, masks

    return run


def load_pose(description: Description, weights: Path, device: str) -> "Pose":
    """A top-down network or a keypoint R-CNN on a device."""
    if description.top_down is None:
        return _load_keypoint_rcnn(_regions(description, weights, device), device)
    network = load_network(description, weights).to(device)

    def run(inputs: "dict[str, NDArray[Any]]") -> "Arrays":
        with torch.inference_mode(), _half_on(device):
            heatmaps = network(_on(device, inputs["image"]))
        return [heatmaps.float().cpu().numpy()]

    return run


def _load_keypoint_rcnn(network: RegionNetwork, device: str) -> "Pose":
    def run(inputs: "dict[str, NDArray[Any]]") -> "Arrays":
        with torch.inference_mode():
            image, expected = (_on(device, inputs[name]) for name in ("image", "expected"))
            features = _features(network, image)
            found = network.detect(image, features, torch.from_numpy(inputs["size"]))
            return [part.cpu().numpy() for part in network.look(features, found, expected)]

    return run


def _regions(description: Description, weights: Path, device: str) -> RegionNetwork:
    network = load_network(description, weights).to(device)
    if not isinstance(network, RegionNetwork):
        msg = f"{description.kind} finds no regions"
        raise TypeError(msg)
    return network


def _features(network: RegionNetwork, image: Tensor) -> "OrderedDict[str, Tensor]":
    """Maps in float32: half precision would round the places of boxes to a whole pixel."""
    with _half_on(str(image.device)):
        maps = network.features(image)
    return OrderedDict((name, cells.float()) for name, cells in maps.items())


def _half_on(device: str) -> torch.autocast:
    return torch.autocast("cuda", torch.float16, enabled=device.startswith("cuda"))


def _on(device: str, array: "NDArray[Any]") -> Tensor:
    return torch.from_numpy(array).to(device)
