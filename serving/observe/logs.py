"""Log lines as JSON, one object a line, for programs that collect them."""

import json
import logging
from datetime import UTC, datetime
from typing import Any, Literal

__all__ = ("JsonFormatter", "LogFormat", "set_up_log")

LogFormat = Literal["text", "json"]

_USUAL = frozenset(vars(logging.makeLogRecord({}))) | {"message", "asctime", "taskName"}


class JsonFormatter(logging.Formatter):
    """Writes `time`, `level`, `part`, `logger`, `message`, and whatever else a record carries.

    That is what is given by `extra` in a call, such as a job's id; a traceback is `exception`.

    Args:
        part: the process that writes, such as "web".
    """

    def __init__(self, part: str) -> None:
        super().__init__()
        self._part = part

    def format(self, record: logging.LogRecord) -> str:
        """One line."""
        told: dict[str, Any] = {
            "time": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
            "level": record.levelname.lower(),
            "part": self._part,
            "logger": record.name,
            "message": record.getMessage(),
        }
        told |= {name: value for name, value in vars(record).items() if name not in _USUAL}
        if record.exc_info:
            told["exception"] = self.formatException(record.exc_info)
        return json.dumps(told, default=str, ensure_ascii=False)


def set_up_log(level: str, form: LogFormat, part: str, text: str) -> None:
    """Log to stderr, from this level on.

    Args:
        level: such as "INFO".
        form: as lines for people, or as JSON.
        part: the process that writes.
        text: the format of lines for people, as `logging` has it.
    """
    handler = logging.StreamHandler()
    handler.setFormatter(JsonFormatter(part) if form == "json" else logging.Formatter(text))
    logging.basicConfig(level=level, handlers=[handler])
