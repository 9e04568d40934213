"""Gives back scores."""

from collections.abc import Sequence

from serving.handlers.handler import HandlerContext, Tensors


class Scores:
    def load(self, context: HandlerContext) -> None:
        pass

    def decode(self, body: bytes) -> Tensors:
        raise NotImplementedError

    def infer(self, batch: Sequence[Tensors]) -> Sequence[Tensors]:
        return [{"scores": item["x"]} for item in batch]

    def encode(self, outputs: Tensors) -> object:
        raise NotImplementedError
