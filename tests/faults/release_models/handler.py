"""A model whose versions misbehave as `behaviour.json` beside it says, each in its own way."""

import json
import random
import time
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np

from serving.handlers.handler import HandlerContext, Tensors


class Temper:
    """Takes {"x": number}; answers twice that, and measures a score of its own."""

    def load(self, context: HandlerContext) -> None:
        said = json.loads((Path(context.model_dir) / "behaviour.json").read_text())
        self._seconds: float = said["seconds"]
        self._failing: float = said["failing"]
        self._score: float = said["score"]
        self._random = random.Random(context.model_version)

    def decode(self, body: bytes) -> Tensors:
        return {"x": np.array(json.loads(body)["x"], np.float32)}

    def infer(self, batch: Sequence[Tensors]) -> Sequence[Tensors]:
        time.sleep(self._seconds)
        if self._random.random() < self._failing and batch[0]["x"] != 0:
            raise ArithmeticError("told to")
        return [{"y": item["x"] * 2} for item in batch]

    def encode(self, outputs: Tensors) -> object:
        return {"y": float(outputs["y"])}

    def measure(self, item: Tensors, outputs: Tensors) -> Mapping[str, float]:
        return {"score": self._random.gauss(self._score, 0.1)}
