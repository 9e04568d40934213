"""TorchServe's management API in OpenAPI."""

from collections.abc import Sequence
from typing import Any, get_args

from serving.audit.entry import AuditAction
from serving.http.description_releases import release_paths
from serving.http.openapi import (
    ERROR,
    JSON_OBJECT,
    NO_MODEL,
    NO_TOKEN,
    STATUS,
    Paths,
    Table,
    array_of,
    errors,
    json_content,
    object_of,
    operation,
    path_parameters,
    query,
)

__all__ = ("management_paths", "v1_ready")

_NUMBER = {"minimum": 1, "maximum": 2**31 - 1}
"""TorchServe's parameters have 32 bits."""

_COUNT = {**_NUMBER, "minimum": 0}

_SLO_MS = {"minimum": 0, "maximum": 3_600_000}

_PAGE = ("limit", "next_page_token")

_CHANGE_ERRORS = {
    **NO_MODEL,
    "400": "A parameter is missing or wrong.",
    "500": "A worker could not be started.",
    "507": "Loading ran out of memory.",
}


def management_paths(*, may_change_models: bool, has_tokens: bool) -> Paths:
    """Describe the addresses; those that change models only where that is allowed."""
    number = {"minimum": 0, "maximum": 999_999_999}
    model = "/models/{model_name}"
    paths: Paths = {
        # What is no number means the default for the one, and is refused by the other.
        "/models": {"get": _list("models", [query(name, "string") for name in _PAGE])},
        "/workflows": {
            "get": _list(
                "workflows",
                [query(name, "integer", number) for name in _PAGE],
            )
        },
        "/workflows/{workflow_name}": {"get": _describe_workflow()},
        f"{model}/{{model_version}}/set-default": {"put": _set_default()},
        f"{model}/{{model_version}}/lineage": {"get": _lineage()},
        "/v1/models/{model_name}": {"get": v1_ready("management")},
        model: _one_model("", "model_name"),
        f"{model}/{{model_version}}": _one_model("version_", "model_name", "model_version"),
    }
    paths["/audit"] = {"get": _audit()}
    paths |= release_paths()
    if has_tokens:
        paths["/token"] = {"get": _token()}
    if may_change_models:
        paths["/models"]["post"] = _register()
        paths["/workflows"]["post"] = _register_workflow()
        paths["/workflows/{workflow_name}"]["delete"] = _unregister_workflow()
    else:
        for path in (model, f"{model}/{{model_version}}"):
            del paths[path]["delete"]
    return paths


def _one_model(prefix: str, *names: str) -> dict[str, Any]:
    parameters = path_parameters(*names)
    customized = query("customized", "boolean")
    workers = [
        query("min_worker", "integer", _COUNT),
        query("max_worker", "integer", _COUNT),
        query("batch_size", "integer", _NUMBER),
        query("max_batch_delay", "integer", _COUNT),
        query("slo_p99_ms", "integer", _SLO_MS),
        query("synchronous", "boolean"),
    ]
    changing = {
        **_CHANGE_ERRORS,
        "409": "Its workers go by the batch size that they were started with.",
    }
    removing = {
        **NO_MODEL,
        "403": "It is the default version, and there are others.",
        "408": "Its workers did not end in time.",
    }
    return {
        "get": operation(
            f"{prefix}describeModel",
            "Describe a version, the default one, or all.",
            {"200": json_content(array_of(JSON_OBJECT))},
            errors({**NO_MODEL, "503": "No worker holds the model."}, ERROR),
            [*parameters, customized],
        ),
        "put": operation(
            f"{prefix}setAutoScale",
            "Change how many workers hold it, up to the setting most_workers, and its batches.",
            dict.fromkeys(("200", "202", "206"), json_content(STATUS)),
            errors(changing, ERROR),
            [*parameters, *workers],
        ),
        "delete": operation(
            f"{prefix}unregisterModel",
            "Serve it no longer.",
            {"200": json_content(STATUS)},
            errors(removing, ERROR),
            parameters,
        ),
    }


def v1_ready(kind: str) -> dict[str, Any]:
    """Describe KServe's question, which both listeners answer."""
    ready = object_of({"name": {"type": "string"}, "ready": {"type": "boolean"}})
    return operation(
        f"v1_ready_{kind}",
        "Whether the model can be asked.",
        {"200": json_content(ready)},
        errors(NO_MODEL, ERROR),
        path_parameters("model_name"),
    )


