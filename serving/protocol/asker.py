"""Asker: who asks, as far as a version is chosen by that."""

from collections.abc import Mapping
from typing import NamedTuple, Protocol

__all__ = ("NOBODY", "Asker", "Client")


class Asker(Protocol):
    """Who asks, as far as a version is chosen by that."""

    @property
    def headers(self) -> Mapping[str, str]:
        """By name in lower case."""
        ...

    @property
    def address(self) -> str:
        """Of the client, without its port; "": it is not known."""
        ...


class Client(NamedTuple):
    """Who asks, for who has no request of HTTP."""

    headers: Mapping[str, str] = {}
    address: str = ""


NOBODY = Client()
"""Asks from within the server."""
