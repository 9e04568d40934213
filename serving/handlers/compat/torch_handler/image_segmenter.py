"""ImageSegmenter: the most probable class of each pixel."""

from typing import Any

import torch

from serving.handlers.compat.torch_handler.image_classifier import ImageClassifier
from serving.handlers.compat.torch_handler.vision_handler import VisionHandler

__all__ = ("ImageSegmenter",)


class ImageSegmenter(VisionHandler):
    """Answers, for each pixel, the most probable class and its probability."""

    image_processing = ImageClassifier.image_processing

    def postprocess(self, data: Any) -> Any:
        """Choose a class for each pixel.

        Args:
            data: `out` of it is (N, classes, H, W) scores.

        Returns:
            (N, H, W, 2) in lists: class and probability.
        """
        best = torch.softmax(data["out"], dim=1).max(dim=1)
        return torch.stack([best.indices.to(best.values.dtype), best.values], dim=3).tolist()
