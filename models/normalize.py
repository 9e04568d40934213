"""The scaling of pixels that ImageNet's trunks were trained with."""

import torch
from torch import Tensor, nn

__all__ = ("Normalize",)


class Normalize(nn.Module):
    """Pixels 0..255 to zero mean and unit deviation per channel, with ImageNet's figures."""

    def __init__(self) -> None:
        super().__init__()
        mean = torch.tensor([0.485, 0.456, 0.406]).view(1, 3, 1, 1) * 255
        deviation = torch.tensor([0.229, 0.224, 0.225]).view(1, 3, 1, 1) * 255
        self.register_buffer("mean", mean, persistent=False)
        self.register_buffer("deviation", deviation, persistent=False)
        self.mean: Tensor
        self.deviation: Tensor

    def forward(self, pixels: Tensor) -> Tensor:
        """Scale pixels (B, 3, H, W) float, 0..255, RGB."""
        return (pixels - self.mean) / self.deviation
