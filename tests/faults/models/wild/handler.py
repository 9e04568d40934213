"""Answers with what it was sent, and fails in the ways that it is told to."""

import json
import os
import time
from collections.abc import Sequence

import numpy as np

from serving.handlers.handler import HandlerContext, Tensors


class Wild:
    """Takes {"do": word, "tag": text, "size": n}; answers the tag, the process, and a count."""

    def load(self, context: HandlerContext) -> None:
        self._computed = 0

    def decode(self, body: bytes) -> Tensors:
        asked = json.loads(body)
        size = asked.get("size", 1)
        return {
            "do": np.array([asked.get("do", "")], dtype=object),
            "tag": np.array([asked["tag"]] * size, dtype=object),
        }

    def infer(self, batch: Sequence[Tensors]) -> Sequence[Tensors]:
        for item in batch:
            self._computed += 1
            self._do(item["do"][0])
        if any(item["do"][0] == "shorten" for item in batch):
            return []
        count = np.array(self._computed)
        return [{"tag": item["tag"], "count": count} for item in batch]

    def encode(self, outputs: Tensors) -> object:
        tags = [str(tag) for tag in outputs["tag"]]
        return {"tags": tags, "pid": os.getpid(), "count": int(outputs["count"])}

    def _do(self, word: str) -> None:
        if word.startswith("sleep"):
            time.sleep(float(word.split()[1]))
        elif word == "raise":
            raise ArithmeticError("told to")
        elif word == "die":
            os._exit(3)
        elif word == "no memory":
            raise MemoryError
        elif word == "grow":
            self._hoard = bytearray(1 << 30)
            time.sleep(30)
