"""What a worker's process prints: into the server's log as it comes, its end kept for an error."""

import asyncio
import logging
import os
from collections import deque

__all__ = ("WorkerOutput",)

_LINES_KEPT = 30
_LONGEST_LINE = 4096
_ASKED = "[request "
_LEVELS = ("DEBUG", "INFO", "WARNING", "ERROR", "CRITICAL")

_log = logging.getLogger(__name__)


class WorkerOutput:
    """Reads the pipe that a worker prints into; starts nothing before `watch`.

    Args:
        name: of the worker, for the log.
    """

    def __init__(self, name: str) -> None:
        self._name = name
        self._rest = b""
        self._lines: deque[str] = deque(maxlen=_LINES_KEPT)
        self._source, self._sink = os.pipe()
        self._is_open = True

    def fileno(self) -> int:
        """The end that the process shall print into."""
        return self._sink

    @property
    def last_words(self) -> str:
        """The last line that says something; "" without one."""
        return next((line.strip() for line in reversed(self._lines) if line.strip()), "")

    def watch(self) -> None:
        """Read from now on what the process prints; it has its end of the pipe by now."""
        os.close(self._sink)
        self._sink = -1
        os.set_blocking(self._source, False)
        asyncio.get_running_loop().add_reader(self._source, self._read)

    def close(self) -> None:
        """Read what is there, and no more; harmless when it is closed already."""
        if not self._is_open:
            return
        if self._sink >= 0:
            os.close(self._sink)
        else:
            self._read()
        if self._rest:
            self._take(self._rest)
        self._forget()

    def _read(self) -> None:
        try:
            data = os.read(self._source, 1 << 16)
        except BlockingIOError:
            return
        except OSError:
            data = b""
        if not data:
            self._forget()
            return
        *lines, self._rest = (self._rest + data).split(b"\n")
        for line in lines:
            self._take(line)
        if len(self._rest) > _LONGEST_LINE:
            self._take(self._rest)
            self._rest = b""

    def _forget(self) -> None:
        if self._is_open:
            self._is_open = False
            asyncio.get_running_loop().remove_reader(self._source)
            os.close(self._source)

    def _take(self, line: bytes) -> None:
        text = line[:_LONGEST_LINE].decode(errors="replace").rstrip()
        self._lines.append(text)
        level, _, message = text.partition(" ")
        if level not in _LEVELS:
            level, message = "INFO", text
        ids = message[len(_ASKED) :].partition("]")[0] if message.startswith(_ASKED) else ""
        told = {"request_id": ids} if ids else None
        _log.log(getattr(logging, level), "%s: %s", self._name, message, extra=told)
