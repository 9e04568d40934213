"""BodyEnvelope: the handler gets the bodies and nothing around them."""

from typing import Any

from serving.handlers.compat.torch_handler.request_envelope.base import BaseEnvelope

__all__ = ("BodyEnvelope",)


class BodyEnvelope(BaseEnvelope):
    """Takes field `data` or `body` of each request."""

    def parse_input(self, data: Any) -> Any:
        """Take the bodies."""
        return [row.get("data") or row.get("body") for row in data]

    def format_output(self, data: Any) -> Any:
        """Leave the results as they are."""
        return data
