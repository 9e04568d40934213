"""The compared models as handlers of this server."""

from collections.abc import Sequence

import numpy as np
from common import load  # type: ignore[import-not-found]

from serving.handlers.handler import HandlerContext, Tensors


class Compared:
    """Answers with what the model says of a body's bytes."""

    def load(self, context: HandlerContext) -> None:
        """Load the model that the environment names."""
        self._predict = load()

    def decode(self, body: bytes) -> Tensors:
        """Hand the bytes on as they are."""
        return {"image": np.frombuffer(body, dtype=np.uint8)}

    def infer(self, batch: Sequence[Tensors]) -> Sequence[Tensors]:
        """Run the model on a batch."""
        answers = self._predict([item["image"].tobytes() for item in batch])
        return [{name: np.asarray(value) for name, value in a.items()} for a in answers]

    def encode(self, outputs: Tensors) -> object:
        """Answer with plain numbers."""
        return {name: value.item() for name, value in outputs.items()}
