"""What speaks S3: botocore's client, and how long it is waited for."""

import functools
from dataclasses import dataclass
from typing import Any

from animator.core.places import BucketPlace

__all__ = ("Patience", "make_client")

_CONNECT_TIMEOUT = 2.0
_CONNECTIONS = 40
"""Of one process at a time, kept open; as many as the web process has threads."""


@dataclass(frozen=True, slots=True)
class Patience:
    """How long a server is waited for.

    Attributes:
        attempts: how often a request is sent, >= 1, with growing pauses: 3 take two seconds in all,
            6 about fifteen, beside the time for answers.
        silence: seconds without a word, after which an attempt is given up, > 0.
        rest: seconds after a request in vain in which nothing is sent: whoever serves many must not
            let all of them wait, >= 0.
    """

    attempts: int
    silence: float
    rest: float


def make_client(place: BucketPlace, patience: Patience) -> Any:
    """A client; the credentials are found as AWS' own programs find them."""
    from botocore.config import Config
    from botocore.session import get_session

    session = get_session()
    session.register_component("data_loader", _load_descriptions())
    config = Config(
        connect_timeout=_CONNECT_TIMEOUT,
        read_timeout=patience.silence,
        retries={"mode": "standard", "total_max_attempts": patience.attempts},
        max_pool_connections=_CONNECTIONS,
        s3={"addressing_style": "path" if place.path_style else "auto"},
        # Servers older than 2025 do not know the checksums that the library adds by itself.
        request_checksum_calculation="when_required",
        response_checksum_validation="when_required",
    )
    region = place.region or session.get_config_variable("region") or "us-east-1"
    return session.create_client(
        "s3", endpoint_url=place.endpoint, region_name=region, config=config
    )


@functools.cache
def _load_descriptions() -> Any:
    """What the library knows of the service: megabytes of JSON, read once in a process."""
    from botocore.loaders import create_loader

    return create_loader()
