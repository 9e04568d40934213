"""Every error as problem+json (RFC 9457), with a stable code and the page that can mend it."""

import logging
from http import HTTPStatus
from typing import Any

import msgspec
from litestar import Request, Response
from litestar.exceptions import HTTPException, ValidationException

from animator.core.errors import (
    AnimatorError,
    Conflict,
    ForeignOrigin,
    ImageTooLarge,
    InvalidAnnotation,
    InvalidImage,
    InvalidKey,
    InvalidSkeleton,
    JobFailed,
    KeyRequired,
    LearningOff,
    ModelUnavailable,
    NotFound,
    NotReady,
    Page,
    StorageUnavailable,
    TooManyRequests,
    UnknownRevision,
    UnsupportedImage,
)

__all__ = (
    "Problem",
    "problem_from_animator_error",
    "problem_from_http_exception",
    "problem_from_unexpected",
)

logger = logging.getLogger(__name__)

_STATUSES: tuple[tuple[type[AnimatorError], HTTPStatus], ...] = (
    (ImageTooLarge, HTTPStatus.REQUEST_ENTITY_TOO_LARGE),
    (UnsupportedImage, HTTPStatus.UNSUPPORTED_MEDIA_TYPE),
    (InvalidImage, HTTPStatus.BAD_REQUEST),
    (NotFound, HTTPStatus.NOT_FOUND),
    (KeyRequired, HTTPStatus.UNAUTHORIZED),
    (InvalidKey, HTTPStatus.UNAUTHORIZED),
    (ForeignOrigin, HTTPStatus.FORBIDDEN),
    (TooManyRequests, HTTPStatus.TOO_MANY_REQUESTS),
    (LearningOff, HTTPStatus.FORBIDDEN),
    (InvalidAnnotation, HTTPStatus.BAD_REQUEST),
    (InvalidSkeleton, HTTPStatus.BAD_REQUEST),
    (UnknownRevision, HTTPStatus.PRECONDITION_REQUIRED),
    (Conflict, HTTPStatus.PRECONDITION_FAILED),
    (NotReady, HTTPStatus.CONFLICT),
    (ModelUnavailable, HTTPStatus.SERVICE_UNAVAILABLE),
    (StorageUnavailable, HTTPStatus.SERVICE_UNAVAILABLE),
    (JobFailed, HTTPStatus.SERVICE_UNAVAILABLE),
    (AnimatorError, HTTPStatus.UNPROCESSABLE_ENTITY),
)

JSON = "application/json"

_STORAGE_PAUSE = "2"
"""Seconds after which to try again what the storage could not do."""

_CODES = {
    HTTPStatus.BAD_REQUEST: "invalid_request",
    HTTPStatus.NOT_FOUND: "not_found",
    HTTPStatus.METHOD_NOT_ALLOWED: "method_not_allowed",
    HTTPStatus.REQUEST_ENTITY_TOO_LARGE: "image_too_large",
}


class Problem(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The body of every answer that is an error.

    Attributes:
        type: a name for the kind of problem, as a URI.
        title: the HTTP status in words.
        status: the HTTP status.
        detail: one sentence for the user.
        code: stable name that clients may branch on.
        page: the page on which the user can mend it.
    """

    type: str
    title: str
    status: int
    detail: str
    code: str
    page: Page = "upload"


def problem_from_animator_error(
    _: Request[Any, Any, Any], error: AnimatorError
) -> Response[Problem]:
    """Answer an error of ours with its own code, sentence and page."""
    status = next(status for kind, status in _STATUSES if isinstance(error, kind))
    response = _respond(status, error.code, error.message, error.page)
    if status == HTTPStatus.UNAUTHORIZED:
        response.headers["WWW-Authenticate"] = "Bearer"
    if isinstance(error, TooManyRequests):
        response.headers["Retry-After"] = str(error.retry_after)
    if isinstance(error, StorageUnavailable):
        response.headers["Retry-After"] = _STORAGE_PAUSE
    return response


def problem_from_http_exception(
    request: Request[Any, Any, Any], error: HTTPException
) -> Response[Problem]:
    """Answer what the framework refused: unknown routes and methods, bad bodies, too many bytes.

    A body that it refused for an error of ours is answered with that one.
    """
    own = _find_own(error)
    if own is not None:
        return problem_from_animator_error(request, own)
    status = HTTPStatus(error.status_code)
    detail = error.detail
    if isinstance(error, ValidationException):
        detail = "; ".join([detail, *_describe(error.extra)])
    code = _CODES.get(status, "http_error")
    if status == HTTPStatus.REQUEST_ENTITY_TOO_LARGE and request.content_type[0] == JSON:
        code = "request_too_large"
    response = _respond(status, code, detail, "upload")
    for name, value in (error.headers or {}).items():
        response.headers[name] = value
    return response


def problem_from_unexpected(request: Request[Any, Any, Any], error: Exception) -> Response[Problem]:
    """Answer a fault of ours without its inner workings, which go to the log."""
    logger.error("%s %s failed", request.method, request.url.path, exc_info=error)
    detail = "Something went wrong on our side. Please try again."
    return _respond(HTTPStatus.INTERNAL_SERVER_ERROR, "internal_error", detail, "upload")


def _find_own(error: BaseException | None) -> AnimatorError | None:
    """The error of ours that led to another."""
    while error is not None and not isinstance(error, AnimatorError):
        error = error.__cause__ or error.__context__
    return error


def _describe(extra: object) -> list[str]:
    """Which fields were refused, and why."""
    fields = [item for item in extra if isinstance(item, dict)] if isinstance(extra, list) else []
    return [": ".join(str(f[key]) for key in ("key", "message") if f.get(key)) for f in fields]


def _respond(status: HTTPStatus, code: str, detail: str, page: Page) -> Response[Problem]:
    problem = Problem(
        type=f"urn:animator:problem:{code}",
        title=status.phrase,
        status=status,
        detail=detail,
        code=code,
        page=page,
    )
    return Response(problem, status_code=status, media_type="application/problem+json")
