"""Problems that a server tells, as the errors that they are."""

from collections.abc import Iterator

import msgspec

from animator.core.errors import AnimatorError, TooManyRequests

__all__ = ("RequestRefused", "ServerUnreachable", "error_from_answer", "error_from_code")


class ServerUnreachable(AnimatorError):
    """The server does not answer, or its answer broke off."""

    code = "server_unreachable"


class RequestRefused(AnimatorError):
    """The server refused a request for a reason that has no error of its own.

    Attributes:
        told: the code that the server told.
    """

    code = "request_refused"

    def __init__(self, message: str, told: str = "") -> None:
        super().__init__(message)
        self.told = told


class _Problem(msgspec.Struct):
    """What is read of the body of a refusal (RFC 9457)."""

    code: str = ""
    detail: str = ""


def error_from_answer(status: int, body: bytes, retry_after: str) -> AnimatorError:
    """The error that an answer tells.

    Args:
        status: of the answer.
        body: of the answer; a proxy's may be anything.
        retry_after: the header, seconds; empty when there is none.
    """
    try:
        problem = msgspec.json.decode(body, type=_Problem)
    except msgspec.DecodeError:
        return RequestRefused(f"The server answered {status}, and did not say why.")
    error = error_from_code(problem.code, problem.detail or f"The server answered {status}.")
    if isinstance(error, TooManyRequests) and retry_after.isdigit():
        error.retry_after = int(retry_after)
    return error


def error_from_code(code: str, message: str) -> AnimatorError:
    """The error of a code; of a code that is not known here, `RequestRefused`."""
    for kind in _kinds(AnimatorError):
        if "code" in vars(kind) and kind.code == code:
            return kind(message)
    return RequestRefused(message, told=code)


def _kinds(kind: type[AnimatorError]) -> Iterator[type[AnimatorError]]:
    for below in kind.__subclasses__():
        yield below
        yield from _kinds(below)
