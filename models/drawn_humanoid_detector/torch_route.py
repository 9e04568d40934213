"""The detector in torch, with the trunk in half precision on a GPU."""

from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import torch
from numpy.typing import NDArray
from safetensors.torch import load_file

from models.drawn_humanoid_detector.graph import DetectorGraph
from models.drawn_humanoid_detector.network import build_detector

if TYPE_CHECKING:
    from models.drawn_humanoid_detector.handler import Network, Outputs

__all__ = ("load_network",)


def load_network(weights: Path, device: str) -> "Network":
    """The detector with its weights on a device; autocast to float16 on CUDA."""
    graph = DetectorGraph(build_detector()).eval()
    graph.load_state_dict(load_file(weights))
    graph = graph.to(device=device, dtype=torch.float32)
    half = device.startswith("cuda")

    def run(pixels: NDArray[np.uint8]) -> "Outputs":
        planes = torch.from_numpy(pixels).to(device).permute(2, 0, 1)[None].float()
        # RoI pooling and box arithmetic want full precision, convolutions do not.
        with torch.inference_mode(), torch.autocast("cuda", torch.float16, enabled=half):
            boxes, scores, masks = (part.float().cpu().numpy() for part in graph(planes))
        return boxes, scores, masks

    return run
