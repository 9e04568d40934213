"""What the web process tells of requests: how many, how they ended, how long, and to traces."""

import re
import secrets
import time
from collections.abc import Mapping
from typing import Any

from litestar.enums import ScopeType
from litestar.types import ASGIApp, HTTPScope, Message, Receive, Scope, Send
from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram

from animator.core.tracing import PRESENT, REQUEST_ID, Span, Tracer

__all__ = ("watch_requests",)

_ID = re.compile(rb"[A-Za-z0-9._-]{1,64}")

_SECONDS = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0)
_METHODS = frozenset({"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"})

_HEALTH = "/api/health"
"""Asked every few seconds by whoever watches: no trace shows it."""


class _Watched:
    """An application that counts its requests."""

    def __init__(self, app: ASGIApp, registry: CollectorRegistry, tracer: Tracer | None) -> None:
        self._app = app
        self._tracer = tracer
        self._requests = Counter(
            "animator_http_requests",
            "Requests by route and status.",
            ("method", "route", "status"),
            registry=registry,
        )
        self._seconds = Histogram(
            "animator_http_request_seconds",
            "From a request to the beginning of its answer.",
            ("method", "route"),
            buckets=_SECONDS,
            registry=registry,
        )
        self._open = Gauge(
            "animator_http_requests_open",
            "Requests whose answer has not ended, streams of news among them.",
            registry=registry,
        )
        # A child costs a look-up and a lock each time it is asked for by its labels.
        self._known: dict[tuple[str, str, int], tuple[Any, Any]] = {}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != ScopeType.HTTP:
            await self._app(scope, receive, send)
            return
        begun = time.perf_counter()
        request_id = _id_of(scope)
        REQUEST_ID.set(request_id)
        span = self._follow(scope, request_id)
        PRESENT.set(span)
        status = 0

        async def send_noting(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
                self._note(scope, status, time.perf_counter() - begun, span)
                id_field = (b"x-request-id", request_id.encode())
                message["headers"] = [*message["headers"], id_field]
            await send(message)

        self._open.inc()
        try:
            await self._app(scope, receive, send_noting)
        finally:
            self._open.dec()
            if span is not None:
                _end(span, scope, status)

    def _follow(self, scope: HTTPScope, request_id: str) -> Span | None:
        """Begin the span of a request that something is asked of, if anybody looks at traces."""
        path = scope["path"]
        if self._tracer is None or not path.startswith("/api/") or path == _HEALTH:
            return None
        span = self._tracer.begin(scope["method"], "server", _headers_of(scope))
        span.note({"animator.request_id": request_id})
        return span

    def _note(self, scope: HTTPScope, status: int, seconds: float, span: Span | None) -> None:
        method, route = _method_of(scope), _route_of(scope)
        found = self._known.get((method, route, status))
        if found is None:
            found = (
                self._requests.labels(method, route, str(status)),
                self._seconds.labels(method, route),
            )
            self._known[method, route, status] = found
        requests, latency = found
        requests.inc()
        latency.observe(seconds, _example(span))


def _id_of(scope: HTTPScope) -> str:
    """The id that the client gave, by which it can be followed; else a new one."""
    given = next((value for name, value in scope["headers"] if name == b"x-request-id"), b"")
    return given.decode() if _ID.fullmatch(given) else secrets.token_hex(16)


def _method_of(scope: HTTPScope) -> str:
    return scope["method"] if scope["method"] in _METHODS else "other"


def _route_of(scope: HTTPScope) -> str:
    """As the router set it; the path itself would be a name of its own for each drawing."""
    return str(scope.get("path_template") or "none")


def _headers_of(scope: HTTPScope) -> Mapping[str, str]:
    return {name.decode("latin-1"): value.decode("latin-1") for name, value in scope["headers"]}


def _example(span: Span | None) -> dict[str, str] | None:
    """The trace in which one sees what took so long, for those who ask in OpenMetrics' form."""
    if span is None or not span.is_recording:
        return None
    _, trace, _, _ = span.headers["traceparent"].split("-")
    return {"trace_id": trace}


def _end(span: Span, scope: HTTPScope, status: int) -> None:
    """End the span of a request that was answered with a status; 0: its client was gone before.

    Attributes as in https://opentelemetry.io/docs/specs/semconv/http/http-spans/, without the
    address: that of a share is as good as a key.
    """
    method, route = _method_of(scope), _route_of(scope)
    span.rename(f"{method} {route}")
    span.note({"http.request.method": method, "http.route": route, "url.scheme": scope["scheme"]})
    if status:
        span.note({"http.response.status_code": status})
    span.end(str(status) if status >= 500 else "")


def watch_requests(
    app: ASGIApp, registry: CollectorRegistry, tracer: Tracer | None = None
) -> ASGIApp:
    """The same application, which counts its requests in a registry, and has them followed."""
    return _Watched(app, registry, tracer)
