"""The Open Inference Protocol in OpenAPI: what is below /v2."""

from typing import Any

from serving.http.openapi import (
    JSON_OBJECT,
    NO_TOKEN,
    Paths,
    Table,
    array_of,
    errors,
    json_content,
    object_of,
    operation,
    path_parameters,
)
from serving.protocol.tensors import DATATYPES

__all__ = ("v2_paths",)

_TEXT = {"type": "string"}
_FLAG = {"type": "boolean"}
_COUNT = {"type": "integer", "minimum": 0}
_ERROR = object_of({"error": _TEXT, "code": _TEXT})
_TENSOR = {"name": _TEXT, "datatype": {"type": "string", "enum": sorted({*DATATYPES, "BF16"})}}
_DECLARED = object_of({**_TENSOR, "shape": array_of({"type": "integer", "minimum": -1})})
_GIVEN = object_of(
    {**_TENSOR, "shape": array_of(_COUNT)}, {"parameters": JSON_OBJECT, "data": array_of({})}
)
_SERVER = object_of({"name": _TEXT, "version": _TEXT, "extensions": array_of(_TEXT)})
_METADATA = object_of(
    {
        "name": _TEXT,
        "versions": array_of(_TEXT),
        "platform": _TEXT,
        "inputs": array_of(_DECLARED),
        "outputs": array_of(_DECLARED),
    }
)
_REQUEST = object_of(
    {"inputs": array_of(_GIVEN)},
    {
        "id": _TEXT,
        "outputs": array_of(object_of({"name": _TEXT}, {"parameters": JSON_OBJECT})),
        "parameters": JSON_OBJECT,
    },
)
_RESPONSE = object_of({"model_name": _TEXT, "outputs": array_of(_GIVEN)}, {"model_version": _TEXT})
_STATS = object_of({"model_stats": array_of(object_of({"name": _TEXT, "version": _TEXT}))})
_INDEX = array_of(object_of({"name": _TEXT, "version": _TEXT, "state": _TEXT, "reason": _TEXT}))
_REGIONS = array_of(object_of({"name": _TEXT, "key": _TEXT, "offset": _COUNT, "byte_size": _COUNT}))

_NO_MODEL = {**NO_TOKEN, "404": "There is no such model or version."}
_BAD_BODY = {"400": "The body is not what this address takes.", **NO_TOKEN}
_NO_ANSWER = {
    "400": "The protocol or the model does not take it.",
    "405": "Memory is not shared here.",
    "413": "The body is too large.",
    "429": "As many requests wait as may; try again after Retry-After.",
    "500": "The model failed.",
    "503": "No worker holds the model.",
    "504": "There was no answer in time.",
    "507": "The model ran out of memory.",
    **_NO_MODEL,
}
_NOT_CHANGED = {
    "400": "The body is not what this address takes, or the model cannot be served.",
    "403": "It is the default version, and there are others.",
    "500": "A worker could not be started.",
    "507": "Loading ran out of memory.",
    **_NO_MODEL,
}


def v2_paths(*, may_change_models: bool) -> Paths:
    """Describe the addresses; those that load and unload only where that is allowed."""
    paths = _server_paths() | _memory_paths()
    for version in ((), ("model_version",)):
        names = ("model_name", *version)
        middle = "/versions/{model_version}" if version else ""
        paths |= _model_paths(f"/v2/models/{{model_name}}{middle}", names)
        if may_change_models:
            paths |= _repository_paths(f"/v2/repository/models/{{model_name}}{middle}", names)
    return paths


