"""ImageClassifier: the most probable classes of a picture."""

from typing import Any

import torch
from torchvision import transforms

from serving.handlers.compat.handler_utils.timer import timed
from serving.handlers.compat.torch_handler.vision_handler import VisionHandler
from serving.handlers.compat.utils.util import map_class_to_label

__all__ = ("ImageClassifier",)


class ImageClassifier(VisionHandler):
    """Answers the `topk` most probable classes with their probabilities."""

    topk = 5
    # As ImageNet's networks were trained.
    image_processing = transforms.Compose(
        [
            transforms.Resize(256),
            transforms.CenterCrop(224),
            transforms.ToTensor(),
            transforms.Normalize(mean=[0.485, 0.456, 0.406], std=[0.229, 0.224, 0.225]),
        ]
    )

    def set_max_result_classes(self, topk: int) -> None:
        """Say how many classes are answered."""
        self.topk = topk

    def get_max_result_classes(self) -> int:
        """Tell how many classes are answered."""
        return self.topk

    @timed
    def postprocess(self, data: Any) -> Any:
        """Make probabilities of the scores, and choose the highest."""
        values, classes = torch.topk(torch.softmax(data, dim=1), self.topk, dim=1)
        return map_class_to_label(values.tolist(), self.mapping, classes.tolist())
