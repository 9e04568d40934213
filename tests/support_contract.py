"""Where the server under contract listens."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Server:
    """The URLs of its three listeners."""

    inference: str
    management: str
    metrics: str
