import json
import logging
import sys

from serving.observe.logs import JsonFormatter


def record(**extra: object) -> logging.LogRecord:
    logger = logging.getLogger("a.b")
    return logger.makeRecord("a.b", logging.INFO, "f", 1, "%d of %s", (1, "x"), None, extra=extra)


def test_line_is_an_object_with_all_that_the_record_carries() -> None:
    told = json.loads(JsonFormatter("web").format(record(job="j1", request_id="r1")))
    assert told.pop("time").endswith("+00:00")
    assert told == {
        "level": "info",
        "part": "web",
        "logger": "a.b",
        "message": "1 of x",
        "job": "j1",
        "request_id": "r1",
    }


def test_traceback_stays_within_the_line() -> None:
    broken = record()
    try:
        raise ValueError("two\nlines")
    except ValueError:
        broken.exc_info = sys.exc_info()
    line = JsonFormatter("worker").format(broken)
    assert "\n" not in line
    assert "ValueError: two\nlines" in json.loads(line)["exception"]
