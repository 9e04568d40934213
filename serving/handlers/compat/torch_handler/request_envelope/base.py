"""BaseEnvelope: unwraps requests before a handler and wraps its results after it."""

from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import Any

__all__ = ("BaseEnvelope",)


class BaseEnvelope(ABC):
    """Stands before a handler.

    Args:
        handle_fn: the handler's entry point.
    """

    def __init__(self, handle_fn: Callable[[Any, Any], Any]) -> None:
        self._handle_fn = handle_fn
        self.context: Any = None

    def handle(self, data: Any, context: Any) -> Any:
        """Answer a batch."""
        self.context = context
        if data:
            data = self.parse_input(data)
        results = self._handle_fn(data, context)
        return self.format_output(results) if results else results

    @abstractmethod
    def parse_input(self, data: Any) -> Any:
        """Take the inputs out of the requests."""

    @abstractmethod
    def format_output(self, data: Any) -> Any:
        """Make a reply for each request."""

    def _is_explain(self) -> bool:
        return bool(self.context) and self.context.get_request_header(0, "explain") == "True"
