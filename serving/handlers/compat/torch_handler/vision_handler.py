"""VisionHandler: pictures to a batch of tensors."""

import base64
import io
from abc import ABC
from typing import Any

import torch
from PIL import Image

from serving.handlers.compat.handler_utils.timer import timed
from serving.handlers.compat.torch_handler.base_handler import BaseHandler

__all__ = ("VisionHandler",)


class VisionHandler(BaseHandler, ABC):
    """Takes pictures as bytes, as base64 text, or as lists of numbers.

    `image_processing`, of the class that derives from it, makes a tensor of a PIL image.
    """

    image_processing: Any

    def initialize(self, context: Any) -> None:
        """Load the model, and what explains it where Captum is installed."""
        super().initialize(context)
        self.ig = integrated_gradients(self.model)
        if not context.system_properties.get("limit_max_image_pixels"):
            Image.MAX_IMAGE_PIXELS = None

    @timed
    def preprocess(self, data: Any) -> Any:
        """Make one tensor of all pictures; they must come out of equal shapes."""
        return torch.stack([self._picture(row) for row in data]).to(self.device)

    def get_insights(self, tensor_data: Any, _raw_data: Any, target: Any = 0) -> Any:
        """Say how much each value of each input speaks for a class, by integrated gradients.

        Raises:
            RuntimeError: when Captum is not installed.
        """
        if self.ig is None:
            msg = "explanations need Captum: install the extra `explain`"
            raise RuntimeError(msg)
        return self.ig.attribute(tensor_data, target=target, n_steps=15).tolist()

    def _picture(self, row: Any) -> Any:
        image = row.get("data") or row.get("body")
        if isinstance(image, str):
            image = base64.b64decode(image)
        if isinstance(image, bytes | bytearray):
            return self.image_processing(Image.open(io.BytesIO(image)))
        return torch.FloatTensor(image)


def integrated_gradients(model: Any) -> Any:
    """Make what explains a model (Sundararajan et al., 2017); None without Captum."""
    try:
        from captum.attr import IntegratedGradients
    except ImportError:
        return None
    return IntegratedGradients(model)
