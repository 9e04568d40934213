"""Errors as HTTP answers, in TorchServe's form and in the Open Inference Protocol's."""

import logging
import math
from typing import Any, NamedTuple

import msgspec
from litestar import MediaType, Request, Response
from litestar.exceptions import HTTPException

from serving.errors import (
    BadInput,
    DeadlineExceeded,
    InferenceFailed,
    InputTooLarge,
    ModelNotFound,
    OutOfMemory,
    ServerUnavailable,
    ServingError,
    WorkerDied,
)
from serving.protocol.torchserve import ErrorBody, encode_pretty

__all__ = ("TORCHSERVE_HANDLERS", "V2_HANDLERS")

_log = logging.getLogger(__name__)


class _Row(NamedTuple):
    """An error's status and name on TorchServe's routes, and its status on the protocol's."""

    error: type[ServingError]
    status: int
    type: str
    v2_status: int


# The most exact class stands first. A failed prediction is 503 in the reference, which its clients
# know; unlike the other 503s it carries no Retry-After.
_TABLE = (
    _Row(InputTooLarge, 413, "BadRequestException", 413),
    _Row(BadInput, 400, "BadRequestException", 400),
    _Row(ModelNotFound, 404, "ModelNotFoundException", 404),
    _Row(ServerUnavailable, 503, "ServiceUnavailableException", 503),
    _Row(DeadlineExceeded, 504, "RequestTimeoutException", 504),
    _Row(OutOfMemory, 507, "InternalServerException", 507),
    _Row(WorkerDied, 500, "InternalServerException", 500),
    _Row(InferenceFailed, 503, "InternalServerException", 500),
    _Row(ServingError, 500, "InternalServerException", 500),
)

_HTTP_TYPES = {
    404: "ResourceNotFoundException",
    405: "MethodNotAllowedException",
}

_AnyRequest = Request[Any, Any, Any]


class V2Error(msgspec.Struct, frozen=True, kw_only=True):
    """The protocol's `error`, and beside it the stable code for clients that know it."""

    error: str
    code: str


def _torchserve(_: _AnyRequest, error: ServingError) -> Response[bytes]:
    row = _row(error)
    return _torchserve_answer(row.status, row.type, error.message, _retry_header(error))


def _torchserve_http(_: _AnyRequest, error: HTTPException) -> Response[bytes]:
    status = error.status_code
    return _torchserve_answer(status, _HTTP_TYPES.get(status, "BadRequestException"), error.detail)


def _torchserve_bug(_: _AnyRequest, error: Exception) -> Response[bytes]:
    _log.error("a request failed", exc_info=error)
    return _torchserve_answer(500, "InternalServerException", "the server has a fault")


def _torchserve_answer(
    status: int, kind: str, message: str, headers: dict[str, str] | None = None
) -> Response[bytes]:
    body = encode_pretty(ErrorBody(code=status, type=kind, message=message))
    return Response(body, status_code=status, media_type=MediaType.JSON, headers=headers)


def _v2(_: _AnyRequest, error: ServingError) -> Response[bytes]:
    return _v2_answer(_row(error).v2_status, error.message, error.code, _retry_header(error))


def _v2_http(_: _AnyRequest, error: HTTPException) -> Response[bytes]:
    code = InputTooLarge.code if error.status_code == 413 else BadInput.code
    return _v2_answer(error.status_code, error.detail, code)


def _v2_bug(_: _AnyRequest, error: Exception) -> Response[bytes]:
    _log.error("a request failed", exc_info=error)
    return _v2_answer(500, "the server has a fault", ServingError.code)


def _v2_answer(
    status: int, message: str, code: str, headers: dict[str, str] | None = None
) -> Response[bytes]:
    body = msgspec.json.encode(V2Error(error=message, code=code))
    return Response(body, status_code=status, media_type=MediaType.JSON, headers=headers)


def _row(error: ServingError) -> _Row:
    return next(row for row in _TABLE if isinstance(error, row.error))


def _retry_header(error: ServingError) -> dict[str, str] | None:
    if not isinstance(error, ServerUnavailable):
        return None
    return {"Retry-After": str(math.ceil(error.retry_after_s))}


TORCHSERVE_HANDLERS: dict[int | type[Exception], Any] = {
    ServingError: _torchserve,
    HTTPException: _torchserve_http,
    Exception: _torchserve_bug,
}
"""What Litestar does with an error on TorchServe's routes, and where no route is."""

V2_HANDLERS: dict[int | type[Exception], Any] = {
    ServingError: _v2,
    HTTPException: _v2_http,
    Exception: _v2_bug,
}
"""What Litestar does with an error on the Open Inference Protocol's routes."""
