"""Errors as HTTP answers, in TorchServe's form and in the Open Inference Protocol's."""

import logging
import math
from typing import NamedTuple

from serving.errors import (
    ArchiveNotFound,
    BadInput,
    Conflict,
    DeadlineExceeded,
    FetchFailed,
    InferenceFailed,
    InputTooLarge,
    InvalidModel,
    LoadOutOfMemory,
    ModelNotFound,
    NodeFailed,
    NotAllowed,
    OutOfMemory,
    Overloaded,
    RemovalTimedOut,
    ServerUnavailable,
    ServingError,
    Unauthorized,
    VersionInUse,
    VersionNotFound,
    WorkerDied,
    WorkflowNotFound,
)

__all__ = ("NoRoute", "Problem", "WrongMethod", "problem_of", "v2_problem_of")

_log = logging.getLogger(__name__)


class NoRoute(ServingError):
    """The address leads nowhere."""

    code = "no_route"


class WrongMethod(NotAllowed):
    """The address is asked by other methods.

    Attributes:
        methods: those.
    """

    def __init__(self, method: str, *methods: str, message: str = "") -> None:
        usual = f"this address is asked by {' or '.join(methods)}, not {method}"
        super().__init__(message or usual)
        self.methods = methods


class Problem(NamedTuple):
    """An error as HTTP tells it.

    Attributes:
        status: of the answer.
        type: the reference's name of the error.
        code: ours.
        message: one sentence.
        retry_after_s: when to try again, seconds from now; None: it is of no use.
    """

    status: int
    type: str
    code: str
    message: str
    retry_after_s: int | None = None


class _Row(NamedTuple):
    """An error's status and name on TorchServe's routes, and its status elsewhere if another."""

    error: type[ServingError]
    status: int
    type: str
    v2_status: int | None = None
    reference_status: int | None = None


# The most exact class stands first. A failed prediction is 503 in the reference, which its clients
# know; unlike the other 503s it carries no Retry-After.
_TABLE = (
    _Row(InputTooLarge, 413, "BadRequestException"),
    _Row(BadInput, 400, "BadRequestException"),
    _Row(NoRoute, 404, "ResourceNotFoundException"),
    _Row(NotAllowed, 405, "MethodNotAllowedException"),
    _Row(Unauthorized, 401, "InvalidKeyException", reference_status=400),
    _Row(ArchiveNotFound, 404, "ModelNotFoundException"),
    _Row(VersionNotFound, 404, "ModelVersionNotFoundException"),
    _Row(ModelNotFound, 404, "ModelNotFoundException"),
    _Row(WorkflowNotFound, 404, "WorkflowNotFoundException"),
    _Row(VersionInUse, 403, "InvalidModelVersionException"),
    _Row(Conflict, 409, "ConflictStatusException"),
    _Row(FetchFailed, 400, "DownloadArchiveException"),
    _Row(LoadOutOfMemory, 507, "InternalServerException"),
    _Row(InvalidModel, 400, "InvalidModelException"),
    _Row(Overloaded, 429, "ServiceUnavailableException", reference_status=503),
    _Row(ServerUnavailable, 503, "ServiceUnavailableException"),
    _Row(RemovalTimedOut, 408, "RequestTimeoutException"),
    _Row(DeadlineExceeded, 504, "RequestTimeoutException"),
    _Row(OutOfMemory, 507, "InternalServerException"),
    _Row(WorkerDied, 500, "InternalServerException"),
    _Row(NodeFailed, 500, "InternalServerException"),
    _Row(InferenceFailed, 503, "InternalServerException", v2_status=500),
    _Row(ServingError, 500, "InternalServerException"),
)


def problem_of(error: Exception, *, is_reference: bool = False) -> Problem:
    """Tell an error as TorchServe's routes do; what nobody foresaw is logged and told as a fault.

    Args:
        error: what was raised.
        is_reference: whether to do so exactly as the reference, also where that is wrong.
    """
    if not isinstance(error, ServingError):
        _log.error("a request failed", exc_info=error)
        error = ServingError("the server has a fault")
    row = _row(error)
    status = row.reference_status if is_reference else None
    retry_after_s = None if is_reference else _retry_after_s(error)
    return Problem(status or row.status, row.type, error.code, error.message, retry_after_s)


def v2_problem_of(error: Exception) -> Problem:
    """Tell an error as the routes of the Open Inference Protocol do; faults are logged."""
    problem = problem_of(error)
    if not isinstance(error, ServingError):
        return problem
    return problem._replace(status=_row(error).v2_status or problem.status)


def _row(error: ServingError) -> _Row:
    return next(row for row in _TABLE if isinstance(error, row.error))


def _retry_after_s(error: ServingError) -> int | None:
    return math.ceil(error.retry_after_s) if isinstance(error, ServerUnavailable) else None
