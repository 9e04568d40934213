"""A place where traces are taken, by OTLP over HTTP, for tests of what is sent there."""

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import (
    ExportTraceServiceRequest,
    ExportTraceServiceResponse,
)
from opentelemetry.proto.common.v1.common_pb2 import AnyValue
from opentelemetry.proto.trace.v1.trace_pb2 import Span, Status

PATIENCE = 15.0


@dataclass(frozen=True)
class Taken:
    """A span that was sent."""

    service: str
    name: str
    kind: str
    trace: str
    id: str
    parent: str
    begun: int
    ended: int
    said: dict[str, Any]
    links: tuple[str, ...]
    is_error: bool

    @property
    def traceparent(self) -> str:
        return f"00-{self.trace}-{self.id}-01"


@dataclass
class Collector:
    """Takes spans; while it is away it answers 503."""

    url: str = ""
    spans: list[Taken] = field(default_factory=list)
    is_away: bool = False
    asked_at: list[float] = field(default_factory=list)

    def trace(self, id: str) -> list[Taken]:
        return [span for span in self.spans if span.trace == id]

    def wait_for(self, is_there: Callable[[], bool]) -> None:
        give_up = time.monotonic() + PATIENCE
        while not is_there():
            assert time.monotonic() < give_up, sorted((s.service, s.name) for s in self.spans)
            time.sleep(0.05)

    def wait_for_span(self, name: str, trace: str = "") -> Taken:
        def found() -> list[Taken]:
            return [s for s in self.spans if s.name == name and trace in ("", s.trace)]

        self.wait_for(lambda: bool(found()))
        return found()[0]


@contextmanager
def collector() -> Iterator[Collector]:
    taken = Collector()

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["Content-Length"]))
            taken.asked_at.append(time.time())
            if not taken.is_away:
                assert self.path == "/v1/traces"
                taken.spans += _read(ExportTraceServiceRequest.FromString(body))
            answer = ExportTraceServiceResponse().SerializeToString()
            self.send_response(503 if taken.is_away else 200)
            self.send_header("Content-Length", str(len(answer)))
            self.end_headers()
            self.wfile.write(answer)

        def log_message(self, *_: object) -> None:
            """Say nothing."""

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        taken.url = f"http://127.0.0.1:{server.server_port}"
        thread = threading.Thread(target=server.serve_forever, args=(0.05,))
        thread.start()
        try:
            yield taken
        finally:
            server.shutdown()
            thread.join()


def _read(request: ExportTraceServiceRequest) -> Iterator[Taken]:
    for resource in request.resource_spans:
        said = {each.key: _value(each.value) for each in resource.resource.attributes}
        for scope in resource.scope_spans:
            yield from (_span(span, str(said["service.name"])) for span in scope.spans)


def _span(span: Span, service: str) -> Taken:
    return Taken(
        service=service,
        name=span.name,
        kind=Span.SpanKind.Name(span.kind).removeprefix("SPAN_KIND_").lower(),
        trace=span.trace_id.hex(),
        id=span.span_id.hex(),
        parent=span.parent_span_id.hex(),
        begun=span.start_time_unix_nano,
        ended=span.end_time_unix_nano,
        said={each.key: _value(each.value) for each in span.attributes},
        links=tuple(link.span_id.hex() for link in span.links),
        is_error=span.status.code == Status.STATUS_CODE_ERROR,
    )


def _value(value: AnyValue) -> Any:
    return getattr(value, str(value.WhichOneof("value")))
