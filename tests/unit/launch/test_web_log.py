"""What the web process does not tell in its log."""

import logging

import pytest

from animator.launch import web


def record(error: BaseException | None) -> logging.LogRecord:
    info = (type(error), error, None) if error else None
    return logging.LogRecord("uvicorn.error", logging.ERROR, "file", 1, "text", (), info)


def caused(error: Exception, by: Exception) -> Exception:
    error.__cause__ = by
    return error


CLOSED = RuntimeError("unable to perform operation on <TCPTransport>; the handler is closed")


@pytest.mark.parametrize(
    ("error", "is_told"),
    [
        (CLOSED, False),
        (caused(ValueError("after the response started"), CLOSED), False),
        (RuntimeError("another"), True),
        (caused(ValueError("one"), KeyError("two")), True),
        (None, True),
    ],
)
def test_client_that_hung_up_is_no_fault_of_ours(error: Exception | None, is_told: bool) -> None:
    assert web._is_our_fault(record(error)) is is_told
