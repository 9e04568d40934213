"""KServev2Envelope: version 2 of KServe's protocol, for handlers that know nothing of it."""

from typing import Any

import numpy as np

from serving.handlers.compat.torch_handler.request_envelope.base import BaseEnvelope
from serving.handlers.compat.torch_handler.request_envelope.rows import body_of, join, part
from serving.protocol.tensors import DATATYPES

__all__ = ("KServev2Envelope",)

_NAMES = {np.dtype(kind): name for name, kind in DATATYPES.items() if name != "BYTES"}


class KServev2Envelope(BaseEnvelope):
    """Each tensor is an input of its own, and its result an output of its name.

    All requests of a batch are taken, not only the first.
    """

    def __init__(self, handle_fn: Any) -> None:
        super().__init__(handle_fn)
        self._bodies: list[Any] = []
        self._counts: list[int] = []

    def parse_input(self, data: Any) -> Any:
        """Take the tensors of all requests, their data as nested lists."""
        self._bodies = [body_of(row) for row in data]
        inputs, self._counts = join([body["inputs"] for body in self._bodies])
        return [{**tensor, "data": _nested(tensor)} for tensor in inputs]

    def format_output(self, data: Any) -> Any:
        """Make a reply for each request of its tensors' results."""
        return [
            self._reply(index, results) for index, results in enumerate(part(data, self._counts))
        ]

    def _reply(self, index: int, results: Any) -> dict[str, Any]:
        body = self._bodies[index]
        model = self.context.manifest["model"]
        names = [tensor["name"] for tensor in body["inputs"]]
        # A result too many has no name; one too few is a handler's own affair.
        is_strict = len(results) > len(names)
        return {
            "id": (body.get("id") or "").strip() or self.context.get_request_id(index),
            "model_name": model.get("modelName"),
            "model_version": model.get("modelVersion"),
            "outputs": [
                _output(name, result) for name, result in zip(names, results, strict=is_strict)
            ],
        }


def _nested(tensor: Any) -> Any:
    if tensor["datatype"] == "BYTES":
        return tensor["data"][0]
    return np.array(tensor["data"]).reshape(tensor["shape"]).tolist()


def _output(name: str, result: Any) -> dict[str, Any]:
    values = np.array(result).ravel()
    return {
        "name": name,
        "datatype": _NAMES.get(values.dtype, "BYTES"),
        "data": values.tolist(),
        "shape": list(values.shape),
    }
