"""What an object store says that it cannot do, in our words."""

import logging
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from animator.core.errors import NotFound, StorageRefused, StorageUnavailable
from animator.core.places import BucketPlace

__all__ = ("broken_bodies", "translated")

logger = logging.getLogger(__name__)

_CHANGED = frozenset({"PreconditionFailed", "ConditionalRequestConflict", "412", "409"})
_MISSING = frozenset({"NoSuchKey", "404", "NotFound"})
_PASSING = frozenset(
    {
        "BadDigest",
        "BandwidthLimitExceeded",
        "IncompleteBody",
        "PriorRequestNotComplete",
        "RequestLimitExceeded",
        "RequestThrottled",
        "RequestTimeout",
        "RequestTimeoutException",
        "SlowDown",
        "Throttling",
        "ThrottlingException",
        "TooManyRequestsException",
    }
)
"""Answers of 400 and 403 that the same request may not get again: bytes that came too late, broken
or too often. https://docs.aws.amazon.com/AmazonS3/latest/API/ErrorResponses.html"""


class _Changed(NotFound):
    """What is there is not what a condition says."""


@contextmanager
def translated(place: BucketPlace) -> Iterator[None]:
    """Errors of the library as ours: NotFound, StorageRefused, else StorageUnavailable."""
    _require_library()
    import botocore.exceptions

    try:
        yield
    except botocore.exceptions.ClientError as error:
        raise _error_from(error.response, place) from error
    except (
        botocore.exceptions.NoCredentialsError,
        botocore.exceptions.PartialCredentialsError,
        botocore.exceptions.CredentialRetrievalError,
        botocore.exceptions.ProfileNotFound,
    ) as error:
        msg = f"There are no credentials for the bucket {place.bucket}: set AWS_ACCESS_KEY_ID and "
        msg += "AWS_SECRET_ACCESS_KEY, or what else AWS' own programs read."
        raise StorageRefused(msg) from error
    except (botocore.exceptions.BotoCoreError, *broken_bodies(), OSError) as error:
        logger.warning("the object store does not answer: %s", error)
        raise StorageUnavailable(f"The object store does not answer: {error}.") from error


def _require_library() -> None:
    try:
        import botocore.exceptions  # noqa: F401
    except ImportError as error:
        msg = "A store in a bucket needs another library: pip install 'animator[s3]'."
        raise StorageRefused(msg) from error


def _error_from(response: Any, place: BucketPlace) -> Exception:
    code = str(response.get("Error", {}).get("Code", ""))
    status = response.get("ResponseMetadata", {}).get("HTTPStatusCode", 0)
    if code in _CHANGED:
        return _Changed()
    if code in _MISSING:
        return NotFound("There is no such file.")
    if code == "NoSuchBucket":
        return StorageRefused(f"There is no bucket {place.bucket} in the object store.")
    if status in (400, 401, 403) and code not in _PASSING:
        msg = f"The object store refuses us the bucket {place.bucket} ({code}): look at the "
        return StorageRefused(msg + "credentials, the region, and what they may do.")
    logger.warning("the object store fails: %s %s", status, code)
    return StorageUnavailable(f"The object store fails: {status} {code}.")


def broken_bodies() -> tuple[type[Exception], ...]:
    """What is raised when an answer ends before its end."""
    import botocore.exceptions
    import urllib3.exceptions

    return (
        botocore.exceptions.HTTPClientError,
        botocore.exceptions.IncompleteReadError,
        urllib3.exceptions.HTTPError,
    )
