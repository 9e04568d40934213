"""The Open Inference Protocol over HTTP."""

import re
from importlib.metadata import PackageNotFoundError, version

from litestar import MediaType, Response, Router, get, post
from litestar.params import FromPath

from serving.errors import BadInput
from serving.http.problems import V2_HANDLERS
from serving.http.requests import AnyRequest, ClientGone, engine_of, while_connected
from serving.protocol.metadata import ModelMetadata, ServerMetadata
from serving.protocol.v2 import (
    HEADER_LENGTH,
    InferResponse,
    Payload,
    decode_request,
    encode_response,
)
from serving.registry.endpoint import Endpoint

__all__ = ("v2_router",)

_WHOLE_NUMBER = re.compile(r"[0-9]{1,18}")

_INFER_PATHS = [
    "/models/{model:str}/infer",
    "/models/{model:str}/versions/{model_version:str}/infer",
]
_MODEL_PATHS = ["/models/{model:str}", "/models/{model:str}/versions/{model_version:str}"]
_READY_PATHS = [f"{path}/ready" for path in _MODEL_PATHS]


@get("/")
async def server_metadata() -> Response[ServerMetadata]:
    """Say who is here, and which extensions of the protocol it speaks."""
    try:
        number = version("animator")
    except PackageNotFoundError:
        number = "unknown"
    return Response(
        ServerMetadata(name="serving", version=number, extensions=("binary_tensor_data",))
    )


@get("/health/live")
async def live() -> Response[dict[str, bool]]:
    """Say that the server answers."""
    return Response({"live": True})


@get("/health/ready")
async def ready(request: AnyRequest) -> Response[dict[str, bool]]:
    """Say whether every model can be asked; 503 while one cannot, or while the server stops."""
    is_ready = engine_of(request).is_ready
    return Response({"ready": is_ready}, status_code=200 if is_ready else 503)


@get(_MODEL_PATHS)
async def model_metadata(
    request: AnyRequest, model: FromPath[str], model_version: FromPath[str | None] = None
) -> Response[ModelMetadata]:
    """Say what a model takes and gives."""
    endpoint = _endpoint(request, model, model_version)
    manifest = endpoint.manifest
    versions = engine_of(request).registry.versions(model)
    metadata = ModelMetadata(
        name=manifest.name,
        versions=tuple(each.manifest.version for each in versions),
        platform="python",
        inputs=manifest.inputs,
        outputs=manifest.outputs,
    )
    return Response(metadata)


@get(_READY_PATHS)
async def model_ready(
    request: AnyRequest, model: FromPath[str], model_version: FromPath[str | None] = None
) -> Response[dict[str, str | bool]]:
    """Say whether a worker holds the model; 503 while none does."""
    is_ready = _endpoint(request, model, model_version).is_ready
    return Response({"name": model, "ready": is_ready}, status_code=200 if is_ready else 503)


@post(_INFER_PATHS, status_code=200)
async def infer(
    request: AnyRequest, model: FromPath[str], model_version: FromPath[str | None] = None
) -> Response[bytes]:
    """Run a model on tensors; they and the answer are JSON, or binary by the extension."""
    endpoint = _endpoint(request, model, model_version)
    encoding = request.headers.get("content-encoding", "identity")
    if encoding != "identity":
        msg = f"a body in Content-Encoding {encoding} is not read; send it as it is"
        raise BadInput(msg)
    asked = decode_request(await request.body(), _header_length(request))
    found = endpoint.manifest.version
    work = engine_of(request).infer(model, asked.inputs, version=found, timeout_s=asked.timeout_s)
    try:
        outputs = await while_connected(request, work)
    except ClientGone:
        return Response(b"", status_code=499)
    answer = InferResponse(
        model_name=model,
        model_version=found,
        outputs=outputs,
        id=asked.id,
    )
    return _response(encode_response(answer, asked))


def _endpoint(request: AnyRequest, model: str, model_version: str | None) -> Endpoint:
    return engine_of(request).registry.find(model, model_version)


def _header_length(request: AnyRequest) -> int | None:
    text = request.headers.get(HEADER_LENGTH)
    if text is None:
        return None
    if not _WHOLE_NUMBER.fullmatch(text):
        msg = f"{HEADER_LENGTH} must be a whole number, got {text[:20]!r}"
        raise BadInput(msg)
    return int(text)


def _response(payload: Payload) -> Response[bytes]:
    body = bytes(payload.body)
    if payload.header_length is None:
        return Response(body, media_type=MediaType.JSON)
    headers = {HEADER_LENGTH: str(payload.header_length)}
    return Response(body, media_type="application/octet-stream", headers=headers)


v2_router = Router(
    "/v2",
    route_handlers=[server_metadata, live, ready, model_metadata, model_ready, infer],
    exception_handlers=V2_HANDLERS,
)
"""The route table."""
