"""Errors as gRPC tells them."""

import logging
from collections.abc import Mapping
from typing import Literal, NamedTuple

from grpc import StatusCode

from serving.errors import (
    BadInput,
    Conflict,
    DeadlineExceeded,
    FetchFailed,
    InferenceFailed,
    InputTooLarge,
    InvalidModel,
    LoadOutOfMemory,
    ModelNotFound,
    NotAllowed,
    OutOfMemory,
    Overloaded,
    ServerUnavailable,
    ServingError,
    Unauthorized,
    VersionInUse,
    WorkerDied,
)

__all__ = ("CODE_KEY", "RETRY_KEY", "ReferenceService", "RefusedByHandler", "Status", "status_of")

CODE_KEY = "serving-code"
"""The trailing metadata with our own stable code of an error."""

RETRY_KEY = "retry-after"
"""The trailing metadata with the seconds after which it is worth to try again."""

ReferenceService = Literal["", "inference", "management"]
"""One of TorchServe's services, whose ways are kept; or none."""

_OF_HTTP = {
    400: StatusCode.INVALID_ARGUMENT,
    401: StatusCode.UNAUTHENTICATED,
    403: StatusCode.PERMISSION_DENIED,
    404: StatusCode.NOT_FOUND,
    409: StatusCode.ABORTED,
    413: StatusCode.RESOURCE_EXHAUSTED,
    416: StatusCode.OUT_OF_RANGE,
    429: StatusCode.RESOURCE_EXHAUSTED,
    499: StatusCode.CANCELLED,
    501: StatusCode.UNIMPLEMENTED,
    503: StatusCode.UNAVAILABLE,
    504: StatusCode.DEADLINE_EXCEEDED,
}
"""As TorchServe tells the status that a handler chose."""

_log = logging.getLogger(__name__)


class RefusedByHandler(InferenceFailed):
    """The model's code refused the request, with a status of HTTP that it chose.

    Attributes:
        http_status: >= 400.
    """

    code = "refused_by_handler"

    def __init__(self, message: str, http_status: int) -> None:
        super().__init__(message)
        self.http_status = http_status


class Status(NamedTuple):
    """How a call ends that failed.

    Attributes:
        code: gRPC's.
        message: one sentence.
        metadata: sent behind it.
    """

    code: StatusCode
    message: str
    metadata: tuple[tuple[str, str], ...]


# The most exact class stands first.
_CODES: tuple[tuple[type[ServingError], StatusCode], ...] = (
    (InputTooLarge, StatusCode.RESOURCE_EXHAUSTED),
    (BadInput, StatusCode.INVALID_ARGUMENT),
    (Unauthorized, StatusCode.UNAUTHENTICATED),
    (NotAllowed, StatusCode.PERMISSION_DENIED),
    (ModelNotFound, StatusCode.NOT_FOUND),
    (VersionInUse, StatusCode.FAILED_PRECONDITION),
    (Conflict, StatusCode.ALREADY_EXISTS),
    (FetchFailed, StatusCode.INVALID_ARGUMENT),
    (LoadOutOfMemory, StatusCode.RESOURCE_EXHAUSTED),
    (InvalidModel, StatusCode.FAILED_PRECONDITION),
    (Overloaded, StatusCode.RESOURCE_EXHAUSTED),
    (ServerUnavailable, StatusCode.UNAVAILABLE),
    (DeadlineExceeded, StatusCode.DEADLINE_EXCEEDED),
    (OutOfMemory, StatusCode.RESOURCE_EXHAUSTED),
    (InferenceFailed, StatusCode.INTERNAL),
    (ServingError, StatusCode.INTERNAL),
)

# What TorchServe's services say otherwise: a wrong token is a permission, and in its inference
# service everything that goes wrong before the model runs is internal.
_REFERENCE_CODES: Mapping[str, tuple[tuple[type[ServingError], StatusCode], ...]] = {
    "inference": (
        (Unauthorized, StatusCode.PERMISSION_DENIED),
        (ModelNotFound, StatusCode.INTERNAL),
        (BadInput, StatusCode.INTERNAL),
        (ServerUnavailable, StatusCode.INTERNAL),
        (OutOfMemory, StatusCode.INTERNAL),
        (WorkerDied, StatusCode.INTERNAL),
        (InferenceFailed, StatusCode.UNAVAILABLE),
    ),
    "management": (
        (Unauthorized, StatusCode.PERMISSION_DENIED),
        (Conflict, StatusCode.ABORTED),
        (VersionInUse, StatusCode.PERMISSION_DENIED),
        (InvalidModel, StatusCode.INVALID_ARGUMENT),
    ),
    "": (),
}


def status_of(error: Exception, reference: ReferenceService = "") -> Status:
    """Tell an error; what nobody foresaw is logged and told as a fault.

    Args:
        error: what was raised.
        reference: TorchServe's service that it shall be told like, also where that is wrong; "":
            none.
    """
    if not isinstance(error, ServingError):
        _log.error("a call failed", exc_info=error)
        error = ServingError("the server has a fault")
    table = (*_REFERENCE_CODES[reference], *_CODES)
    code = next(code for kind, code in table if isinstance(error, kind))
    if isinstance(error, RefusedByHandler):
        code = _of_http(error.http_status)
    metadata = [(CODE_KEY, error.code)]
    if isinstance(error, ServerUnavailable):
        metadata.append((RETRY_KEY, f"{error.retry_after_s:g}"))
    return Status(code, error.message, tuple(metadata))


def _of_http(status: int) -> StatusCode:
    rest = StatusCode.FAILED_PRECONDITION if status < 500 else StatusCode.INTERNAL
    return _OF_HTTP.get(status, rest)
