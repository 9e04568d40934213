"""Sleeps as long as it is told and counts its naps; not a number: raises."""

import time
from collections.abc import Sequence

import numpy as np

from serving.handlers.handler import HandlerContext, Tensors


class Nap:
    def load(self, context: HandlerContext) -> None:
        self._naps = 0

    def decode(self, body: bytes) -> Tensors:
        return {"seconds": np.array([float(body)], np.float32)}

    def infer(self, batch: Sequence[Tensors]) -> Sequence[Tensors]:
        seconds = float(batch[0]["seconds"][0])
        if np.isnan(seconds):
            msg = "not a number"
            raise ArithmeticError(msg)
        self._naps += seconds > 0
        time.sleep(seconds)
        return [{"naps": np.array([self._naps], np.int64)} for _ in batch]

    def encode(self, outputs: Tensors) -> object:
        return int(outputs["naps"][0])
