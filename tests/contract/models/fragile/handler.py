"""Sleeps as long as it is told, and breaks in the ways that models break."""

import os
import time
from collections.abc import Sequence

import numpy as np

from serving.handlers.handler import HandlerContext, Tensors


class Fragile:
    """Told a number of seconds: sleeps; NaN: raises; -1: runs out of memory; -2: dies."""

    def load(self, context: HandlerContext) -> None:
        self._context = context

    def decode(self, body: bytes) -> Tensors:
        return {"seconds": np.array([float(body)], dtype=np.float32)}

    def infer(self, batch: Sequence[Tensors]) -> Sequence[Tensors]:
        for item in batch:
            seconds = float(item["seconds"][0])
            if np.isnan(seconds):
                raise ArithmeticError("not a number")
            if seconds == -1:
                raise MemoryError
            if seconds == -2:
                os._exit(3)
            time.sleep(seconds)
        return [{"pid": np.array(os.getpid(), dtype=np.int64)} for _ in batch]

    def encode(self, outputs: Tensors) -> object:
        return {"pid": int(outputs["pid"])}
