"""KServeEnvelope: version 1 of KServe's protocol."""

from typing import Any

from serving.handlers.compat.torch_handler.request_envelope.base import BaseEnvelope
from serving.handlers.compat.torch_handler.request_envelope.rows import body_of, join, part

__all__ = ("KServeEnvelope",)


class KServeEnvelope(BaseEnvelope):
    """`{"instances": [...]}` in, `{"predictions": [...]}` or `{"explanations": [...]}` out.

    All requests of a batch are taken, not only the first.
    """

    def __init__(self, handle_fn: Any) -> None:
        super().__init__(handle_fn)
        self._counts: list[int] = []

    def parse_input(self, data: Any) -> Any:
        """Take the instances of all requests."""
        inputs, self._counts = join([body_of(row)["instances"] for row in data])
        return inputs

    def format_output(self, data: Any) -> Any:
        """Make a reply for each request of its instances' results."""
        key = "explanations" if self._is_explain() else "predictions"
        return [{key: results} for results in part(data, self._counts)]
