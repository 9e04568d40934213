"""JSONEnvelope: `{"instances": [...]}` in, `{"predictions": [...]}` out, as TensorFlow's REST."""

import json
from base64 import b64decode
from typing import Any

from serving.handlers.compat.torch_handler.request_envelope.base import BaseEnvelope
from serving.handlers.compat.torch_handler.request_envelope.rows import body_of, join, part

__all__ = ("JSONEnvelope",)


class JSONEnvelope(BaseEnvelope):
    """Each instance is an input; `{"b64": text}` stands for bytes."""

    def __init__(self, handle_fn: Any) -> None:
        super().__init__(handle_fn)
        self._counts: list[int] = []

    def parse_input(self, data: Any) -> Any:
        """Take the instances of all requests."""
        rows = [body_of(row)["instances"] for row in data]
        inputs, self._counts = join(rows)
        return [_decoded(instance) for instance in inputs]

    def format_output(self, data: Any) -> Any:
        """Make a reply for each request of its instances' results."""
        return [json.dumps({"predictions": results}) for results in part(data, self._counts)]


def _decoded(instance: Any) -> Any:
    if not isinstance(instance, dict):
        return instance
    if list(instance) == ["b64"]:
        return b64decode(instance["b64"])
    return {key: _bytes_of(value) for key, value in instance.items()}


def _bytes_of(value: Any) -> Any:
    is_encoded = isinstance(value, dict) and list(value) == ["b64"]
    return b64decode(value["b64"]) if is_encoded else value
