"""The top-down pose network of Xiao et al. 2018: ResNet, three deconvolutions, heatmaps."""

import torch
from torch import Tensor, nn

from models.importers.resnet import EXPANSION, ResNet
from models.importers.shapes import TopDownShape

__all__ = ("TopDownNetwork",)


class TopDownNetwork(nn.Module):
    """One heatmap per keypoint, at a quarter of the input's size with three deconvolutions."""

    def __init__(self, shape: TopDownShape, *, stride_in_1x1: bool) -> None:
        super().__init__()
        self.trunk = ResNet(shape.width, shape.blocks, stride_in_1x1)
        channels = shape.width * 8 * EXPANSION
        self.deconvolutions = nn.ModuleList()
        for wide in shape.deconvolutions:
            self.deconvolutions.append(nn.ConvTranspose2d(channels, wide, 4, stride=2, padding=1))
            channels = wide
        self.final = nn.Conv2d(channels, shape.keypoints, 1)

    def forward(self, images: Tensor) -> Tensor:
        """Heatmaps (B, K, h, w) of normalised images (B, 3, H, W) float."""
        x = self.trunk(images)[-1]
        for deconvolution in self.deconvolutions:
            x = torch.relu(deconvolution(x))
        heatmaps: Tensor = self.final(x)
        return heatmaps
