"""Traces by OpenTelemetry's SDK, sent as OTLP over HTTP; imported only where traces are wanted."""

import os
import threading
import time
from collections.abc import Mapping, Sequence

from opentelemetry.context import Context
from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
from opentelemetry.sdk.environment_variables import OTEL_SERVICE_NAME, OTEL_TRACES_SAMPLER
from opentelemetry.sdk.resources import OTELResourceDetector, Resource
from opentelemetry.sdk.trace import SpanProcessor, TracerProvider
from opentelemetry.sdk.trace.export import BatchSpanProcessor
from opentelemetry.sdk.trace.sampling import ParentBased, Sampler, TraceIdRatioBased
from opentelemetry.trace import Link, SpanKind, StatusCode, set_span_in_context
from opentelemetry.trace import Span as OpenSpan
from opentelemetry.trace import Tracer as OpenTracer
from opentelemetry.trace.propagation.tracecontext import TraceContextTextMapPropagator

from serving.observe.shipping import Held, Shipper
from serving.observe.tracing import Attribute, Kind, Span, TraceOptions
from serving.protocol.metadata import our_version

__all__ = ("OtelTracer",)

_KINDS: Mapping[Kind, SpanKind] = {
    "internal": SpanKind.INTERNAL,
    "server": SpanKind.SERVER,
    "client": SpanKind.CLIENT,
    "producer": SpanKind.PRODUCER,
    "consumer": SpanKind.CONSUMER,
}
_FORKS_TIMEOUT_S = 0.9
_READINGS = 5
_SHORT_NS = 10_000
_W3C = TraceContextTextMapPropagator()
_NOTHING = Context()


class OtelSpan:
    """A span of OpenTelemetry.

    Args:
        tracer: makes its children.
        span: itself.
        offset_ns: what lies between monotonic time and that since 1970; the same for a whole part
            of a trace, so that a clock that is set meanwhile does not tear it apart.
    """

    __slots__ = ("_offset_ns", "_tracer", "span")

    def __init__(self, tracer: OpenTracer, span: OpenSpan, offset_ns: int) -> None:
        self._tracer = tracer
        self.span = span
        self._offset_ns = offset_ns

    @property
    def is_recording(self) -> bool:
        """Whether anybody will see it."""
        return self.span.is_recording()

    @property
    def headers(self) -> Mapping[str, str]:
        """By which others join in."""
        carrier: dict[str, str] = {}
        _W3C.inject(carrier, set_span_in_context(self.span, _NOTHING))
        return carrier

    def child(
        self,
        name: str,
        *,
        kind: Kind = "internal",
        begun: float | None = None,
        links: Sequence[Span] = (),
    ) -> "OtelSpan":
        """Begin a part of it."""
        if not self.is_recording:
            return self
        context = set_span_in_context(self.span, _NOTHING)
        linked = [Link(each.span.get_span_context()) for each in links if type(each) is OtelSpan]
        at_ns = _since_1970(time.monotonic() if begun is None else begun, self._offset_ns)
        span = self._tracer.start_span(
            name, context, _KINDS[kind], links=linked, start_time=at_ns, record_exception=False
        )
        return OtelSpan(self._tracer, span, self._offset_ns)

    def rename(self, name: str) -> None:
        """Give it another name."""
        self.span.update_name(name)

    def note(self, attributes: Mapping[str, Attribute]) -> None:
        """Say more of it."""
        self.span.set_attributes(attributes)

    def end(self, error: str = "", at: float | None = None) -> None:
        """End it."""
        if error:
            self.span.set_attribute("error.type", error)
            self.span.set_status(StatusCode.ERROR)
        self.span.end(_since_1970(time.monotonic() if at is None else at, self._offset_ns))


class OtelTracer:
    """Follows requests by OpenTelemetry.

    Args:
        options: of this process.
        where: the traces go, for the log.
    """

    def __init__(self, options: TraceOptions, where: str) -> None:
        url = f"{options.endpoint.rstrip('/')}/v1/traces" if options.endpoint else None
        # None: as the environment says, else 10 s. In less than a second nothing is tried twice.
        timeout_s = _FORKS_TIMEOUT_S if options.is_forking else None
        self._shipper = Shipper(OTLPSpanExporter(endpoint=url, timeout=timeout_s), where)
        self._held = Held(self._shipper) if options.is_forking else None
        processor: SpanProcessor = self._held or BatchSpanProcessor(self._shipper)
        self._provider = TracerProvider(
            sampler=_sampler_of(options), resource=_resource_of(options), shutdown_on_exit=False
        )
        self._provider.add_span_processor(processor)
        self._tracer = self._provider.get_tracer("animator", our_version())

    def begin(
        self,
        name: str,
        kind: Kind,
        carried: Mapping[str, str],
        *,
        begun: float | None = None,
    ) -> OtelSpan:
        """Begin to follow what has come."""
        context = _W3C.extract(carried, _NOTHING) if "traceparent" in carried else _NOTHING
        offset_ns = _offset_ns()
        at_ns = _since_1970(time.monotonic() if begun is None else begun, offset_ns)
        span = self._tracer.start_span(
            name, context, _KINDS[kind], start_time=at_ns, record_exception=False
        )
        return OtelSpan(self._tracer, span, offset_ns)

    def close(self, within_s: float) -> None:
        """Send what is not sent yet, in so many seconds at most."""
        work = self._held.ship if self._held is not None else self._provider.shutdown
        # A thread of its own: neither the SDK nor its HTTP client keeps to a limit.
        sending = threading.Thread(target=work, daemon=True)
        sending.start()
        sending.join(within_s)
        if sending.is_alive():
            self._shipper.give_up(f"no answer within {within_s:g} s")


def _offset_ns() -> int:
    """From monotonic time to that since 1970; read again where something came in between."""
    for _ in range(_READINGS):
        before, wall, after = time.monotonic_ns(), time.time_ns(), time.monotonic_ns()
        if after - before < _SHORT_NS:
            break
    return wall - (before + after) // 2


def _since_1970(monotonic_s: float, offset_ns: int) -> int:
    return round(monotonic_s * 1e9) + offset_ns


def _sampler_of(options: TraceOptions) -> Sampler | None:
    """None leaves it to the environment, and else to the SDK: who asks decides, and all."""
    if options.share is None and (not options.is_edge or os.environ.get(OTEL_TRACES_SAMPLER)):
        return None
    share = TraceIdRatioBased(1.0 if options.share is None else options.share)
    # Strangers can say what is not to be followed. What is to be, they cannot.
    return (
        ParentBased(share, remote_parent_sampled=share) if options.is_edge else ParentBased(share)
    )


def _resource_of(options: TraceOptions) -> Resource:
    """What the spans of this process have in common; the environment has the last word."""
    ours: dict[str, Attribute] = {
        "service.name": options.service,
        "service.namespace": "animator",
        "service.version": our_version(),
        "process.pid": os.getpid(),
    }
    said = dict(OTELResourceDetector().detect().attributes)
    if os.environ.get(OTEL_SERVICE_NAME):
        said["service.name"] = os.environ[OTEL_SERVICE_NAME]
    return Resource.create({**ours, **said})
