"""Fetch: an archive by its name in the store, or from an address into the store."""

from pathlib import Path
from urllib.parse import unquote, urlsplit

from serving.archive.fetched import Fetched, FetchPolicy
from serving.errors import ArchiveNotFound

__all__ = ("fetch",)


async def fetch(url: str, store: Path, policy: FetchPolicy) -> Fetched:
    """Find an archive in the store by its name, or bring it there from its address.

    Args:
        url: the name of a file or folder directly in the store; or `file://` and a path in the
            store; or `http://`, `https://`.
        store: folder of the archives.
        policy: what may be fetched.

    Raises:
        ArchiveNotFound: when the store has no such name, or it leads out of the store.
        FetchFailed: when the address is not allowed or gives no archive; nothing is left behind.
        Conflict: when the store already has an archive of that name.
    """
    try:
        parts = urlsplit(url)
    except ValueError as error:
        msg = f"{url} is no address: {error}"
        raise ArchiveNotFound(msg) from error
    scheme = parts.scheme.lower()
    if scheme in {"http", "https"}:
        # Few servers fetch anything, and the client costs a start 50 ms.
        from serving.archive.download import download

        return await download(url, store, policy)
    if scheme == "file":
        return Fetched(_inside(Path(unquote(parts.path)), store))
    if not url or "/" in url or "\\" in url or url in {".", ".."}:
        msg = f"Relative path is not allowed in url: {url}"
        raise ArchiveNotFound(msg)
    if policy.follows_links and _exists(store / url):
        return Fetched(store / url)
    return Fetched(_inside(store / url, store))


def _inside(path: Path, store: Path) -> Path:
    root = store.resolve()
    if _exists(path):
        found = path.resolve()
        if found.is_relative_to(root) and found != root:
            return found
    msg = f"Model archive {path.name} is not in the model store"
    raise ArchiveNotFound(msg)


def _exists(path: Path) -> bool:
    """Whether it is there; no file has a name that is too long or holds a null byte."""
    try:
        return path.exists()
    except (OSError, ValueError):
        return False
