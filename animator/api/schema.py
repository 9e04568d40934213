"""What the OpenAPI document cannot learn from the types of the routes."""

from dataclasses import dataclass
from typing import Any

from litestar import Router
from litestar.connection import ASGIConnection
from litestar.exceptions import NotFoundException
from litestar.handlers import BaseRouteHandler, HTTPRouteHandler
from litestar.openapi import OpenAPIConfig
from litestar.openapi.spec import OpenAPIMediaType, OpenAPIType, Operation, RequestBody, Schema
from litestar.plugins import OpenAPISchemaPlugin
from litestar.typing import FieldDefinition

from animator import __version__
from animator.api.answers import WholeJson, WholeYaml
from animator.core.geometry import Box

__all__ = ("BoxSchemaPlugin", "MotionOperation", "UploadOperation", "describe_api")


def describe_api() -> OpenAPIConfig:
    """OpenAPI as JSON and YAML only: the usual viewers load their code from other hosts."""
    return OpenAPIConfig(
        title="Animator",
        version=__version__,
        description="Turns a photo of a drawing into an animation.",
        openapi_router=Router(
            "/schema", route_handlers=[], include_in_schema=False, guards=[_refuse_unknown]
        ),
        render_plugins=[WholeJson(path=["/", "/openapi.json"]), WholeYaml()],
        operation_id_creator=_name_operation,
    )


class BoxSchemaPlugin(OpenAPISchemaPlugin):
    """A box goes over the wire as four numbers."""

    @staticmethod
    def is_plugin_supported_type(value: Any) -> bool:
        """Whether it is the box."""
        return value is Box

    def to_openapi_schema(self, field_definition: FieldDefinition, schema_creator: Any) -> Schema:
        """Its schema."""
        return Schema(
            type=OpenAPIType.ARRAY,
            items=Schema(type=OpenAPIType.NUMBER),
            min_items=4,
            max_items=4,
            description="x1, y1, x2, y2 in pixels of the drawing",
        )


def _name_operation(handler: HTTPRouteHandler, _method: Any, _path: Any) -> str:
    """Operations are called as the functions are."""
    return handler.handler_name


def _refuse_unknown(connection: ASGIConnection[Any, Any, Any, Any], _: BaseRouteHandler) -> None:
    """Say that there is no such address; the framework would answer with a page of its own."""
    if "path" in connection.path_params:
        msg = f"There is nothing at {connection.url.path}."
        raise NotFoundException(msg)


def _describe_upload(what: str) -> RequestBody:
    picture = Schema(type=OpenAPIType.STRING, content_media_type="application/octet-stream")
    form = Schema(type=OpenAPIType.OBJECT, properties={"file": picture}, required=["file"])
    return RequestBody(
        required=True,
        description=f"{what}, as the field `file` of a form or as the body.",
        content={
            "multipart/form-data": OpenAPIMediaType(schema=form),
            "application/octet-stream": OpenAPIMediaType(schema=picture),
        },
    )


@dataclass
class UploadOperation(Operation):
    """A route that reads its body by itself."""

    def __post_init__(self) -> None:
        """Describe the body that it reads."""
        self.request_body = _describe_upload("A picture")


@dataclass
class MotionOperation(Operation):
    """A route that reads a motion file by itself."""

    def __post_init__(self) -> None:
        """Describe the body that it reads."""
        self.request_body = _describe_upload("A BVH file")
