"""Inference by the Open Inference Protocol over HTTP: awaited, or posted where that will do."""

import asyncio
import re
from collections.abc import Callable

from msgspec.structs import replace

from serving.errors import BadInput, ServingError
from serving.http.encodings import asked_coding, compress, decompress
from serving.http.request import HttpRequest
from serving.observe.lineage import VERSION_HEADER
from serving.open_inference.service import Chosen, OpenInference
from serving.protocol.exchange import RawReply
from serving.protocol.infer import InferRequest, InferResponse
from serving.protocol.json_tensors import LONG
from serving.protocol.tensors import Buffer
from serving.protocol.v2 import HEADER_LENGTH, Payload, decode_request, encode_response
from serving.protocol.v2_raw import decode_raw_request
from serving.registry.routing import Choice

__all__ = ("V2Inference",)

_WHOLE_NUMBER = re.compile(r"[0-9]{1,18}")
_JSON = "application/json"
_BINARY = "application/octet-stream"
_HEADER_LENGTH = HEADER_LENGTH.lower()


class V2Inference:
    """One request for inference.

    Args:
        serving: answers it.
        request: what was sent.
        model: the model's name, and its version or None.
        max_bytes: longest body, without its compression.
    """

    def __init__(
        self,
        serving: OpenInference,
        request: HttpRequest,
        model: tuple[str, str | None],
        max_bytes: int,
    ) -> None:
        self._serving = serving
        self._request = request
        self._model = model
        self._max_bytes = max_bytes
        self._chosen: Chosen | None = None

    async def __call__(self) -> RawReply:
        """Let the model answer.

        Raises:
            ServingError: why there is no answer.
        """
        headers = self._request.headers
        coding = headers.get("content-encoding", "")
        body = await decompress(self._request.body, coding, self._max_bytes)
        length = self._header_length()
        chosen = self._choose()
        # Long JSON is read, and written, beside the event loop.
        if (len(body) if length is None else length) > LONG:
            asked = await asyncio.to_thread(self._decode, body, length, chosen)
        else:
            asked = self._decode(body, length, chosen)
        response = await self._serving.infer(chosen, asked)
        if _has_long_json(response, asked):
            payload = await asyncio.to_thread(self._encode, response, asked)
        else:
            payload = self._encode(response, asked)
        accepted = asked_coding(headers.get("accept-encoding", ""))
        reply = _reply(payload, response, *await compress(payload.body, accepted))
        return _told(reply, chosen.choice)

    def post(self, on_reply: Callable[[RawReply | Exception], None]) -> Callable[[], None] | None:
        """Let the model answer, without a task.

        Args:
            on_reply: called once, later, with the reply or the reason why there is none.

        Returns:
            What gives it up; None: this one must be awaited.

        Raises:
            ServingError: why it was not taken.
        """
        length = self._header_length()
        body = self._request.body
        if self._takes_long(len(body) if length is None else length):
            return None
        chosen = self._choose()
        if not self._serving.can_post(chosen.endpoint):
            return None
        asked = self._decode(body, length, chosen)

        def tell(response: InferResponse | ServingError) -> None:
            told: RawReply | Exception
            if isinstance(response, ServingError):
                told = response
            else:
                try:
                    payload = self._encode(response, asked)
                    told = _told(_reply(payload, response, payload.body, None), chosen.choice)
                except ServingError as error:
                    told = error
            on_reply(told)

        return self._serving.post(chosen, asked, tell)

    def _choose(self) -> Chosen:
        """Who answers: once for both ways, and told with an error, too.

        Raises:
            ModelNotFound: when there is no such model or version.
        """
        if self._chosen is None:
            self._chosen = chosen = self._serving.choose(*self._model, self._request)
            if chosen.choice is not None:
                version = (VERSION_HEADER, chosen.endpoint.manifest.version)
                self._request.told = (version, *chosen.choice.headers)
        return self._chosen

    def _takes_long(self, json_bytes: int) -> bool:
        headers = self._request.headers
        return (
            json_bytes > LONG
            or bool(headers.get("content-encoding"))
            or asked_coding(headers.get("accept-encoding", "")) is not None
        )

    def _header_length(self) -> int | None:
        text = self._request.headers.get(_HEADER_LENGTH)
        if text is None:
            return None
        if not _WHOLE_NUMBER.fullmatch(text):
            msg = f"{HEADER_LENGTH} must be a whole number, got {text[:20]!r}"
            raise BadInput(msg)
        return int(text)

    def _decode(self, body: Buffer, header_length: int | None, chosen: Chosen) -> InferRequest:
        if header_length == 0:
            return decode_raw_request(body, chosen.endpoint.manifest.inputs)
        return decode_request(body, header_length, self._serving.regions)

    def _encode(self, response: InferResponse, asked: InferRequest) -> Payload:
        return encode_response(response, asked, self._serving.regions)


def _reply(payload: Payload, response: InferResponse, body: Buffer, coding: str | None) -> RawReply:
    fields = [(VERSION_HEADER, response.model_version)]
    if coding:
        fields.append(("content-encoding", coding))
    if payload.header_length is None:
        return RawReply(bytes(body), content_type=_JSON, headers=tuple(fields))
    fields.append((_HEADER_LENGTH, str(payload.header_length)))
    return RawReply(bytes(body), content_type=_BINARY, headers=tuple(fields))


def _told(reply: RawReply, choice: Choice | None) -> RawReply:
    """Tell of a choice as well."""
    if choice is None:
        return reply
    return replace(reply, headers=(*reply.headers, *choice.headers))


def _has_long_json(response: InferResponse, asked: InferRequest) -> bool:
    for name, array in response.outputs.items():
        if array.size > LONG:
            wanted = asked.wants.get(name)
            if not (wanted.is_binary if wanted else asked.wants_binary):
                return True
    return False
