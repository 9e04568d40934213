"""The Open Inference Protocol over HTTP, with Triton's extensions of it."""

from collections.abc import Awaitable, Callable, Mapping
from typing import Any

import msgspec

from serving.errors import BadInput
from serving.http.encodings import decompress
from serving.http.problems import NoRoute, WrongMethod, v2_problem_of
from serving.http.request import HttpRequest
from serving.http.v2_infer import V2Inference
from serving.http.v2_memory import memory_route
from serving.open_inference.repository import ModelRepository
from serving.open_inference.service import OpenInference
from serving.open_inference.settings import log_settings, trace_settings
from serving.protocol.exchange import RawReply

__all__ = ("V2Routes", "v2_error")

_JSON = "application/json"

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
        segments = request.segments
        if segments[:1] != ("v2",):
            return None
        if request.method == "POST":
            match segments[1:]:
                case ("models", model, "infer"):
                    return self._inference(request, model, None)
                case ("models", model, "versions", version, "infer"):
                    return self._inference(request, model, version)
        return lambda: self._route(request)

    def _inference(self, request: HttpRequest, model: str, version: str | None) -> V2Inference:
        return V2Inference(self._serving, request, (model, version), self._max_bytes)

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
                return await self._inference(request, model, version)()
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

    async def _repository_route(self, request: HttpRequest, rest: list[str]) -> RawReply:
        _check(request, "POST")
        body = await self._object(request)
        match rest:
            case ["index"]:
                return _json(await self._repository.index(ready=_flag(body, "ready")))
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


def _flag(body: Mapping[str, Any], name: str) -> bool:
    value = body.get(name, False)
    if not isinstance(value, bool):
        msg = f"{name} must be true or false, got {value!r}"
        raise BadInput(msg)
    return value


def _parameters(body: Mapping[str, Any]) -> Mapping[str, object]:
    parameters = body.get("parameters", {})
    if not isinstance(parameters, dict):
        msg = "parameters must be an object"
        raise BadInput(msg)
    return parameters
