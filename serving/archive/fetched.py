"""FetchPolicy and Fetched: what may be fetched, and what was."""

from dataclasses import dataclass
from pathlib import Path

__all__ = ("FetchPolicy", "Fetched", "discard")


@dataclass(frozen=True, slots=True)
class FetchPolicy:
    """What may be fetched.

    Attributes:
        allowed_urls: regular expressions, one of which must match the whole address; none allows
            no address at all, only the names of archives that are in the store.
        is_private_allowed: whether addresses of private, loopback and link-local networks are.
        follows_links: whether a name in the store may be a link that leads out of it.
        max_bytes: of one archive, > 0.
        timeout_s: for connecting, and for each wait for more, seconds, > 0.
        total_s: for the whole of it, seconds, > 0.
    """

    allowed_urls: tuple[str, ...] = ()
    is_private_allowed: bool = False
    follows_links: bool = False
    max_bytes: int = 8 << 30
    timeout_s: float = 10.0
    total_s: float = 600.0


@dataclass(frozen=True, slots=True)
class Fetched:
    """An archive in the store.

    Attributes:
        path: the file or folder.
        is_new: whether this fetch brought it, so that a registration that fails takes it away.
        sha256: of a file that was brought, in hexadecimal; "" otherwise.
    """

    path: Path
    is_new: bool = False
    sha256: str = ""


def discard(fetched: Fetched) -> None:
    """Take away what a fetch brought, after a registration that failed."""
    if fetched.is_new:
        fetched.path.unlink(missing_ok=True)
