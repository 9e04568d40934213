"""The Open Inference Protocol over HTTP, with Triton's extensions of it."""

import asyncio
import re
from collections.abc import Awaitable, Callable, Mapping
from typing import Any

import msgspec

from serving.errors import BadInput
from serving.http.encodings import asked_coding, compress, decompress
from serving.http.problems import NoRoute, WrongMethod, v2_problem_of
from serving.http.request import HttpRequest
from serving.http.v2_memory import memory_route
from serving.open_inference.repository import ModelRepository
from serving.open_inference.service import OpenInference
from serving.open_inference.settings import log_settings, trace_settings
from serving.protocol.exchange import RawReply
from serving.protocol.infer import InferRequest, InferResponse
from serving.protocol.json_tensors import LONG
from serving.protocol.v2 import HEADER_LENGTH, decode_request, encode_response
from serving.protocol.v2_raw import decode_raw_request
from serving.registry.endpoint import Endpoint

__all__ = ("V2Routes", "v2_error")

_WHOLE_NUMBER = re.compile(r"[0-9]{1,18}")
_JSON = "application/json"
_BINARY = "application/octet-stream"
_HEADER_LENGTH = HEADER_LENGTH.lower()

_Answer = Callable[[], Awaitable[RawReply]]


class V2Routes:
    """The protocol's addresses: everything below /v2.

    Args:
        open_inference: what a client may ask of models.
        repository: which models there are, loading and unloading them.
        max_bytes: longest body, without its compression.
    """

    def __init__(
        self, open_inference: OpenInference, repository: ModelRepository, max_bytes: int
    ) -> None:
        self._serving = open_inference
        self._repository = repository
        self._max_bytes = max_bytes

    def find(self, request: HttpRequest) -> _Answer | None:
        """Find what answers a request; None when its address is none of these."""
        if request.segments[:1] != ("v2",):
            return None
        return lambda: self.answer(request)

    async def answer(self, request: HttpRequest) -> RawReply:
        """Answer a request, with an error in the protocol's form if need be."""
        try:
            return await self._route(request)
        except Exception as error:
            return v2_error(error)

    async def _route(self, request: HttpRequest) -> RawReply:
        match request.segments[1:]:
            case ("models", model, "versions", version, *rest):
                return await self._model(request, model, version, rest)
            case ("models", "stats"):
                _check(request, "GET")
                return _json({"model_stats": self._serving.statistics()})
            case ("models", model, *rest):
                return await self._model(request, model, None, rest)
            case ("repository", *rest):
                return await self._repository_route(request, rest)
            case ("systemsharedmemory" | "cudasharedmemory" as kind, *rest):
                body = await self._object(request)
                return _json(memory_route(self._serving, request.method, kind, rest, body))
            case rest:
                return await self._server(request, rest)

    async def _server(self, request: HttpRequest, rest: tuple[str, ...]) -> RawReply:
        match rest:
            case ():
                _check(request, "GET")
                return _json(self._serving.server_metadata())
            case ("health", "live"):
                _check(request, "GET")
                return _json({"live": True})
            case ("health", "ready"):
                _check(request, "GET")
                is_ready = self._serving.is_ready()
                return _json({"ready": is_ready}, 200 if is_ready else 503)
            case ("trace", "setting"):
                return await self._settings(request, trace_settings)
            case ("logging",):
                return await self._settings(request, log_settings)
        raise _no_route(request)

    async def _model(
        self, request: HttpRequest, model: str, version: str | None, rest: list[str]
    ) -> RawReply:
        match rest:
            case ["infer"]:
                _check(request, "POST")
                return await self._infer(request, self._serving.endpoint(model, version))
            case []:
                _check(request, "GET")
                return _json(self._serving.metadata(model, version))
            case ["ready"]:
                _check(request, "GET")
                is_ready = self._serving.endpoint(model, version).is_ready
                return _json({"name": model, "ready": is_ready}, 200 if is_ready else 503)
            case ["config"]:
                _check(request, "GET")
                return _json(self._serving.configuration(model, version))
            case ["stats"]:
                _check(request, "GET")
                return _json({"model_stats": self._serving.statistics(model, version)})
            case ["trace", "setting"]:
                self._serving.endpoint(model, version)
                return await self._settings(request, trace_settings)
        raise _no_route(request)

    async def _infer(self, request: HttpRequest, endpoint: Endpoint) -> RawReply:
        headers = request.headers
        coding = headers.get("content-encoding", "")
        body = await decompress(request.body, coding, self._max_bytes)
        asked = await self._decode(body, _header_length(headers), endpoint)
        response = await self._serving.infer(endpoint, asked)
        regions = self._serving.regions
        if _has_long_json(response, asked):
            payload = await asyncio.to_thread(encode_response, response, asked, regions)
        else:
            payload = encode_response(response, asked, regions)
        data, used = await compress(payload.body, asked_coding(headers.get("accept-encoding", "")))
        fields = [("content-encoding", used)] if used else []
        if payload.header_length is None:
            return RawReply(bytes(data), content_type=_JSON, headers=tuple(fields))
        fields.append((_HEADER_LENGTH, str(payload.header_length)))
        return RawReply(bytes(data), content_type=_BINARY, headers=tuple(fields))

    async def _decode(
        self, body: Any, header_length: int | None, endpoint: Endpoint
    ) -> InferRequest:
        """Read a request; long JSON beside the event loop."""
        if header_length == 0:
            return decode_raw_request(body, endpoint.manifest.inputs)
        regions = self._serving.regions
        if (len(body) if header_length is None else header_length) <= LONG:
            return decode_request(body, header_length, regions)
        return await asyncio.to_thread(decode_request, body, header_length, regions)

    async def _repository_route(self, request: HttpRequest, rest: list[str]) -> RawReply:
        _check(request, "POST")
        body = await self._object(request)
        match rest:
            case ["index"]:
                return _json(await self._repository.index(ready=body.get("ready") is True))
            case ["models", model, "load"]:
                await self._repository.load(model, parameters=_parameters(body))
            case ["models", model, "versions", version, "load"]:
                await self._repository.load(model, version, _parameters(body))
            case ["models", model, "unload"]:
                await self._repository.unload(model)
            case ["models", model, "versions", version, "unload"]:
                await self._repository.unload(model, version)
            case _:
                raise _no_route(request)
        return _json({})

    async def _settings(
        self, request: HttpRequest, settings: Callable[[Mapping[str, object]], object]
    ) -> RawReply:
        _check(request, "GET", "POST")
        return _json(settings(await self._object(request)))

    async def _object(self, request: HttpRequest) -> dict[str, Any]:
        """Read a body that is a JSON object, or nothing."""
        coding = request.headers.get("content-encoding", "")
        body = await decompress(request.body, coding, self._max_bytes)
        if not body:
            return {}
        try:
            return msgspec.json.decode(body, type=dict[str, Any])
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
            msg = f"the body must be a JSON object: {error}"
            raise BadInput(msg) from error


