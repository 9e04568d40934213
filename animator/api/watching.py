"""What the web process tells Prometheus of requests: how many, how they ended, how long."""

import re
import secrets
import time
from contextvars import ContextVar
from typing import Any

from litestar.enums import ScopeType
from litestar.types import ASGIApp, HTTPScope, Message, Receive, Scope, Send
from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram

__all__ = ("REQUEST_ID", "watch_requests")

REQUEST_ID: ContextVar[str] = ContextVar("request_id", default="")
"""Of the request that is being answered, for the log; empty outside of one."""

_ID = re.compile(rb"[A-Za-z0-9._-]{1,64}")

_SECONDS = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0)
_METHODS = frozenset({"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"})


class _Watched:
    """An application that counts its requests."""

    def __init__(self, app: ASGIApp, registry: CollectorRegistry) -> None:
        self._app = app
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

        async def send_noting(message: Message) -> None:
            if message["type"] == "http.response.start":
                self._note(scope, message["status"], time.perf_counter() - begun)
                id_field = (b"x-request-id", request_id.encode())
                message["headers"] = [*message["headers"], id_field]
            await send(message)

        self._open.inc()
        try:
            await self._app(scope, receive, send_noting)
        finally:
            self._open.dec()

    def _note(self, scope: HTTPScope, status: int, seconds: float) -> None:
        method = scope["method"] if scope["method"] in _METHODS else "other"
        # Set by the router; the path itself would be a name of its own for each drawing.
        route = str(scope.get("path_template") or "none")
        found = self._known.get((method, route, status))
        if found is None:
            found = (
                self._requests.labels(method, route, str(status)),
                self._seconds.labels(method, route),
            )
            self._known[method, route, status] = found
        requests, latency = found
        requests.inc()
        latency.observe(seconds)


def _id_of(scope: HTTPScope) -> str:
    """The id that the client gave, by which it can be followed; else a new one."""
    given = next((value for name, value in scope["headers"] if name == b"x-request-id"), b"")
    return given.decode() if _ID.fullmatch(given) else secrets.token_hex(16)


def watch_requests(app: ASGIApp, registry: CollectorRegistry) -> ASGIApp:
    """The same application, which counts its requests in a registry."""
    return _Watched(app, registry)
