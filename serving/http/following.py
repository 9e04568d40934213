"""Following: what a trace shows of a request over HTTP.

Attributes as in https://opentelemetry.io/docs/specs/semconv/http/http-spans/; there is no
convention for models, so theirs begin with `serving`.
"""

from functools import lru_cache

from serving.http.request import HttpRequest
from serving.observe.tracing import Span, Tracer

__all__ = ("asks_model", "begin_span", "end_span")

_WORDS = frozenset(
    {
        "explain", "explanations", "infer", "invocations", "invoke", "models", "predict",
        "predictions", "v1", "v2", "versions", "wfpredict",
    }
)  # fmt: skip
_NAMES = ("{model}", "{version}")


def asks_model(request: HttpRequest) -> bool:
    """Whether a request is for a model's answer; no other one is followed."""
    segments = request.segments
    return bool(segments) and request.method != "OPTIONS" and _is_asking(segments)


@lru_cache(256)
def _is_asking(segments: tuple[str, ...]) -> bool:
    if segments[0] in ("predictions", "explanations", "invocations", "wfpredict"):
        return True
    return segments[-1].rpartition(":")[2] in ("infer", "explain", "predict", "invoke")


def begin_span(tracer: Tracer, request: HttpRequest, began: float) -> Span | None:
    """Begin the span of a request that came then (monotonic seconds); None: it is not followed.

    Whoever reads the request's headers from now on is a part of this span.
    """
    route, model = _route_of(request.segments)
    span = tracer.begin(f"{request.method} {route}", "server", request.headers, begun=began)
    if not span.is_recording:
        return None
    request.headers = {**request.headers, **span.headers}
    span.note(
        {
            "http.request.method": request.method,
            "http.route": route,
            "serving.model.name": model,
            "serving.request_id": request.told_id,
        }
    )
    return span


def end_span(span: Span, status: int, error: str = "") -> None:
    """End the span of a request that was answered with a status; 0: its client is gone."""
    if status:
        span.note({"http.response.status_code": status})
    span.end(error or (str(status) if status >= 500 else ""))


@lru_cache(256)
def _route_of(segments: tuple[str, ...]) -> tuple[str, str]:
    """An address with names in place of what differs, and the model in it, if there is one."""
    route: list[str] = []
    found: list[str] = []
    for segment in segments:
        name, colon, verb = segment.partition(":")
        if segment in _WORDS:
            route.append(segment)
            continue
        route.append(_NAMES[len(found)] if len(found) < len(_NAMES) else "{path}")
        route[-1] += colon + verb if verb in _WORDS else ""
        found.append(name)
    return "/" + "/".join(route), found[0] if found else ""
