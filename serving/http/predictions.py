"""TorchServe's inference API: `/ping` and `/predictions`."""

from litestar import MediaType, Response, Router, get, post
from litestar.params import FromPath

from serving.http.problems import TORCHSERVE_HANDLERS
from serving.http.requests import (
    AnyRequest,
    ClientGone,
    engine_of,
    read_input,
    timeout_of,
    while_connected,
)
from serving.protocol.exchange import RawRequest

__all__ = ("predictions_router",)


@get("/ping")
async def ping(request: AnyRequest) -> Response[dict[str, str]]:
    """Say whether every model can be asked; unlike the reference, not before it is loaded."""
    if engine_of(request).is_ready:
        return Response({"status": "Healthy"})
    return Response({"status": "Unhealthy"}, status_code=500)


@post(
    ["/predictions/{model:str}", "/predictions/{model:str}/{version:str}"],
    status_code=200,
)
async def predict(
    request: AnyRequest, model: FromPath[str], version: FromPath[str | None] = None
) -> Response[bytes]:
    """Run a model on the body, or on the field `data` or `body` of a form."""
    engine = engine_of(request)
    timeout_s = timeout_of(request)
    body = await read_input(request)
    asked = RawRequest({"body": body})
    work = engine.ask(model, asked, version=version, timeout_s=timeout_s)
    try:
        answer = await while_connected(request, work)
    except ClientGone:
        return Response(b"", status_code=499)
    return Response(answer.body, media_type=MediaType.JSON)


predictions_router = Router(
    "/", route_handlers=[ping, predict], exception_handlers=TORCHSERVE_HANDLERS
)
"""The route table."""
