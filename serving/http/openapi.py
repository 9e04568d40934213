"""The pieces of an OpenAPI 3.0.1 document, which the descriptions are made of."""

from collections.abc import Mapping, Sequence
from typing import Any

__all__ = (
    "ANYTHING",
    "BINARY",
    "ERROR",
    "JSON_OBJECT",
    "NO_MODEL",
    "NO_TOKEN",
    "STATUS",
    "Paths",
    "Table",
    "array_of",
    "document",
    "errors",
    "json_content",
    "object_of",
    "operation",
    "path_parameters",
    "query",
)

Table = Mapping[str, Any]

Paths = dict[str, dict[str, Any]]
"""By address, by verb: what is there."""

BINARY: Table = {"*/*": {"schema": {"type": "string", "format": "binary"}}}
"""A body of any kind."""

ANYTHING: Table = {"*/*": {}}
"""An answer of any kind, JSON or not."""

JSON_OBJECT: Table = {"type": "object"}


def object_of(required: Table, optional: Table | None = None) -> dict[str, Any]:
    """The schema of an object with these fields; others may be there, too."""
    fields = {**required, **(optional or {})}
    return {"type": "object", "required": list(required), "properties": fields}


def array_of(items: Table) -> dict[str, Any]:
    """The schema of a list."""
    return {"type": "array", "items": items}


def json_content(schema: Table) -> dict[str, Any]:
    """Content that is JSON."""
    return {"application/json": {"schema": schema}}


def errors(texts: Mapping[str, str], schema: Table) -> dict[str, Any]:
    """Responses by status, all of one form."""
    return {
        status: {"description": text, "content": json_content(schema)}
        for status, text in texts.items()
    }


def operation(
    name: str,
    summary: str,
    good: Mapping[str, Table],
    bad: Table | None = None,
    parameters: Sequence[Table] = (),
) -> dict[str, Any]:
    """One verb at one address.

    Args:
        name: of the operation, the only one so called.
        summary: one sentence.
        good: content by status.
        bad: responses by status.
        parameters: of the path and the query.
    """
    done = {status: {"description": "It is done.", "content": of} for status, of in good.items()}
    return {
        "operationId": name,
        "summary": summary,
        "parameters": list(parameters),
        "responses": {**done, **(bad or {})},
    }


def document(title: str, number: str, paths: Paths) -> dict[str, Any]:
    """A document of this title and version."""
    return {"openapi": "3.0.1", "info": {"title": title, "version": number}, "paths": paths}


def path_parameters(*names: str) -> list[dict[str, Any]]:
    """What stands in braces in an address."""
    schema = {"type": "string", "minLength": 1}
    return [{"name": name, "in": "path", "required": True, "schema": schema} for name in names]


def query(
    name: str, kind: str, schema: Table | None = None, *, required: bool = False
) -> dict[str, Any]:
    """A parameter of the query, of this type and with these other words of a schema."""
    full = {"type": kind, **(schema or {})}
    return {"name": name, "in": "query", "required": required, "schema": full}


STATUS = object_of({"status": {"type": "string"}})
"""What TorchServe's routes say when something is done."""

ERROR = object_of(
    {
        "code": {"type": "integer", "description": "The status of HTTP."},
        "type": {"type": "string", "description": "TorchServe's name of the error."},
        "message": {"type": "string", "description": "One sentence."},
    }
)
"""What they say when it is not."""

NO_TOKEN = {"401": "A token is asked for, and it is missing or wrong."}
NO_MODEL = {**NO_TOKEN, "404": "There is no such model, version or archive."}
"""Errors by status that many addresses have."""
