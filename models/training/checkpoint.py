"""Checkpoints: all that a training run needs to go on after it was stopped."""

from dataclasses import dataclass, field
from pathlib import Path

import msgspec
import torch
from torch import Tensor, nn
from torch.optim import Optimizer

from models.training.lineage import SliceRecord

__all__ = (
    "FIRST_SEED",
    "Progress",
    "average_weights",
    "load_checkpoint",
    "progress_from_state",
    "save_checkpoint",
)

FIRST_SEED = 1_000_000
"""Drawings with smaller seeds are never trained on."""


@dataclass(slots=True)
class Progress:
    """How far a run has come.

    Attributes:
        step: optimizer steps done.
        pictures: examples seen.
        seconds: time spent training, over all slices.
        next_seed: first seed of the next slice's drawings.
        slices: what each slice saw, oldest first; checkpoints of old have none.
    """

    step: int = 0
    pictures: int = 0
    seconds: float = 0.0
    next_seed: int = FIRST_SEED
    slices: list[SliceRecord] = field(default_factory=list)


def save_checkpoint(
    file: Path,
    network: nn.Module,
    average: dict[str, Tensor],
    optimizer: Optimizer,
    progress: Progress,
) -> None:
    """Write a checkpoint in one piece or not at all."""
    file.parent.mkdir(parents=True, exist_ok=True)
    part = file.with_suffix(".part")
    state = {
        "network": network.state_dict(),
        "average": average,
        "optimizer": optimizer.state_dict(),
        "progress": msgspec.to_builtins(progress),
    }
    torch.save(state, part)
    part.replace(file)


def load_checkpoint(
    file: Path, network: nn.Module, optimizer: Optimizer, device: torch.device
) -> tuple[dict[str, Tensor], Progress]:
    """Fill network and optimizer from a checkpoint; returns averaged weights and progress."""
    state = torch.load(file, map_location=device, weights_only=True)
    network.load_state_dict(state["network"])
    optimizer.load_state_dict(state["optimizer"])
    return dict(state["average"]), progress_from_state(state["progress"])


def progress_from_state(state: object) -> Progress:
    """The progress in a checkpoint's state."""
    return msgspec.convert(state, Progress)


def average_weights(average: dict[str, Tensor], network: nn.Module, step: int) -> None:
    """Move the running average towards the weights, slowly once it has seen enough steps."""
    decay = min(0.999, (1 + step) / (10 + step))
    with torch.no_grad():
        for name, value in network.state_dict().items():
            if value.dtype.is_floating_point:
                average[name].lerp_(value, 1 - decay)
            else:
                average[name].copy_(value)
