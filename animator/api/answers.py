"""Every answer in the OpenAPI document: errors, headers, bytes; types of routes tell too little.

The document is completed when it is asked for first. Errors follow from what a route is: who
changes something may be refused for his origin, who names a thing may not find it. What follows
from nothing stands in the tables.
"""

from collections.abc import Iterator, Mapping
from http import HTTPStatus
from types import MappingProxyType
from typing import Any, TypeAlias

import msgspec
from litestar import Request
from litestar.openapi.plugins import JsonRenderPlugin, YamlRenderPlugin

from animator.api.owners import COOKIE
from animator.api.problems import Problem
from animator.core.animation import FORMATS

__all__ = ("WholeJson", "WholeYaml")

Json: TypeAlias = dict[str, Any]

_REF = "#/components/schemas/{name}"
_CHANGES = frozenset({"post", "put", "patch", "delete"})

_ALWAYS = (400, 401, 429, 500, 503)
_MORE: Mapping[str, tuple[int, ...]] = MappingProxyType(
    {
        "create_drawing": (415,),
        "put_background": (415,),
        "create_motion": (422,),
        "create_animation": (409, 422),
        "add_figure": (409,),
        "change_figure": (409,),
        "remove_figure": (409,),
        "put_annotation": (409,),
    }
)
"""Errors by the name of the route, beside those that follow from what it is."""

_FILES = tuple(sorted({facts.media_type for facts in FORMATS.values()}))
_BYTES: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        "get_picture": ("image/jpeg",),
        "get_everything": ("application/zip",),
        "get_file": _FILES,
        "get_shared_file": _FILES,
        "follow_job": ("text/event-stream",),
    }
)
"""Kinds of bytes by the name of the route."""

_IN_PARTS = frozenset({"get_picture", "get_file", "get_shared_file"})
"""Routes that know entity tags and ranges."""

_HEADERS: Mapping[str, str] = MappingProxyType(
    {
        "Location": "address of what was made",
        "Link": 'address of the next part, with rel="next"; absent on the last one',
        "ETag": "names this very content",
        "Retry-After": "seconds after which to try again",
        "WWW-Authenticate": "how to say who you are",
    }
)


_SECURITY: Mapping[str, Json] = MappingProxyType(
    {
        "key": {
            "type": "http",
            "scheme": "bearer",
            "description": "an API key, as `animator keys new` makes them",
        },
        "owner": {
            "type": "apiKey",
            "in": "cookie",
            "name": COOKIE,
            "description": "the token that a client gets with the first thing that it hands in",
        },
    }
)
"""How a client says who it is."""


_EXAMPLES: Mapping[str, Json] = MappingProxyType(
    {
        "create_animation": {"motion": "wave", "formats": ["gif"], "background": {"kind": "paper"}},
        "create_share": {"days": 7},
        "add_figure": {"box": [4, 2, 36, 28]},
        "change_figure": {"limbs": {"left_shoulder": "front"}},
    }
)
"""Bodies of requests by the name of the route."""


class WholeJson(JsonRenderPlugin):
    """The document as JSON, with every answer."""

    def render(self, request: Request[Any, Any, Any], openapi_schema: Json) -> bytes:
        """The document."""
        _complete(openapi_schema)
        return super().render(request, openapi_schema)


class WholeYaml(YamlRenderPlugin):
    """The document as YAML, with every answer."""

    def render(self, request: Request[Any, Any, Any], openapi_schema: Json) -> bytes:
        """The document."""
        _complete(openapi_schema)
        return super().render(request, openapi_schema)


def _complete(document: Json) -> None:
    """Add what is missing, once."""
    schemas = document["components"]["schemas"]
    if "Problem" in schemas:
        return
    _, told = msgspec.json.schema_components((Problem,), ref_template=_REF)
    schemas.update(told)
    document["components"]["securitySchemes"] = dict(_SECURITY)
    document["security"] = [{"owner": []}, {"key": []}, {}]
    for path, methods in document["paths"].items():
        for method, operation in methods.items():
            _complete_operation(path, method, operation)


def _complete_operation(path: str, method: str, operation: Json) -> None:
    name, answers = operation["operationId"], operation["responses"]
    if name in _EXAMPLES:
        operation["requestBody"]["content"]["application/json"]["example"] = _EXAMPLES[name]
    if name in _BYTES:
        answers["200"]["content"] = {kind: {"schema": _bytes(kind)} for kind in _BYTES[name]}
    if name in _IN_PARTS:
        answers["206"] = {**answers["200"], "description": "the part that was asked for"}
        answers["304"] = {"description": "what you have is still the same"}
    if name == "get_annotation":
        answers["304"] = {"description": "what you have is still the same"}
    if name == "create_drawing":
        answers["200"] = {**answers["201"], "description": "these bytes are known: their drawing"}
    for status in sorted(_errors_of(path, method, operation)):
        answers[str(status)] = _describe_problem(status)
    if name == "get_health":
        answers["503"] = {**answers["200"], "description": "it is about to stop"}
    for status, answer in answers.items():
        names = _headers_of(name, status)
        answer.setdefault("headers", {}).update({name: _describe_header(name) for name in names})


def _errors_of(path: str, method: str, operation: Json) -> Iterator[int]:
    name = operation["operationId"]
    yield from _ALWAYS
    yield from _MORE.get(name, ())
    if method in _CHANGES:
        yield 403
    if "requestBody" in operation:
        yield 413
    if "{" in path:
        yield 404
    if name in _IN_PARTS:
        yield 416
    if any(parameter["name"] == "If-Match" for parameter in operation.get("parameters", ())):
        yield from (412, 428)


def _headers_of(operation: str, status: str) -> Iterator[str]:
    if status in ("429", "503"):
        yield "Retry-After"
    if status == "401":
        yield "WWW-Authenticate"
    if status in ("200", "201", "202") and operation.startswith("create_"):
        yield "Location"
    if status == "200" and operation in ("list_drawings", "list_animations"):
        yield "Link"
    if status in ("200", "206", "304") and operation in _IN_PARTS:
        yield "ETag"


def _bytes(kind: str) -> Json:
    """What is known of bytes of a kind; of events, each by itself, what their data is."""
    if kind == "text/event-stream":
        event = {"$ref": _REF.format(name="JobEvent")}
        data = {"type": "string", "contentMediaType": "application/json", "contentSchema": event}
        return {"type": "object", "properties": {"data": data}}
    return {} if kind == "application/json" else {"type": "string", "contentMediaType": kind}


def _describe_problem(status: int) -> Json:
    content = {"application/problem+json": {"schema": {"$ref": _REF.format(name="Problem")}}}
    return {"description": HTTPStatus(status).phrase, "content": content}


def _describe_header(name: str) -> Json:
    return {"description": _HEADERS[name], "schema": {"type": "string"}}
