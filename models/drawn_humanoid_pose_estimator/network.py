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
_TRUST = 4.0  # until then every crop is taken for a figure's
_TAPS = (3, 6, 13, 17)  # last blocks of MobileNetV2 at strides 4, 8, 16, 32
_CHANNELS = (24, 32, 96, 320)
_WIDTH = 96
_POOLED = 2 * (_CHANNELS[-1] + _CHANNELS[-2] + _WIDTH) + _WIDTH
_FROZEN = 4  # blocks that keep ImageNet's edges and strokes: a quarter of a training step goes


class PoseNetwork(nn.Module):
    """Heatmaps, presence and silhouette of the one figure in a crop, and whether there is one."""

    def __init__(self) -> None:
        super().__init__()
        self.normalize = Normalize()
        self.trunk = mobilenet_v2(weights=None).features[:18]
        self.lateral = nn.ModuleList(nn.Conv2d(c, _WIDTH, 1) for c in _CHANNELS)
        self.smooth = nn.ModuleList(_smooth(_WIDTH) for _ in _CHANNELS[:-1])
        self.heatmap = nn.Conv2d(_WIDTH, KEYPOINT_COUNT, 1)
        self.mask = nn.Conv2d(_WIDTH, 1, 1)
        self.presence = nn.Linear(_CHANNELS[-1], KEYPOINT_COUNT)
        self.figure = nn.Linear(_POOLED, 1)  # fitted apart, when all else is as it ships
        nn.init.zeros_(self.figure.weight)
        nn.init.constant_(self.figure.bias, _TRUST)

    def train(self, mode: bool = True) -> "PoseNetwork":
        """Set training mode; the first blocks stay as they are."""
        super().train(mode)
        self.trunk[:_FROZEN].eval().requires_grad_(False)
        return self

    def forward(self, pixels: Tensor) -> tuple[Tensor, Tensor, Tensor, Tensor]:
        """Look at crops.

        Args:
            pixels: (B, 3, 192, 192) float, 0..255, RGB.

        Returns:
            Heatmap logits (B, 17, 48, 48), presence logits (B, 17), mask logits (B, 48, 48), and
            logits that there is a figure (B,), all float.
        """
        taps, top, mask = self._look(pixels)
        presence = self.presence(taps[3].mean(dim=(2, 3)))
        figure = self.figure(_pool(taps, top, mask))
        return self.heatmap(top), presence, mask[:, 0], figure[:, 0]

    def pooled(self, pixels: Tensor) -> Tensor:
        """What the layers say of crops (B, 3, 192, 192) on the whole, (B, F); `figure` sees it."""
        return _pool(*self._look(pixels))

    def _look(self, pixels: Tensor) -> tuple[list[Tensor], Tensor, Tensor]:
        """The trunk's taps, the top of the pyramid, and mask logits (B, 1, 48, 48)."""
        taps = self._taps(self.normalize(pixels))
        top = self.lateral[3](taps[3])
        for level in (2, 1, 0):
            up = functional.interpolate(top, scale_factor=2.0, mode="nearest")
            top = self.smooth[level](self.lateral[level](taps[level]) + up)
        return taps, top, self.mask(top)

    def _taps(self, x: Tensor) -> list[Tensor]:
        taps = []
        for place, block in enumerate(self.trunk):
            x = block(x)
            if place in _TAPS:
                taps.append(x)
        return taps


def _pool(taps: list[Tensor], top: Tensor, mask: Tensor) -> Tensor:
    """Means and maxima of the last layers, and the mean of the top over the silhouette."""
    parts = [pooled for layer in (taps[3], taps[2], top) for pooled in _summarise(layer)]
    inside = torch.sigmoid(mask)
    figure = (top * inside).mean(dim=(2, 3)) / (inside.mean(dim=(2, 3)) + 1e-6)
    return torch.cat([*parts, figure], dim=1)


def _summarise(layer: Tensor) -> tuple[Tensor, Tensor]:
    return layer.mean(dim=(2, 3)), layer.amax(dim=(2, 3))


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
