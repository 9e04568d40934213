"""ResNet with bottlenecks (He et al. 2015), normalisation folded into its convolutions."""

from collections.abc import Sequence

import torch
from torch import Tensor, nn
from torch.nn import functional

__all__ = ("EXPANSION", "ResNet")

EXPANSION = 4  # a block's output channels per inner channel


class ResNet(nn.Module):
    """Maps at strides 4, 8, 16 and 32.

    Args:
        width: channels of the stem; 64 in the paper.
        blocks: of each stage; (3, 4, 6, 3) is ResNet-50.
        stride_in_1x1: whether a stage halves its maps in a 1x1 convolution, as in the paper; else
            in the 3x3 beside it, as most implementations do since.
    """

    def __init__(self, width: int, blocks: Sequence[int], stride_in_1x1: bool) -> None:
        super().__init__()
        self.stem = nn.Conv2d(3, width, 7, stride=2, padding=3)
        self.stages = nn.ModuleList()
        channels = width
        for level, count in enumerate(blocks):
            inner = width * 2**level
            stage = nn.Sequential()
            for place in range(count):
                stride = 2 if place == 0 and level > 0 else 1
                stage.append(_Bottleneck(channels, inner, stride, stride_in_1x1))
                channels = inner * EXPANSION
            self.stages.append(stage)

    def forward(self, images: Tensor) -> list[Tensor]:
        """Maps of images (B, 3, H, W) float, finest first."""
        x = functional.max_pool2d(torch.relu(self.stem(images)), 3, stride=2, padding=1)
        maps = []
        for stage in self.stages:
            x = stage(x)
            maps.append(x)
        return maps


class _Bottleneck(nn.Module):
    def __init__(self, channels: int, inner: int, stride: int, stride_in_1x1: bool) -> None:
        super().__init__()
        first, second = (stride, 1) if stride_in_1x1 else (1, stride)
        outer = inner * EXPANSION
        self.conv1 = nn.Conv2d(channels, inner, 1, stride=first)
        self.conv2 = nn.Conv2d(inner, inner, 3, stride=second, padding=1)
        self.conv3 = nn.Conv2d(inner, outer, 1)
        changes = stride != 1 or channels != outer
        self.shortcut = nn.Conv2d(channels, outer, 1, stride=stride) if changes else nn.Identity()

    def forward(self, x: Tensor) -> Tensor:
        """One residual step."""
        inner = torch.relu(self.conv2(torch.relu(self.conv1(x))))
        return torch.relu(self.conv3(inner) + self.shortcut(x))
