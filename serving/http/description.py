"""What the server offers, in OpenAPI 3.0.1: per listener, and per model."""

from collections.abc import Mapping, Sequence
from importlib.metadata import PackageNotFoundError, version
from typing import Any, Literal

from serving.archive.manifest import Manifest

__all__ = ("ApiKind", "describe_api", "describe_model", "describe_model_management", "our_version")

ApiKind = Literal["inference", "management", "metrics"]
"""What a listener offers."""

_Paths = dict[str, dict[str, Any]]
_Table = Mapping[str, Any]

_JSON = "application/json"
_BINARY = {"*/*": {"schema": {"type": "string", "format": "binary"}}}
_STATUS = {"type": "object", "required": ["status"], "properties": {"status": {"type": "string"}}}
_ERROR = {
    "type": "object",
    "required": ["code", "type", "message"],
    "properties": {
        "code": {"type": "integer", "description": "The status of HTTP."},
        "type": {"type": "string", "description": "TorchServe's name of the error."},
        "message": {"type": "string", "description": "One sentence."},
    },
}
_TOO_MANY = {"429": "As many requests wait as may; try again after Retry-After."}
_MODEL_ERRORS = {
    "400": "The model does not take the input.",
    "404": "There is no such model or version.",
    "413": "The body is too large.",
    "500": "A worker ended.",
    "503": "The prediction failed, or no worker holds the model.",
    "504": "There was no answer in time.",
    "507": "The model ran out of memory.",
    **_TOO_MANY,
}
_CHANGE_ERRORS = {
    "400": "A parameter is missing or wrong.",
    "404": "There is no such model, version or archive.",
    "405": "The model API is not enabled.",
    "500": "A worker could not be started.",
    "507": "Loading ran out of memory.",
}


def our_version() -> str:
    """Say which version this server is."""
    try:
        return version("animator")
    except PackageNotFoundError:
        return "unknown"


def describe_api(kinds: Sequence[ApiKind]) -> dict[str, Any]:
    """Describe what a listener offers."""
    paths: _Paths = {}
    if "inference" in kinds:
        paths |= _inference_paths()
    if "management" in kinds:
        paths |= _management_paths()
    if "metrics" in kinds:
        paths |= _metrics_paths()
    description = _operation("apiDescription", "Describe what is offered.", {"200": _schema({})})
    paths["/"] = {"options": description}
    paths["/api-description"] = {"get": {**description, "operationId": "api-description"}}
    return _document("TorchServe APIs", our_version(), paths)


def describe_model(manifest: Manifest) -> dict[str, Any]:
    """Describe how one model is asked."""
    name = manifest.name
    paths = {
        f"/predictions/{name}": {"post": _predict("predictions", (), "Ask the model.")},
        f"/explanations/{name}": {"post": _predict("explanations", (), "Ask for an explanation.")},
        f"/v1/models/{name}:predict": {"post": _predict("v1", (), "Ask as KServe does.")},
        f"/v2/models/{name}/infer": {"post": _predict("v2", (), "Ask with tensors.")},
    }
    return _document(f"RESTful API for: {name}", "1.0.0", paths)


def describe_model_management(manifest: Manifest) -> dict[str, Any]:
    """Describe how one model is managed."""
    paths = {path: of for path, of in _management_paths().items() if path.startswith("/models/")}
    return _document(f"RESTful Management API for: {manifest.name}", our_version(), paths)


def _inference_paths() -> _Paths:
    model, version_ = ("model_name",), ("model_name", "model_version")
    ping = _operation(
        "ping",
        "Whether every model can be asked.",
        {"200": _schema(_STATUS)},
        {"500": "It cannot."},
    )
    return {
        "/ping": {"get": ping},
        "/predictions/{model_name}": {"post": _predict("predictions", model)},
        "/predictions/{model_name}/{model_version}": {
            "post": _predict("version_predictions", version_)
        },
        "/explanations/{model_name}": {"post": _predict("explanations", model)},
        "/explanations/{model_name}/{model_version}": {
            "post": _predict("version_explanations", version_)
        },
        "/v1/models/{model_name}:predict": {"post": _predict("v1_predict", model)},
        "/v1/models/{model_name}:explain": {"post": _predict("v1_explain", model)},
        "/invocations": {
            "post": _predict("invocations", (), query=[_query("model_name", "string")])
        },
    }


