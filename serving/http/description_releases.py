"""The addresses of releases in OpenAPI."""

from typing import Any

from serving.http.openapi import (
    ERROR,
    JSON_OBJECT,
    NO_MODEL,
    NO_TOKEN,
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

__all__ = ("feedback_paths", "release_paths")

_TEXT: Table = {"type": "string"}
_VERSION: Table = {"type": "string", "minLength": 1, "maxLength": 128}
_SHARE: Table = {"type": "number", "minimum": 0, "exclusiveMinimum": True, "maximum": 1}
_PART: Table = {"type": "number", "minimum": 0, "maximum": 1}
_FROM_ZERO: Table = {"type": "number", "minimum": 0, "maximum": 1e9}
_COUNT: Table = {"type": "integer", "minimum": 1, "maximum": 10**9}
_NAME: Table = {"type": "string", "pattern": "^[A-Za-z0-9_.-]{1,64}$"}
_OVER = {"409": "The last release is over, or the new version has no worker."}


def release_paths() -> Paths:
    """Describe what may be asked of releases on the management port."""
    model = "/releases/{model_name}"
    step = {"share": {**_SHARE, "description": "Of the requests; without it the next step."}}
    changes: dict[str, tuple[str, dict[str, Any] | None]] = {
        "step": ("Give the new version more now, or less.", _strict(step)),
        "promote": ("Let the new version answer everything.", None),
        "pause": ("Let a canary get no larger.", None),
        "resume": ("Let it get larger again.", None),
        "abort": (
            "Let the version before answer everything.",
            _strict({"reason": {"type": "string", "maxLength": 500}}),
        ),
    }
    return {
        "/releases": {"get": _list(), "post": _begin()},
        model: {"get": _read()},
        **{
            f"{model}/{verb}": {"post": _change(verb, summary, body)}
            for verb, (summary, body) in changes.items()
        },
    }


def feedback_paths() -> Paths:
    """Describe how clients say what they make of answers, on the inference port."""
    said = object_of(
        {
            "version": _VERSION,
            "metric": {"type": "string", "pattern": "^[A-Za-z_][A-Za-z0-9_]{0,63}$"},
            "value": {"type": "number", "minimum": -1e300, "maximum": 1e300},
        }
    )
    described = operation(
        "feedback",
        "Say what an answer was worth, to whoever compares versions.",
        {"200": json_content(JSON_OBJECT)},
        errors({**NO_MODEL, "400": "The body is not what is taken."}, ERROR),
        path_parameters("model_name"),
    )
    body = _body({**said, "additionalProperties": False}, is_required=True)
    return {"/feedback/{model_name}": {"post": {**described, "requestBody": body}}}


def _list() -> dict[str, Any]:
    return operation(
        "listReleases",
        "List the present or last release of each model.",
        {"200": json_content(object_of({"releases": array_of(JSON_OBJECT)}))},
        errors(NO_TOKEN, ERROR),
    )


def _read() -> dict[str, Any]:
    return operation(
        "describeRelease",
        "Tell how a model's release stands.",
        {"200": json_content(_report())},
        errors(NO_MODEL, ERROR),
        path_parameters("model_name"),
    )


def _begin() -> dict[str, Any]:
    bad = {
        **NO_MODEL,
        "400": "The plan cannot be followed.",
        "409": "A release is on, or the version took itself back before.",
        "507": "Loading ran out of memory.",
    }
    described = operation(
        "beginRelease",
        "Release a version that is served.",
        {"201": json_content(_report())},
        errors(bad, ERROR),
        [query("again", "boolean")],
    )
    return {**described, "requestBody": _body({"oneOf": _plans()}, is_required=True)}


def _change(verb: str, summary: str, body: dict[str, Any] | None) -> dict[str, Any]:
    bad = {**NO_MODEL, **_OVER}
    if body is not None:
        bad["400"] = "The body is not what is taken."
    described = operation(
        f"{verb}Release",
        summary,
        {"200": json_content(_report())},
        errors(bad, ERROR),
        path_parameters("model_name"),
    )
    return described if body is None else {**described, "requestBody": _body(body)}


def _plans() -> list[dict[str, Any]]:
    named = {"model": {"type": "string", "minLength": 1}}
    stable = {"stable": {"type": "string"}}
    canary = {
        "steps": {"type": "array", "items": _SHARE, "minItems": 1, "maxItems": 100},
        "step_s": _FROM_ZERO,
        "step_requests": _COUNT,
        "keep_stable": {"type": "boolean"},
        "sticky": _sticky(),
        "guard": _guard(),
    }
    weight = {**_SHARE, "maximum": 1e6}
    weights = {
        "type": "object", "additionalProperties": weight, "minProperties": 2, "maxProperties": 8,
    }  # fmt: skip
    shadow = {
        "share": _SHARE,
        "most_at_once": {"type": "integer", "minimum": 1, "maximum": 64},
        "relative_tolerance": _FROM_ZERO,
        "absolute_tolerance": _FROM_ZERO,
    }
    return [
        _strict({**stable, **canary}, {**_kind("canary"), **named, "version": _VERSION}),
        _strict({**stable, "sticky": _sticky()}, {**_kind("split"), **named, "weights": weights}),
        _strict({**stable, **shadow}, {**_kind("shadow"), **named, "version": _VERSION}),
    ]


def _kind(name: str) -> dict[str, Any]:
    return {"kind": {"type": "string", "enum": [name]}}


def _sticky() -> dict[str, Any]:
    unnamed = {"by": {"type": "string", "enum": ["none", "address"]}}
    by_name = {"by": {"type": "string", "enum": ["header", "cookie"]}, "name": _NAME}
    return {"oneOf": [_strict({}, unnamed), _strict({}, by_name)]}


def _guard() -> dict[str, Any]:
    return _strict(
        {
            "false_alarms": {"type": "number", "minimum": 1e-6, "maximum": 0.2},
            "most_error_excess": _PART,
            "most_shed_excess": _PART,
            "most_rejected_excess": _PART,
            "most_latency_ratio": {"type": "number", "minimum": 1, "maximum": 1e9},
            "most_drift": _SHARE,
            "drift_ignore": array_of(_TEXT),
            "most_unready_s": _FROM_ZERO,
        }
    )


def _report() -> dict[str, Any]:
    always = {
        **dict.fromkeys(("id", "model", "stable", "candidate", "reason"), _TEXT),
        "kind": {"type": "string", "enum": ["canary", "split", "shadow"]},
        "state": {
            "type": "string",
            "enum": ["running", "paused", "completed", "rolled_back", "aborted"],
        },
        "share": {"type": "number"},
        "step": {"type": "integer"},
        **dict.fromkeys(("steps", "arms", "comparisons", "events"), array_of({})),
        "begun_at": {"type": "number"},
        "step_at": {"type": "number"},
        "ended_at": {"type": "number", "nullable": True},
        **dict.fromkeys(("numbers", "progress", "plan"), JSON_OBJECT),
        "shadow": {"type": "object", "nullable": True},
    }
    return object_of(always)


def _strict(optional: Table, required: Table | None = None) -> dict[str, Any]:
    """The schema of an object with these fields and no others."""
    schema = object_of(required or {}, optional)
    if not required:
        del schema["required"]
    return {**schema, "additionalProperties": False}


def _body(schema: Table, *, is_required: bool = False) -> dict[str, Any]:
    return {"required": is_required, "content": json_content(schema)}
