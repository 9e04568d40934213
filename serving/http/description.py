"""What the server offers, in OpenAPI 3.0.1: per listener, and per model."""

from collections.abc import Sequence
from typing import Any, Literal, NamedTuple

from serving.archive.manifest import Manifest
from serving.http.description_management import management_paths, v1_ready
from serving.http.description_releases import feedback_paths
from serving.http.description_v2 import v2_paths
from serving.http.openapi import (
    ANYTHING,
    BINARY,
    ERROR,
    NO_MODEL,
    STATUS,
    Paths,
    Table,
    document,
    errors,
    json_content,
    operation,
    path_parameters,
    query,
)
from serving.protocol.metadata import our_version

__all__ = (
    "ApiKind",
    "Offer",
    "describe_api",
    "describe_model",
    "describe_model_management",
)

ApiKind = Literal["inference", "management", "metrics"]
"""What a listener offers."""


class Offer(NamedTuple):
    """What of a listener's addresses the settings leave.

    Attributes:
        kinds: what it offers.
        may_change_models: whether models may be registered and removed.
        has_tokens: whether there are keys, which can be renewed.
    """

    kinds: Sequence[ApiKind]
    may_change_models: bool
    has_tokens: bool


_MODEL_ERRORS = {
    **NO_MODEL,
    "400": "The model does not take the input.",
    "413": "The body is too large.",
    "429": "As many requests wait as may; try again after Retry-After.",
    "500": "A worker ended.",
    "503": "The prediction failed, or no worker holds the model.",
    "504": "There was no answer in time.",
    "507": "The model ran out of memory.",
}


def describe_api(offer: Offer) -> dict[str, Any]:
    """Describe what a listener offers."""
    paths: Paths = {}
    if "inference" in offer.kinds:
        paths |= _inference_paths() | v2_paths(may_change_models=offer.may_change_models)
    if "management" in offer.kinds:
        paths |= management_paths(
            may_change_models=offer.may_change_models, has_tokens=offer.has_tokens
        )
    if "metrics" in offer.kinds:
        paths |= _metrics_paths()
    described = operation("apiDescription", "Describe what is offered.", {"200": json_content({})})
    paths["/"] = {"options": described}
    paths["/api-description"] = {"get": {**described, "operationId": "api-description"}}
    return document("TorchServe APIs", our_version(), paths)


def describe_model(manifest: Manifest) -> dict[str, Any]:
    """Describe how one model is asked."""
    name = manifest.name
    paths = {
        f"/predictions/{name}": {"post": _predict("predictions", "Ask the model.")},
        f"/explanations/{name}": {"post": _predict("explanations", "Ask for an explanation.")},
        f"/v1/models/{name}:predict": {"post": _predict("v1", "Ask as KServe does.")},
        f"/v2/models/{name}/infer": {"post": _predict("v2", "Ask with tensors.")},
    }
    return document(f"RESTful API for: {name}", "1.0.0", paths)


def describe_model_management(manifest: Manifest) -> dict[str, Any]:
    """Describe how one model is managed."""
    every = management_paths(may_change_models=True, has_tokens=True)
    paths = {path: of for path, of in every.items() if path.startswith("/models/")}
    return document(f"RESTful Management API for: {manifest.name}", our_version(), paths)


def _inference_paths() -> Paths:
    model, both = path_parameters("model_name"), path_parameters("model_name", "model_version")
    named = query("model_name", "string", {"minLength": 1}, required=True)
    ping = operation(
        "ping",
        "Whether every model can be asked.",
        dict.fromkeys(("200", "500"), json_content(STATUS)),
    )
    asked = {
        "/predictions/{model_name}": ("predictions", model),
        "/predictions/{model_name}/{model_version}": ("version_predictions", both),
        "/explanations/{model_name}": ("explanations", model),
        "/explanations/{model_name}/{model_version}": ("version_explanations", both),
        "/v1/models/{model_name}:predict": ("v1_predict", model),
        "/v1/models/{model_name}:explain": ("v1_explain", model),
        "/wfpredict/{workflow_name}": ("wfpredict", path_parameters("workflow_name")),
        # A form's field may name it as well, and where one model alone is served nobody need.
        "/invocations": ("invocations", [named]),
    }
    return {
        "/ping": {"get": ping},
        **{path: _every_verb(name, parameters) for path, (name, parameters) in asked.items()},
        "/v1/models/{model_name}": {"get": v1_ready("inference")},
        **feedback_paths(),
    }


def _metrics_paths() -> Paths:
    text = {"text/plain; version=0.0.4; charset=utf-8": {"schema": {"type": "string"}}}
    names = query("name[]", "array", {"items": {"type": "string"}})
    described = operation("metrics", "All metrics, or those named.", {"200": text}, {}, [names])
    return {"/metrics": {"get": described}}


def _every_verb(name: str, parameters: Sequence[Table]) -> dict[str, Any]:
    """Describe a prediction by each of its verbs, of which POST is the one to use."""
    verbs: dict[str, Any] = {"post": _predict(name, "Ask a model.", parameters)}
    for verb in ("put", "patch", "get", "delete"):
        described = _predict(f"{name}_{verb}", "Ask as POST does.", parameters)
        if verb in {"get", "delete"}:
            # OpenAPI knows no body of these, though one is read.
            del described["requestBody"]
        verbs[verb] = described
    return verbs


def _predict(name: str, summary: str, parameters: Sequence[Table] = ()) -> dict[str, Any]:
    described = operation(
        name, summary, {"200": ANYTHING}, errors(_MODEL_ERRORS, ERROR), parameters
    )
    body = {
        "description": "What the model takes: a body as it is, or a form's fields.",
        "required": True,
        "content": BINARY,
    }
    return {**described, "requestBody": body}
