"""The pose network: MobileNetV2 trunk, light feature pyramid, heatmaps at a quarter of the size.

The trunk is Sandler et al. 2018, the pyramid follows Lin et al. 2017 with depthwise smoothing.
"""

import torch
from torch import Tensor, nn
from torch.nn import functional
from torchvision.models import mobilenet_v2

from models.drawn_humanoid_pose_estimator import INPUT_SIDE
from models.normalize import Normalize

__all__ = ("HEATMAP_SIDE", "INPUT_SIDE", "KEYPOINT_COUNT", "PoseNetwork", "build_pose_network")

HEATMAP_SIDE = 48
KEYPOINT_COUNT = 17
_TURNS = 4
_TAPS = (3, 6, 13, 17)  # last blocks of MobileNetV2 at strides 4, 8, 16, 32
_CHANNELS = (24, 32, 96, 320)
_WIDTH = 96
_FROZEN = 4  # blocks that keep ImageNet's edges and strokes: a quarter of a training step goes


class PoseNetwork(nn.Module):
    """Heatmaps, presence, silhouette and way up of the one figure in a crop, if there is one."""

    def __init__(self) -> None:
        super().__init__()
        self.normalize = Normalize()
        self.trunk = mobilenet_v2(weights=None).features[:18]
        self.lateral = nn.ModuleList(nn.Conv2d(c, _WIDTH, 1) for c in _CHANNELS)
        self.smooth = nn.ModuleList(_smooth(_WIDTH) for _ in _CHANNELS[:-1])
        self.heatmap = nn.Conv2d(_WIDTH, KEYPOINT_COUNT, 1)
        self.mask = nn.Conv2d(_WIDTH, 1, 1)
        self.presence = nn.Linear(_CHANNELS[-1], KEYPOINT_COUNT)
        self.turn = nn.Linear(_CHANNELS[-1], _TURNS)
        self.figure = nn.Linear(_CHANNELS[-1], 1)

    def train(self, mode: bool = True) -> "PoseNetwork":
        """Set training mode; the first blocks stay as they are."""
        super().train(mode)
        self.trunk[:_FROZEN].eval().requires_grad_(False)
        return self

    def forward(self, pixels: Tensor) -> tuple[Tensor, Tensor, Tensor, Tensor, Tensor]:
        """Look at crops.

        Args:
            pixels: (B, 3, 192, 192) float, 0..255, RGB.

        Returns:
            Heatmap logits (B, 17, 48, 48), presence logits (B, 17), mask logits (B, 48, 48),
            logits (B, 4) of the quarter turns, clockwise, that set the crop upright, and logits
            (B,) that the crop holds a figure at all; all float.
        """
        taps = self._taps(self.normalize(pixels))
        top = self.lateral[3](taps[3])
        for level in (2, 1, 0):
            up = functional.interpolate(top, scale_factor=2.0, mode="nearest")
            top = self.smooth[level](self.lateral[level](taps[level]) + up)
        whole = taps[3].mean(dim=(2, 3))
        turn, figure = self.turn(whole), self.figure(whole)[:, 0]
        return self.heatmap(top), self.presence(whole), self.mask(top)[:, 0], turn, figure

    def _taps(self, x: Tensor) -> list[Tensor]:
        taps = []
        for place, block in enumerate(self.trunk):
            x = block(x)
            if place in _TAPS:
                taps.append(x)
        return taps


def _smooth(width: int) -> nn.Module:
    return nn.Sequential(
        nn.Conv2d(width, width, 5, padding=2, groups=width, bias=False),
        nn.BatchNorm2d(width),
        nn.Conv2d(width, width, 1, bias=False),
        nn.BatchNorm2d(width),
        nn.ReLU(inplace=True),
    )


def build_pose_network() -> PoseNetwork:
    """A network with random weights, laid out for the CPU's fast convolutions."""
    return PoseNetwork().to(memory_format=torch.channels_last)
