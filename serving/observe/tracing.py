"""Tracing: whether requests are followed through all parts, and what a part asks of who does it.

What follows them is OpenTelemetry, the extra `otel`. Nothing of it is imported before somebody has
said where traces go: by a setting, or by the variables of its specification
(https://opentelemetry.io/docs/specs/otel/configuration/sdk-environment-variables/).
"""

import logging
import os
from collections.abc import Mapping, Sequence
from typing import Literal, Protocol, TypeAlias

import msgspec

__all__ = ("Attribute", "Kind", "Span", "TraceOptions", "Tracer", "make_tracer")

Kind = Literal["internal", "server", "client", "producer", "consumer"]
"""Whose side of a call a span tells of, in the words of OpenTelemetry."""

Attribute: TypeAlias = str | int | float | bool

_ENDPOINTS = ("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", "OTEL_EXPORTER_OTLP_ENDPOINT")
_PROTOCOLS = ("OTEL_EXPORTER_OTLP_TRACES_PROTOCOL", "OTEL_EXPORTER_OTLP_PROTOCOL")

_log = logging.getLogger(__name__)


class Span(Protocol):
    """Something that takes time, as a trace shows it; all times are monotonic seconds."""

    @property
    def is_recording(self) -> bool:
        """Whether anybody will see it; else its children need not be told of."""
        ...

    @property
    def headers(self) -> Mapping[str, str]:
        """By which others join in: `traceparent`, and `tracestate` where there is one."""
        ...

    def child(
        self,
        name: str,
        *,
        kind: Kind = "internal",
        begun: float | None = None,
        links: "Sequence[Span]" = (),
    ) -> "Span":
        """Begin a part of it, now or then; `links` are what else it is about."""
        ...

    def rename(self, name: str) -> None:
        """Give it the name that was not known when it began."""
        ...

    def note(self, attributes: Mapping[str, Attribute]) -> None:
        """Say more of it; no pictures, names of files, cookies or keys."""
        ...

    def end(self, error: str = "", at: float | None = None) -> None:
        """End it, now or then; `error` is the code of what went wrong."""
        ...


class Tracer(Protocol):
    """Follows requests."""

    def begin(
        self,
        name: str,
        kind: Kind,
        carried: Mapping[str, str],
        *,
        begun: float | None = None,
    ) -> Span:
        """Begin to follow what has come.

        Args:
            name: of the first span here.
            kind: of it.
            carried: what came along, by name in lower case; `traceparent` and `tracestate` in it
                say whose part this is (https://www.w3.org/TR/trace-context/).
            begun: when it came, monotonic seconds; None: now.
        """
        ...

    def close(self, within_s: float) -> None:
        """Send what is not sent yet, in so many seconds at most."""
        ...


class TraceOptions(msgspec.Struct, frozen=True, kw_only=True):
    """How a process tells of its part.

    Attributes:
        service: what it is called, unless the environment names it.
        endpoint: where traces are taken, as OTEL_EXPORTER_OTLP_ENDPOINT; "": as the environment
            says.
        share: of the requests that are followed, in [0, 1]; None: as the environment says, else
            all.
        is_edge: whether strangers come here: what they ask to have followed counts as any other.
        is_forking: whether each piece of work is done by a fork, which calls `close` in the end.
    """

    service: str
    endpoint: str = ""
    share: float | None = None
    is_edge: bool = False
    is_forking: bool = False


def make_tracer(options: TraceOptions) -> Tracer | None:
    """Make what follows requests; None where nobody asks for traces, or the extra is not there."""
    where = options.endpoint or _said(_ENDPOINTS)
    if not where or not _is_wanted():
        return None
    protocol = _said(_PROTOCOLS) or "http/protobuf"
    if protocol != "http/protobuf":
        _log.warning("no traces: OTLP is spoken as http/protobuf here, not as %s", protocol)
        return None
    try:
        from serving.observe.otel import OtelTracer
    except ModuleNotFoundError as error:
        _log.warning("no traces: %s; pip install 'animator[otel]'", error)
        return None
    try:
        return OtelTracer(options, where)
    except Exception as error:
        # What a variable should not have said keeps nobody from his work.
        _log.warning("no traces: %s: %s", type(error).__name__, error)
        return None


def _said(names: Sequence[str]) -> str:
    """What the first of these variables says that says anything."""
    return next((value for name in names if (value := os.environ.get(name))), "")


def _is_wanted() -> bool:
    # As the SDK reads it: were it off and we did not know, spans would be without a context.
    is_off = _said(("OTEL_SDK_DISABLED",)).strip().lower() == "true"
    return not is_off and (_said(("OTEL_TRACES_EXPORTER",)) or "otlp") == "otlp"
