"""The two trainings: which network, which data, which loss."""

import itertools
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, Protocol

import torch
from torch import Tensor, nn
from torch.optim import AdamW, Optimizer
from torchvision.models.detection.transform import GeneralizedRCNNTransform

from models.drawn_humanoid_detector.network import build_detector, build_trunk
from models.drawn_humanoid_pose_estimator.network import build_pose_network
from models.folding import fold_batch_norms
from models.training.checkpoint import Progress
from models.training.data import DetectorBatch, PoseBatch, detector_batches, pose_batches
from models.training.losses import pose_loss
from models.training.mixing import Draw
from models.training.synthesis import synthesize
from models.training.trunk import load_trunk
from models.training.warm import DETECTOR, POSE, fill_detector, fill_pose, shipped_progress

__all__ = ("RECIPES", "Recipe", "Start", "recipe_with")

Start = Literal["shipped", "imagenet"]
"""What a training without a checkpoint starts from: the weights that ship, or ImageNet's trunk."""

_CALIBRATION = 6  # batches of crops that the pose network's normalisation is set on

_FROZEN = 4  # blocks of the detector's trunk that keep ImageNet's edges and strokes
_SIDES = (256, 320, 224)  # pixels the detector sees in turn: several scales, for less than one


class Recipe(Protocol):
    """One training: builds its network and turns batches into losses."""

    @property
    def name(self) -> str:
        """Of the checkpoint and the log."""
        ...

    @property
    def batch_size(self) -> int:
        """Pictures a step, > 0."""
        ...

    def build(self) -> nn.Module:
        """The network with random weights, laid out for training."""
        ...

    def fill(self, network: nn.Module, start: Start, cache: Path) -> Progress:
        """Give it its first weights; says how far these have come.

        `cache` keeps the downloaded file of ImageNet's trunk.
        """
        ...

    def optimizer(self, network: nn.Module) -> Optimizer:
        """The optimizer with a base learning rate per group, in `initial_lr`."""
        ...

    def losses(
        self, network: nn.Module, first_seed: int, workers: int, device: torch.device
    ) -> Iterator[dict[str, Tensor]]:
        """Loss terms of one batch after another, without end."""
        ...


@dataclass(frozen=True, slots=True)
class PoseRecipe:
    """Keypoints and silhouette on crops."""

    name: str = "pose"
    batch_size: int = 16
    draw: Draw = synthesize

    def build(self) -> nn.Module:
        """The pose network."""
        return build_pose_network()

    def fill(self, network: nn.Module, start: Start, cache: Path) -> Progress:
        """From the weights that ship, or with ImageNet's trunk."""
        if start == "imagenet":
            network.get_submodule("trunk").load_state_dict(_trunk_blocks(cache))
            return Progress()
        progress = shipped_progress(POSE)
        batches = pose_batches(progress.next_seed, self.batch_size, 0, self.draw)
        crops = torch.cat([images for images, _, _ in itertools.islice(batches, _CALIBRATION)])
        fill_pose(network, crops.float().to(memory_format=torch.channels_last))
        return progress

    def optimizer(self, network: nn.Module) -> Optimizer:
        """AdamW, the trunk slower than the rest."""
        return _adamw(network, "trunk.", trunk_rate=5e-4, rate=1.5e-3)

    def losses(
        self, network: nn.Module, first_seed: int, workers: int, device: torch.device
    ) -> Iterator[dict[str, Tensor]]:
        """Loss terms of crops."""
        batch: PoseBatch
        for batch in pose_batches(first_seed, self.batch_size, workers, self.draw):
            images, keypoints, masks = (part.to(device) for part in batch)
            pixels = images.float().to(memory_format=torch.channels_last)
            heatmaps, presence, mask, _ = network(pixels)
            yield pose_loss((heatmaps, presence, mask), keypoints, masks)


@dataclass(frozen=True, slots=True)
class DetectorRecipe:
    """Boxes and masks on whole pictures."""

    name: str = "detector"
    batch_size: int = 4
    draw: Draw = synthesize

    def build(self) -> nn.Module:
        """The detector, the first blocks of its trunk frozen."""
        network: nn.Module = build_detector()
        for block in list(network.get_submodule("backbone.body").children())[:_FROZEN]:
            block.requires_grad_(False)
        return network

    def fill(self, network: nn.Module, start: Start, cache: Path) -> Progress:
        """From the weights that ship, or with ImageNet's trunk."""
        if start == "shipped":
            fill_detector(network)
            return shipped_progress(DETECTOR)
        trunk = build_trunk()
        trunk.load_state_dict(_trunk_blocks(cache))
        folded = fold_batch_norms(trunk.eval()).state_dict()
        network.get_submodule("backbone.body").load_state_dict(folded)
        return Progress()

    def optimizer(self, network: nn.Module) -> Optimizer:
        """AdamW, the trunk slower than the rest."""
        return _adamw(network, "backbone.body.", trunk_rate=1e-4, rate=4e-4)

    def losses(
        self, network: nn.Module, first_seed: int, workers: int, device: torch.device
    ) -> Iterator[dict[str, Tensor]]:
        """Loss terms of whole pictures."""
        batch: DetectorBatch
        stream = detector_batches(first_seed, self.batch_size, workers, self.draw)
        for side, batch in zip(itertools.cycle(_SIDES), stream, strict=False):
            images = [image.to(device) for image in batch[0]]
            targets = [{k: v.to(device) for k, v in target.items()} for target in batch[1]]
            _see_at(network, side)
            with torch.autocast(device.type, torch.bfloat16, enabled=_has_fast_bfloat16(device)):
                terms: dict[str, Tensor] = network(images, targets)
            yield terms


RECIPES: dict[str, Recipe] = {"pose": PoseRecipe(), "detector": DetectorRecipe()}


def recipe_with(name: str, draw: Draw) -> Recipe:
    """The recipe of a name, over other drawings than the synthetic ones."""
    return PoseRecipe(draw=draw) if name == "pose" else DetectorRecipe(draw=draw)


def _see_at(network: nn.Module, side: int) -> None:
    """Let the detector scale its pictures to `side` pixels."""
    transform: GeneralizedRCNNTransform = network.get_submodule("transform")
    transform.min_size, transform.max_size = (side,), side


def _has_fast_bfloat16(device: torch.device) -> bool:
    """Without the right instructions bfloat16 is many times slower than float32."""
    if device.type == "cuda":
        return bool(torch.cuda.is_bf16_supported(including_emulation=False))
    return bool(torch.cpu._is_avx512_bf16_supported())


def _trunk_blocks(cache: Path) -> dict[str, Tensor]:
    """The trunk without its last 1 x 1 convolution, which the networks do not use."""
    return {k: v for k, v in load_trunk(cache).items() if int(k.split(".", 1)[0]) < 18}


def _adamw(network: nn.Module, trunk: str, *, trunk_rate: float, rate: float) -> Optimizer:
    named = [(n, p) for n, p in network.named_parameters()]
    groups = [
        {"params": [p for n, p in named if n.startswith(trunk)], "lr": trunk_rate},
        {"params": [p for n, p in named if not n.startswith(trunk)], "lr": rate},
    ]
    for group in groups:
        group["initial_lr"] = group["lr"]
    return AdamW(groups, weight_decay=0.02)