def _server_paths() -> Paths:
    ready = object_of({"ready": _FLAG})
    index = _with_body(
        _tell("v2_repository_index", "Which models there are.", _INDEX, _BAD_BODY),
        object_of({}, {"ready": _FLAG}),
    )
    paths = {
        "/v2": {"get": _tell("v2", "Who is here.", _SERVER, NO_TOKEN)},
        "/v2/health/live": {
            "get": _tell("v2_live", "Whether there is a server.", object_of({"live": _FLAG}))
        },
        "/v2/health/ready": {
            "get": operation(
                "v2_ready",
                "Whether every model can be asked.",
                dict.fromkeys(("200", "503"), json_content(ready)),
            )
        },
        "/v2/models/stats": {
            "get": _tell("v2_stats", "What all models have done.", _STATS, NO_TOKEN)
        },
        "/v2/repository/index": {"post": index},
    }
    for path, name in (("/v2/trace/setting", "trace"), ("/v2/logging", "logging")):
        paths[path] = {
            "get": _tell(f"v2_{name}", "How it is set.", JSON_OBJECT, NO_TOKEN),
            # Nothing can be changed, so no body is offered.
            "post": _tell(f"v2_{name}_post", "How it is set.", JSON_OBJECT, _BAD_BODY),
        }
    return paths


def _model_paths(path: str, names: tuple[str, ...]) -> Paths:
    prefix = "v2_version_" if len(names) > 1 else "v2_model_"
    ready = object_of({"name": _TEXT, "ready": _FLAG})
    is_ready = operation(
        f"{prefix}ready",
        "Whether it can be asked.",
        dict.fromkeys(("200", "503"), json_content(ready)),
        errors(_NO_MODEL, _ERROR),
        path_parameters(*names),
    )
    told = {
        "": ("metadata", "What it takes and gives.", _METADATA),
        "/config": ("config", "How it is served.", object_of({"name": _TEXT, "backend": _TEXT})),
        "/stats": ("stats", "What it has done.", _STATS),
    }
    paths = {
        f"{path}{end}": {"get": _tell(f"{prefix}{name}", summary, schema, _NO_MODEL, *names)}
        for end, (name, summary, schema) in told.items()
    }
    infer = _tell(f"{prefix}infer", "Ask the model.", _RESPONSE, _NO_ANSWER, *names)
    paths[f"{path}/ready"] = {"get": is_ready}
    paths[f"{path}/infer"] = {"post": _with_body(infer, _REQUEST, required=True)}
    return paths


def _repository_paths(path: str, names: tuple[str, ...]) -> Paths:
    suffix = "_version" if len(names) > 1 else ""
    done = {"type": "object", "maxProperties": 0}
    load = _tell(f"v2_load{suffix}", "Serve it, or anew.", done, _NOT_CHANGED, *names)
    unload = _tell(f"v2_unload{suffix}", "Serve it no longer.", done, _NOT_CHANGED, *names)
    return {f"{path}/load": {"post": load}, f"{path}/unload": {"post": unload}}


def _memory_paths() -> Paths:
    """The regions that there are; registering one is for those who share this machine."""
    path = "/v2/systemsharedmemory"
    region = f"{path}/region/{{region}}"
    done = {"type": "object", "maxProperties": 0}
    names = ("region",)
    return {
        f"{path}/status": {"get": _tell("v2_regions", "Regions.", _REGIONS, NO_TOKEN)},
        f"{path}/unregister": {
            "post": _tell("v2_unregister_all", "Forget all regions.", done, _BAD_BODY)
        },
        f"{region}/status": {
            "get": _tell("v2_region", "One region.", _REGIONS, {**_BAD_BODY, **_NO_MODEL}, *names)
        },
        f"{region}/unregister": {
            "post": _tell("v2_unregister", "Forget a region.", done, _BAD_BODY, *names)
        },
    }


def _tell(
    name: str, summary: str, schema: Table, bad: dict[str, str] | None = None, *names: str
) -> dict[str, Any]:
    good = {"200": json_content(schema)}
    return operation(name, summary, good, errors(bad or {}, _ERROR), path_parameters(*names))


def _with_body(described: Table, schema: Table, *, required: bool = False) -> dict[str, Any]:
    body = {"required": required, "content": json_content(schema)}
    return {**described, "requestBody": body}
