"""DenseNetHandler: tensors in, tensors out, as torch saves them."""

import io
from typing import Any

import torch

from serving.handlers.compat.torch_handler.base_handler import BaseHandler

__all__ = ("DenseNetHandler",)


class DenseNetHandler(BaseHandler):
    """Runs a model on tensors that clients saved with `torch.save`."""

    def preprocess(self, data: Any) -> Any:
        """Stack the clients' tensors; what is no tensor is refused."""
        saved = [row.get("data") or row.get("body") for row in data]
        return torch.stack([torch.load(io.BytesIO(one), weights_only=True) for one in saved])

    def postprocess(self, data: Any) -> Any:
        """Answer all outputs as one tensor."""
        return [data]
