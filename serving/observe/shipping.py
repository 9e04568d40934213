"""Shipping: spans on their way to who takes them; nobody's work fails or waits for it."""

import logging
import mmap
import struct
import time
from collections import deque
from collections.abc import Sequence
from typing import Final

from opentelemetry.sdk.trace import ReadableSpan, SpanProcessor
from opentelemetry.sdk.trace.export import SpanExporter, SpanExportResult

__all__ = ("Fuse", "Held", "Shipper")

_PAUSE_S = 30.0
"""How long nothing is sent after it was not taken, seconds."""

_MOST_HELD = 2048
"""Spans that a fork holds until its end; the first of more are lost. The SDK's queue is as long."""

_DOUBLE: Final = struct.Struct("d")

_log = logging.getLogger(__name__)


class Fuse:
    """Whether it is worth trying; a process and all its forks know the same."""

    def __init__(self) -> None:
        self._memory = mmap.mmap(-1, _DOUBLE.size)

    @property
    def is_blown(self) -> bool:
        """Whether it failed less than half a minute ago."""
        return time.monotonic() < self._until

    def blow(self) -> bool:
        """Learn that it failed; whether that is news."""
        is_news = not self._until
        self._until = time.monotonic() + _PAUSE_S
        return is_news

    def mend(self) -> bool:
        """Learn that it went well; whether that is news."""
        is_news = bool(self._until)
        if is_news:
            self._until = 0.0
        return is_news

    @property
    def _until(self) -> float:
        until: float = _DOUBLE.unpack_from(self._memory)[0]
        return until

    @_until.setter
    def _until(self, until: float) -> None:
        _DOUBLE.pack_into(self._memory, 0, until)


class Shipper(SpanExporter):
    """Sends spans; that nobody takes them is said once, and so is that somebody does again.

    Args:
        exporter: sends them.
        where: to, for the log.
    """

    def __init__(self, exporter: SpanExporter, where: str) -> None:
        self._exporter = exporter
        self._where = where
        self._fuse = Fuse()
        # It says each time what we say once.
        logging.getLogger("opentelemetry.exporter").setLevel(logging.CRITICAL)

    def export(self, spans: Sequence[ReadableSpan]) -> SpanExportResult:
        """Send spans; they are lost where nobody takes them, or did so just before."""
        if self._fuse.is_blown:
            return SpanExportResult.FAILURE
        try:
            result = self._exporter.export(spans)
        except Exception as error:
            self.give_up(f"{type(error).__name__}: {error}")
            return SpanExportResult.FAILURE
        if result is not SpanExportResult.SUCCESS:
            self.give_up("it cannot be reached, or refuses them")
        elif self._fuse.mend():
            _log.warning("%s takes traces again", self._where)
        return result

    def give_up(self, why: str) -> None:
        """Send nothing for a while."""
        if self._fuse.blow():
            _log.warning("traces are lost until %s takes them: %s", self._where, why)

    def shutdown(self) -> None:
        """Send no more."""
        self._exporter.shutdown()

    def force_flush(self, timeout_millis: int = 30000) -> bool:
        """Nothing is held here."""
        return True


class Held(SpanProcessor):
    """Keeps the spans of a process that forks; each fork sends its own in the end.

    A process with a thread, as the SDK's batches have one, should not fork.

    Args:
        shipper: sends them.
    """

    def __init__(self, shipper: Shipper) -> None:
        self._shipper = shipper
        self._spans: deque[ReadableSpan] = deque(maxlen=_MOST_HELD)

    def on_end(self, span: ReadableSpan) -> None:
        """Keep a span."""
        if span.context is not None and span.context.trace_flags.sampled:
            self._spans.append(span)

    def ship(self) -> None:
        """Send what is kept."""
        spans = list(self._spans)
        self._spans.clear()
        if spans:
            self._shipper.export(spans)
