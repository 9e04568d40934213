"""The detector without torchvision's resizing and pasting: the part that ships."""

import torch
from torch import Tensor, nn
from torchvision.models.detection import MaskRCNN
from torchvision.models.detection.image_list import ImageList

from models.drawn_humanoid_detector.network import INPUT_SIDE
from models.normalize import Normalize

__all__ = ("DetectorGraph",)


class DetectorGraph(nn.Module):
    """One letterboxed picture in, boxes, scores and 28 x 28 masks out."""

    def __init__(self, detector: MaskRCNN) -> None:
        super().__init__()
        self.normalize = Normalize()
        self.backbone = detector.backbone
        self.rpn = detector.rpn
        self.roi_heads = detector.roi_heads

    def forward(self, pixels: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        """Find figures.

        Args:
            pixels: (1, 3, 320, 320) float, 0..255, RGB.

        Returns:
            Boxes (N, 4) xyxy in pixels, scores (N,), masks (N, 28, 28) probability over the box.
        """
        return self.find_all(pixels)[0]

    def find_all(self, pixels: Tensor) -> list[tuple[Tensor, Tensor, Tensor]]:
        """Find the figures of several pictures in one call.

        Args:
            pixels: (B, 3, 320, 320) float, 0..255, RGB.

        Returns:
            For each picture what `forward` returns.
        """
        images = self.normalize(pixels)
        sizes = [(INPUT_SIDE, INPUT_SIDE)] * pixels.shape[0]
        features = self.backbone(images)
        proposals, _ = self.rpn(ImageList(images, sizes), features)
        detections, _ = self.roi_heads(features, proposals, sizes)
        return [(d["boxes"], d["scores"], torch.squeeze(d["masks"], 1)) for d in detections]
