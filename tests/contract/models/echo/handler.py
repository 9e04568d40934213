"""Gives back what it gets, and says how many came together."""

from collections.abc import Sequence

import numpy as np

from serving.handlers.handler import HandlerContext, Tensors


class Echo:
    def load(self, context: HandlerContext) -> None:
        self._context = context

    def decode(self, body: bytes) -> Tensors:
        if not body:
            msg = "the body is empty"
            raise ValueError(msg)
        return {"body": np.frombuffer(body, dtype=np.uint8)}

    def infer(self, batch: Sequence[Tensors]) -> Sequence[Tensors]:
        return list(batch)

    def encode(self, outputs: Tensors) -> object:
        return {"text": bytes(outputs["body"]).decode(), "length": len(outputs["body"])}
