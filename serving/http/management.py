"""TorchServe's management API, as far as it only looks: list and describe."""

import msgspec
from litestar import MediaType, Response, Router, get
from litestar.params import FromPath, FromQuery

from serving.http.problems import TORCHSERVE_HANDLERS
from serving.http.requests import AnyRequest, engine_of
from serving.protocol.torchserve import ModelListItem, encode_pretty, page_of_models

__all__ = ("management_router",)


@get("/models")
async def list_models(
    request: AnyRequest, limit: FromQuery[str] = "100", next_page_token: FromQuery[str] = "0"
) -> Response[bytes]:
    """List the models, a page at a time."""
    registry = engine_of(request).registry
    models = [
        ModelListItem(model_name=name, model_url=registry.find(name).describe().model_url)
        for name in registry.names
    ]
    page = page_of_models(models, _number(limit, 100), _number(next_page_token, 0))
    return Response(encode_pretty(page), media_type=MediaType.JSON)


@get(["/models/{model:str}", "/models/{model:str}/{version:str}"])
async def describe_model(
    request: AnyRequest, model: FromPath[str], version: FromPath[str | None] = None
) -> Response[bytes]:
    """Describe the version asked for, or the highest; `all` describes every one."""
    registry = engine_of(request).registry
    endpoints = registry.versions(model) if version == "all" else [registry.find(model, version)]
    body = encode_pretty([endpoint.describe() for endpoint in endpoints])
    return Response(body, media_type=MediaType.JSON)


def _number(text: str, default: int) -> int:
    """Read a number as the reference does: what is none is silently the default."""
    try:
        return msgspec.convert(text, int, strict=False)
    except msgspec.ValidationError:
        return default


management_router = Router(
    "/", route_handlers=[list_models, describe_model], exception_handlers=TORCHSERVE_HANDLERS
)
"""The route table."""