def _management_paths() -> _Paths:
    model = "/models/{model_name}"
    paths: _Paths = {
        "/models": {"get": _list_models(), "post": _register()},
        f"{model}/{{model_version}}/set-default": {"put": _set_default()},
        "/v1/models/{model_name}": {
            "get": _operation(
                "v1_ready",
                "Whether the model can be asked.",
                {"200": _schema({"type": "object"})},
                {"404": _MODEL_ERRORS["404"]},
                [_path("model_name")],
            )
        },
        "/token": {"get": _token()},
    }
    for path, names in ((model, ("model_name",)), (f"{model}/{{model_version}}", None)):
        parameters = [_path(name) for name in names or ("model_name", "model_version")]
        prefix = "" if names else "version_"
        paths[path] = {
            "get": _operation(
                f"{prefix}describeModel",
                "Describe a version, the default one, or all.",
                {"200": _schema({"type": "array", "items": {"type": "object"}})},
                {"404": _MODEL_ERRORS["404"], "503": _MODEL_ERRORS["503"]},
                [*parameters, _query("customized", "boolean")],
            ),
            "put": _operation(
                f"{prefix}setAutoScale",
                "Change how many workers hold the model.",
                dict.fromkeys(("200", "202", "206"), _schema(_STATUS)),
                _CHANGE_ERRORS,
                [
                    *parameters,
                    _query("min_worker", "integer"),
                    _query("max_worker", "integer"),
                    _query("synchronous", "boolean"),
                ],
            ),
            "delete": _operation(
                f"{prefix}unregisterModel",
                "Serve it no longer.",
                {"200": _schema(_STATUS)},
                {
                    "403": "It is the default version, and there are others.",
                    "404": _CHANGE_ERRORS["404"],
                    "405": _CHANGE_ERRORS["405"],
                    "408": "Its workers did not end in time.",
                },
                parameters,
            ),
        }
    return paths


def _metrics_paths() -> _Paths:
    text = {"text/plain; version=0.0.4; charset=utf-8": {"schema": {"type": "string"}}}
    names = {
        "name": "name[]",
        "in": "query",
        "description": "Names of metrics; none gives all.",
        "schema": {"type": "array", "items": {"type": "string"}},
    }
    return {"/metrics": {"get": _operation("metrics", "All metrics.", {"200": text}, {}, [names])}}


def _list_models() -> dict[str, Any]:
    return _operation(
        "listModels",
        "List the models by name.",
        {"200": _schema({"type": "object", "required": ["models"]})},
        {},
        [_query("limit", "string"), _query("next_page_token", "string")],
    )


def _register() -> dict[str, Any]:
    kinds = {
        "model_name": "string",
        "handler": "string",
        "runtime": "string",
        "batch_size": "integer",
        "max_batch_delay": "integer",
        "initial_workers": "integer",
        "synchronous": "boolean",
        "response_timeout": "integer",
        "startup_timeout": "integer",
        "s3_sse_kms": "boolean",
    }
    return _operation(
        "registerModel",
        "Serve an archive.",
        dict.fromkeys(("200", "202"), _schema(_STATUS)),
        {**_CHANGE_ERRORS, "409": "That version is served already."},
        [
            {**_query("url", "string"), "required": True},
            *(_query(name, kind) for name, kind in kinds.items()),
        ],
    )


def _set_default() -> dict[str, Any]:
    return _operation(
        "setDefault",
        "Let this version answer where none is named.",
        {"200": _schema(_STATUS)},
        {"404": _CHANGE_ERRORS["404"]},
        [_path("model_name"), _path("model_version")],
    )


def _token() -> dict[str, Any]:
    kind = {
        **_query("type", "string"),
        "required": True,
        "schema": {"type": "string", "enum": ["inference", "management"]},
    }
    return _operation(
        "token",
        "Replace a key; for the bearer of the API key.",
        {"200": _schema({"type": "object"})},
        {
            "400": "The type is neither.",
            "401": "The API key is missing or wrong.",
            "404": "No tokens are asked for.",
        },
        [kind],
    )


def _predict(
    name: str,
    parameters: Sequence[str],
    summary: str = "Ask a model.",
    query: Sequence[_Table] = (),
) -> dict[str, Any]:
    operation = _operation(
        name,
        summary,
        {"200": _BINARY},
        _MODEL_ERRORS,
        [*(_path(parameter) for parameter in parameters), *query],
    )
    body = {
        "description": "What the model takes: a body as it is, or a form's fields.",
        "required": True,
        "content": _BINARY,
    }
    return {**operation, "requestBody": body}


def _operation(
    name: str,
    summary: str,
    good: Mapping[str, _Table],
    bad: Mapping[str, str] | None = None,
    parameters: Sequence[_Table] = (),
) -> dict[str, Any]:
    responses: dict[str, Any] = {
        status: {"description": "It is done.", "content": content}
        for status, content in good.items()
    }
    for status, text in (bad or {}).items():
        responses[status] = {"description": text, "content": _schema(_ERROR)}
    return {
        "operationId": name,
        "summary": summary,
        "parameters": list(parameters),
        "responses": responses,
    }


def _document(title: str, number: str, paths: _Paths) -> dict[str, Any]:
    return {"openapi": "3.0.1", "info": {"title": title, "version": number}, "paths": paths}


def _schema(schema: _Table) -> dict[str, Any]:
    return {_JSON: {"schema": schema}}


def _path(name: str) -> dict[str, Any]:
    return {"name": name, "in": "path", "required": True, "schema": {"type": "string"}}


def _query(name: str, kind: str) -> dict[str, Any]:
    return {"name": name, "in": "query", "required": False, "schema": {"type": kind}}
