"""Errors as gRPC tells them."""

import logging

import pytest
from grpc import StatusCode

from serving import errors
from serving.grpc.status import ReferenceService, RefusedByHandler, status_of


@pytest.mark.parametrize(
    ("error", "code", "inference", "management"),
    [
        (errors.BadInput("x"), "INVALID_ARGUMENT", "INTERNAL", "INVALID_ARGUMENT"),
        (errors.InputTooLarge("x"), "RESOURCE_EXHAUSTED", "INTERNAL", "RESOURCE_EXHAUSTED"),
        (errors.ModelNotFound("x"), "NOT_FOUND", "INTERNAL", "NOT_FOUND"),
        (errors.VersionNotFound("x"), "NOT_FOUND", "INTERNAL", "NOT_FOUND"),
        (errors.ArchiveNotFound("x"), "NOT_FOUND", "INTERNAL", "NOT_FOUND"),
        (errors.Unauthorized("x"), "UNAUTHENTICATED", "PERMISSION_DENIED", "PERMISSION_DENIED"),
        (errors.NotAllowed("x"), "PERMISSION_DENIED", "PERMISSION_DENIED", "PERMISSION_DENIED"),
        (errors.Conflict("x"), "ALREADY_EXISTS", "ALREADY_EXISTS", "ABORTED"),
        (errors.VersionInUse("x"), "FAILED_PRECONDITION", "FAILED_PRECONDITION", None),
        (errors.InvalidModel("x"), "FAILED_PRECONDITION", "FAILED_PRECONDITION", None),
        (errors.FetchFailed("x"), "INVALID_ARGUMENT", "INVALID_ARGUMENT", "INVALID_ARGUMENT"),
        (errors.LoadOutOfMemory("x"), "RESOURCE_EXHAUSTED", "RESOURCE_EXHAUSTED", None),
        (errors.Overloaded("x"), "RESOURCE_EXHAUSTED", "INTERNAL", "RESOURCE_EXHAUSTED"),
        (errors.NoWorker("x"), "UNAVAILABLE", "INTERNAL", "UNAVAILABLE"),
        (errors.DeadlineExceeded("x"), "DEADLINE_EXCEEDED", "DEADLINE_EXCEEDED", None),
        (errors.OutOfMemory("x"), "RESOURCE_EXHAUSTED", "INTERNAL", "RESOURCE_EXHAUSTED"),
        (errors.WorkerDied("x"), "INTERNAL", "INTERNAL", "INTERNAL"),
        (errors.InferenceFailed("x"), "INTERNAL", "UNAVAILABLE", "INTERNAL"),
        (errors.WorkersNotStarted("x"), "INTERNAL", "INTERNAL", "INTERNAL"),
        (RefusedByHandler("x", 404), "NOT_FOUND", "NOT_FOUND", "NOT_FOUND"),
        (RefusedByHandler("x", 418), "FAILED_PRECONDITION", "FAILED_PRECONDITION", None),
        (RefusedByHandler("x", 507), "INTERNAL", "INTERNAL", "INTERNAL"),
    ],
    ids=lambda value: type(value).__name__ if isinstance(value, Exception) else None,
)
def test_error_has_its_code(
    error: errors.ServingError, code: str, inference: str, management: str | None
) -> None:
    asked: list[tuple[ReferenceService, str | None]] = [
        ("", code),
        ("inference", inference),
        ("management", management),
    ]
    for reference, expected in asked:
        status = status_of(error, reference)
        if expected is not None:
            assert status.code is StatusCode[expected], reference
        assert status.message == "x"
        assert ("serving-code", error.code) in status.metadata


def test_when_to_try_again_is_told() -> None:
    status = status_of(errors.Overloaded("full", retry_after_s=2.5))
    assert ("retry-after", "2.5") in status.metadata


def test_fault_of_the_server_is_logged_and_not_told(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.ERROR):
        status = status_of(KeyError("secret"))
    assert (status.code, status.message) == (StatusCode.INTERNAL, "the server has a fault")
    assert "secret" in caplog.text
