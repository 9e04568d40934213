"""Warm start: the weights that ship, back in networks that can be trained on.

The detector ships as it trains. The pose network ships with its batch normalisation folded into the
convolutions; here every normalisation is put back with the mean and variance that its input has on
a batch of crops, and with the scale and shift that leave the network's function as it was.
"""

from pathlib import Path

import torch
from safetensors.torch import load_file
from torch import Tensor, nn
from torchvision.models.detection import MaskRCNN

from models.drawn_humanoid_detector.graph import DetectorGraph
from models.training.checkpoint import Progress
from models.training.lineage import read_lineage

__all__ = ("fill_detector", "fill_pose", "shipped_progress", "unfold_batch_norms")

_MODELS = Path(__file__).parents[1]
DETECTOR = _MODELS / "drawn_humanoid_detector"
POSE = _MODELS / "drawn_humanoid_pose_estimator"
_WEIGHTS = "weights.safetensors"


def fill_detector(detector: MaskRCNN, folder: Path = DETECTOR) -> None:
    """Give a detector the weights in a model's folder."""
    DetectorGraph(detector).load_state_dict(_read(folder))


def fill_pose(network: nn.Module, pixels: Tensor, folder: Path = POSE) -> None:
    """Give a pose network the weights in a model's folder.

    network: with fresh random weights.
    pixels: (B, 3, S, S) float, 0..255, crops as the training sees them.
    """
    unfold_batch_norms(network, _read(folder), pixels)


def shipped_progress(folder: Path) -> Progress:
    """How far the weights in a model's folder have come, as its lineage says."""
    lineage = read_lineage(folder)
    if lineage is None:
        return Progress()
    return Progress(
        pictures=lineage.pictures,
        seconds=lineage.minutes * 60,
        next_seed=lineage.seeds[1],
        slices=list(lineage.slices),
    )


def unfold_batch_norms(network: nn.Module, folded: dict[str, Tensor], pixels: Tensor) -> None:
    """Fill a network from the weights of the same one after `fold_batch_norms`.

    Convolutions keep the length of the weights they come with, channel by channel: under a
    normalisation only the direction counts, and the length sets how fast training turns it.

    network: with fresh random weights; is left in evaluation mode.
    folded: float32, by name.
    pixels: what the means and variances are taken of.
    """
    lengths = {name: _lengths(conv) for name, conv, _ in _pairs(network)}
    network.load_state_dict(folded, strict=False)  # parts that no version shipped yet stay fresh
    hooks = []
    for name, conv, norm in _pairs(network):
        weight = folded[f"{name}.weight"]
        grow = lengths[name] / weight.flatten(1).norm(dim=1).clamp(min=1e-6)
        with torch.no_grad():
            conv.weight.copy_(weight * grow.view(-1, 1, 1, 1))
        hooks.append(norm.register_forward_pre_hook(_Settle(grow, folded[f"{name}.bias"])))
    with torch.no_grad():
        network.eval()(pixels)
    for hook in hooks:
        hook.remove()


class _Settle:
    """Before a normalisation first runs: set it so that it gives back what the folded one gave."""

    def __init__(self, grow: Tensor, bias: Tensor) -> None:
        self._grow, self._bias = grow, bias

    def __call__(self, norm: nn.Module, inputs: tuple[Tensor]) -> None:
        assert isinstance(norm, nn.BatchNorm2d)
        assert norm.running_mean is not None
        assert norm.running_var is not None
        variance, mean = torch.var_mean(inputs[0], dim=(0, 2, 3), correction=0)
        norm.running_mean.copy_(mean)
        norm.running_var.copy_(variance)
        norm.weight.copy_(torch.sqrt(variance + norm.eps) / self._grow)
        norm.bias.copy_(self._bias + mean / self._grow)


def _pairs(network: nn.Module) -> list[tuple[str, nn.Conv2d, nn.BatchNorm2d]]:
    """Every convolution that a normalisation follows, with its name."""
    found = []
    for name, chain in network.named_modules():
        if not isinstance(chain, nn.Sequential):
            continue
        for place in range(len(chain) - 1):
            conv, norm = chain[place], chain[place + 1]
            if isinstance(conv, nn.Conv2d) and isinstance(norm, nn.BatchNorm2d):
                found.append((f"{name}.{place}", conv, norm))
    return found


def _lengths(conv: nn.Conv2d) -> Tensor:
    lengths: Tensor = conv.weight.detach().flatten(1).norm(dim=1)
    return lengths


def _read(folder: Path) -> dict[str, Tensor]:
    return {name: value.float() for name, value in load_file(folder / _WEIGHTS).items()}
