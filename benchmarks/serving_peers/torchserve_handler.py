"""The compared models as a handler of TorchServe."""

from typing import Any

from common import load  # type: ignore[import-not-found]


class Compared:
    """Answers with what the model says of a body's bytes."""

    def initialize(self, context: Any) -> None:
        """Load the model that the environment names."""
        self._predict = load()

    def handle(self, data: list[dict[str, Any]], context: Any) -> list[Any]:
        """Run the model on a batch."""
        answers: list[Any] = self._predict(
            [bytes(row.get("data") or row.get("body") or b"") for row in data]
        )
        return answers
