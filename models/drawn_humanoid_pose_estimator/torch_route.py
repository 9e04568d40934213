"""The pose network in torch, in half precision on a GPU."""

from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import torch
from numpy.typing import NDArray
from safetensors.torch import load_file

from models.drawn_humanoid_pose_estimator.network import build_pose_network
from models.folding import fold_batch_norms

if TYPE_CHECKING:
    from models.drawn_humanoid_pose_estimator.handler import Network, Outputs

__all__ = ("load_network",)


def load_network(weights: Path, device: str, precision: str = "") -> "Network":
    """The network with its weights on a device; on CUDA in float16 unless "fp32" is asked for."""
    half = device.startswith("cuda") and precision != "fp32"
    dtype = torch.float16 if half else torch.float32
    network = fold_batch_norms(build_pose_network().eval())
    network.load_state_dict(load_file(weights))
    network = network.to(device=device, dtype=dtype)

    def run(pixels: NDArray[np.uint8]) -> "Outputs":
        with torch.inference_mode():
            batch = torch.from_numpy(pixels).to(device).permute(0, 3, 1, 2).to(dtype)
            return tuple(part.float().cpu().numpy() for part in network(batch))

    return run
