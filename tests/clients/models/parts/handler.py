"""Reads requests itself: answers in three parts, the last of which tells what was asked."""

import json
from collections.abc import Callable, Sequence

from serving.errors import ServingError
from serving.handlers.handler import HandlerContext
from serving.protocol.exchange import RawReply, RawRequest


class Parts:
    def load(self, context: HandlerContext) -> None:
        pass

    def answer(
        self, requests: Sequence[RawRequest], send: Callable[[int, bytes], None]
    ) -> Sequence[RawReply | ServingError]:
        return [self._one(index, request, send) for index, request in enumerate(requests)]

    def _one(self, index: int, request: RawRequest, send: Callable[[int, bytes], None]) -> RawReply:
        if request.fields.get("data") == b"refuse":
            body = {"code": 507, "type": "InternalServerException", "message": "too much"}
            return RawReply(json.dumps(body).encode(), status=507)
        if "body" in request.fields:
            return RawReply(self._tensors(request.fields["body"]))
        send(index, b"one ")
        send(index, b"two ")
        told = {name: value for name, value in request.headers.items() if "sequence" in name}
        return RawReply(json.dumps([request.fields["data"].decode(), told]).encode())

    def _tensors(self, body: bytes) -> bytes:
        """Answer as handlers behind TorchServe's envelope "kservev2" do."""
        asked = json.loads(body)
        outputs = [each | {"name": f"{each['name']}-again"} for each in asked["inputs"]]
        answer = {"id": asked["id"], "model_name": "parts", "model_version": "1"}
        return json.dumps(answer | {"outputs": outputs}).encode()
