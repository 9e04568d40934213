"""Adds the numbers of each row up, and says how many rows came together."""

from collections.abc import Sequence

import numpy as np

from serving.handlers.handler import HandlerContext, Tensors


class Totals:
    def load(self, context: HandlerContext) -> None:
        pass

    def decode(self, body: bytes) -> Tensors:
        raise NotImplementedError

    def infer(self, batch: Sequence[Tensors]) -> Sequence[Tensors]:
        size = np.array([len(batch)], np.int64)
        return [{"total": item["row"].sum(keepdims=True), "together": size} for item in batch]

    def encode(self, outputs: Tensors) -> object:
        raise NotImplementedError
