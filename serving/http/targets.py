"""Target: what an address of TorchServe's inference API asks for, read from its segments."""

import uuid
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache

from msgspec.structs import replace

from serving.http.forms import read_fields
from serving.http.problems import NoRoute
from serving.http.request import HttpRequest
from serving.http.routing import NOT_FOUND
from serving.protocol.exchange import RawRequest, Verb

__all__ = ("Target", "find_target", "in_sequence", "raw_request")

_SEQUENCE = ("ts_request_sequence_id", "ts_request_sequence_start", "ts_request_sequence_end")


@dataclass(frozen=True, slots=True)
class Target:
    """What a request's address asks for.

    Attributes:
        model: None: it is named by a field, or is the only one.
        version: None: the default one.
        verb: to predict or to explain.
        url_path: what follows the version, for the handler.
        has_query_inputs: whether the query's parameters are inputs.
    """

    model: str | None
    version: str | None = None
    verb: Verb = "predict"
    url_path: str = ""
    has_query_inputs: bool = False


@lru_cache(256)
def find_target(segments: tuple[str, ...]) -> Target | None:
    """Read an address; None when it asks for no model.

    Raises:
        NoRoute: when it begins as one of these addresses and goes on as none.
    """
    first = segments[0] if segments else ""
    return _READERS.get(first, _legacy_target)(segments)


def _named_target(segments: tuple[str, ...]) -> Target:
    if len(segments) < 2:
        raise NoRoute(NOT_FOUND)
    kind, model, *rest = segments
    return Target(model, rest[0] if rest else None, _VERBS[kind], "/".join(rest[1:]))


def _v1_target(segments: tuple[str, ...]) -> Target | None:
    match segments:
        case ("v1", "models", name):
            model, _, kind = name.rpartition(":")
            return Target(model, verb=_VERBS[kind]) if kind in _VERBS and model else None
    return None


def _v2_target(segments: tuple[str, ...]) -> Target | None:
    match segments:
        case ("v2", "models", model, "infer" | "explain" as kind):
            return Target(model, verb=_VERBS[kind])
        case ("v2", "models", model, "versions", version, "infer" | "explain" as kind):
            return Target(model, version, _VERBS[kind])
    return None


def _invoked_target(segments: tuple[str, ...]) -> Target | None:
    match segments:
        case ("invocations",):
            return Target(None, has_query_inputs=True)
        case ("models", model, "invoke"):
            return Target(model, has_query_inputs=True)
        case ("invocations", *_) | ("models", _, _):
            raise NoRoute(NOT_FOUND)
    return None


def _legacy_target(segments: tuple[str, ...]) -> Target | None:
    match segments:
        case (model, "predict"):
            return Target(model, has_query_inputs=True)
        case (model, version, "predict"):
            return Target(model, version, has_query_inputs=True)
    return None


_VERBS: dict[str, Verb] = {
    "predictions": "predict",
    "explanations": "explain",
    "predict": "predict",
    "infer": "predict",
    "explain": "explain",
}
_READERS = {
    "predictions": _named_target,
    "explanations": _named_target,
    "v1": _v1_target,
    "v2": _v2_target,
    "invocations": _invoked_target,
    "models": _invoked_target,
}


def raw_request(
    request: HttpRequest, target: Target, sequence_headers: tuple[str, str, str] = _SEQUENCE
) -> RawRequest:
    """Hand a request to a handler as TorchServe does.

    Raises:
        BadInput: when its form is broken.
    """
    values, content_types = read_fields(request.body, request.content_type)
    if target.has_query_inputs:
        asked = {name: found[-1].encode() for name, found in request.parameters.items()}
        values = {**asked, **values}
    headers = {
        **request.headers,
        "url_path": target.url_path,
        "explain": "True" if target.verb == "explain" else "False",
    }
    if sequence_headers != _SEQUENCE:
        headers |= _renamed(request.headers, sequence_headers)
    return RawRequest(values, content_types, headers, request.id, target.verb)


def in_sequence(request: RawRequest, names: tuple[str, str, str] = _SEQUENCE) -> RawRequest:
    """Let a request that names no sequence begin one, as in the reference.

    Its handler tells the client the id, by a header of the answer.
    """
    name, start, _ = (each.lower() for each in names)
    if request.headers.get(name):
        return request
    mark = {name: f"ts-seq-{uuid.uuid4()}", start: "true"}
    return replace(request, headers={**request.headers, **mark, **_renamed(mark, names)})


def _renamed(headers: Mapping[str, str], names: tuple[str, str, str]) -> dict[str, str]:
    pairs = zip(_SEQUENCE, names, strict=True)
    return {usual: headers[name.lower()] for usual, name in pairs if name.lower() in headers}