def _list(what: str, page: Sequence[Table]) -> dict[str, Any]:
    return operation(
        f"list{what.capitalize()}",
        f"List the {what} by name.",
        {"200": json_content(object_of({what: array_of(JSON_OBJECT)}))},
        errors({"400": "A parameter is wrong.", **NO_TOKEN}, ERROR),
        page,
    )


def _register() -> dict[str, Any]:
    parameters = [
        query("url", "string", {"minLength": 1}, required=True),
        query("model_name", "string"),
        query("handler", "string"),
        query("runtime", "string", {"enum": ["python", "python3"]}),
        query("batch_size", "integer", _NUMBER),
        query("max_batch_delay", "integer", _NUMBER),
        query("slo_p99_ms", "integer", _SLO_MS),
        query("initial_workers", "integer", _COUNT),
        query("synchronous", "boolean"),
        query("response_timeout", "integer", _NUMBER),
        query("startup_timeout", "integer", _NUMBER),
    ]
    return operation(
        "registerModel",
        "Serve an archive.",
        dict.fromkeys(("200", "202"), json_content(STATUS)),
        errors({**_CHANGE_ERRORS, "409": "That version is served already."}, ERROR),
        parameters,
    )


def _register_workflow() -> dict[str, Any]:
    seconds = {"minimum": 1, "maximum": 999_999_999}
    parameters = [
        query("url", "string", {"minLength": 1}, required=True),
        query("workflow_name", "string"),
        query("response_timeout", "integer", seconds),
        query("startup_timeout", "integer", seconds),
    ]
    return operation(
        "registerWorkflow",
        "Serve an archive of a workflow.",
        {"200": json_content(STATUS)},
        errors({**_CHANGE_ERRORS, "409": "It is served already."}, ERROR),
        parameters,
    )


def _describe_workflow() -> dict[str, Any]:
    return operation(
        "describeWorkflow",
        "Describe a workflow.",
        {"200": json_content(array_of(JSON_OBJECT))},
        errors(NO_MODEL, ERROR),
        path_parameters("workflow_name"),
    )


def _unregister_workflow() -> dict[str, Any]:
    return operation(
        "unregisterWorkflow",
        "Serve it no longer.",
        {"200": json_content(STATUS)},
        errors(NO_MODEL, ERROR),
        path_parameters("workflow_name"),
    )


def _lineage() -> dict[str, Any]:
    return operation(
        "describeLineage",
        "Tell what a version is made of: hashes of its files, and how it was trained.",
        {"200": json_content(JSON_OBJECT)},
        errors(NO_MODEL, ERROR),
        path_parameters("model_name", "model_version"),
    )


def _audit() -> dict[str, Any]:
    moment = {"format": "date-time"}
    parameters = [
        query("limit", "integer", {"minimum": 1, "maximum": 1000}),
        query("next_page_token", "integer", {"minimum": 1, "maximum": 2**53}),
        *(query(name, "string") for name in ("model", "version", "who", "result")),
        query("what", "string", {"enum": list(get_args(AuditAction))}),
        query("since", "string", moment),
        query("until", "string", moment),
    ]
    page = object_of(
        {
            "entries": array_of(_entry()),
            "head_sequence": {"type": "integer"},
            "head": {"type": "string", "description": "SHA-256 of the last entry."},
        },
        {"next_page_token": {"type": "string"}},
    )
    return operation(
        "audit",
        "Tell who changed what, the latest first; all parameters must hold.",
        {"200": json_content(page)},
        errors(
            {**NO_TOKEN, "400": "A parameter is wrong.", "503": "The log cannot be read."}, ERROR
        ),
        parameters,
    )


def _entry() -> dict[str, Any]:
    text = {"type": "string"}
    always = {
        "format": {"type": "integer"},
        "sequence": {"type": "integer"},
        "time": {"type": "string", "format": "date-time"},
        **dict.fromkeys(("who", "what", "result", "previous"), text),
    }
    names = ("key", "address", "via", "agent", "request_id", "model", "version", "reason")
    states = dict.fromkeys(("before", "after"), JSON_OBJECT)
    return object_of(always, {**dict.fromkeys(names, text), **states})


def _set_default() -> dict[str, Any]:
    return operation(
        "setDefault",
        "Let this version answer where none is named.",
        {"200": json_content(STATUS)},
        errors(NO_MODEL, ERROR),
        path_parameters("model_name", "model_version"),
    )


def _token() -> dict[str, Any]:
    return operation(
        "token",
        "Replace a key; for the bearer of the API key.",
        {"200": json_content(JSON_OBJECT)},
        errors({"400": "The type is neither.", **NO_TOKEN}, ERROR),
        [query("type", "string", {"enum": ["inference", "management"]}, required=True)],
    )
