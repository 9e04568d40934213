"""The detector in torch: several pictures in one call, on a GPU in half precision."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import torch
from numpy.typing import NDArray
from safetensors.torch import load_file

from models.drawn_humanoid_detector.graph import DetectorGraph
from models.drawn_humanoid_detector.network import build_detector

if TYPE_CHECKING:
    from models.drawn_humanoid_detector.handler import BatchNetwork, Network, Outputs

__all__ = ("load_batch_network", "load_network")


def load_network(weights: Path, device: str) -> "Network":
    """As `load_batch_network`, for one picture at a time."""
    find_all = load_batch_network(weights, device)
    return lambda pixels: find_all(pixels[None])[0]


def load_batch_network(weights: Path, device: str, precision: str = "") -> "BatchNetwork":
    """The detector with its weights on a device.

    Args:
        weights: file of them.
        device: "cpu" or "cuda:N".
        precision: "fp32"; or "fp16", on CUDA alone, which is also what "" means there.
    """
    graph = DetectorGraph(build_detector()).eval()
    graph.load_state_dict(load_file(weights))
    graph = graph.to(device=device, dtype=torch.float32)
    half = device.startswith("cuda") and precision != "fp32"

    def run(pixels: NDArray[np.uint8]) -> "Sequence[Outputs]":
        planes = torch.from_numpy(pixels).to(device).permute(0, 3, 1, 2).float()
        # RoI pooling and box arithmetic want full precision, convolutions do not.
        with torch.inference_mode(), torch.autocast("cuda", torch.float16, enabled=half):
            found = graph.find_all(planes)
        return [(_array(boxes), _array(scores), _array(masks)) for boxes, scores, masks in found]

    return run


def _array(part: torch.Tensor) -> NDArray[np.float32]:
    return np.asarray(part.float().cpu().numpy(), dtype=np.float32)