def v2_error(error: Exception) -> RawReply:
    """Answer with an error in the protocol's form."""
    problem = v2_problem_of(error)
    retry_after_s = problem.retry_after_s
    headers = [] if retry_after_s is None else [("retry-after", str(retry_after_s))]
    if isinstance(error, WrongMethod):
        headers.append(("allow", ", ".join(error.methods)))
    body = {"error": problem.message, "code": problem.code}
    return RawReply(
        msgspec.json.encode(body), status=problem.status, headers=tuple(headers), content_type=_JSON
    )


def _json(value: object, status: int = 200) -> RawReply:
    return RawReply(msgspec.json.encode(value), status=status, content_type=_JSON)


def _check(request: HttpRequest, *methods: str) -> None:
    if request.method not in methods and not (request.method == "HEAD" and "GET" in methods):
        raise WrongMethod(request.method, *methods)


def _no_route(request: HttpRequest) -> NoRoute:
    return NoRoute(f"there is nothing at {request.path}")


def _header_length(headers: Mapping[str, str]) -> int | None:
    text = headers.get(_HEADER_LENGTH)
    if text is None:
        return None
    if not _WHOLE_NUMBER.fullmatch(text):
        msg = f"{HEADER_LENGTH} must be a whole number, got {text[:20]!r}"
        raise BadInput(msg)
    return int(text)


def _has_long_json(response: InferResponse, asked: InferRequest) -> bool:
    """Whether an answer is better written beside the event loop."""
    for name, array in response.outputs.items():
        if array.size > LONG:
            wanted = asked.wants.get(name)
            if not (wanted.is_binary if wanted else asked.wants_binary):
                return True
    return False


def _parameters(body: Mapping[str, Any]) -> Mapping[str, object]:
    parameters = body.get("parameters", {})
    if not isinstance(parameters, dict):
        msg = "parameters must be an object"
        raise BadInput(msg)
    return parameters
