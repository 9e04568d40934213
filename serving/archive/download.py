"""Download: an archive from an address into the store, and nothing else from anywhere else.

An address is where a server is told to go by somebody else (server-side request forgery, CWE-918):
it must match what the operator allowed, and the machine behind it must not be one that only we can
reach. The name is looked up once, here, and the connection goes to the very address that was
checked, so that a second answer of the name server cannot lead elsewhere; a redirect is checked
like the first address. What comes is written to a quarantine beside the store and moved in whole.
"""

import asyncio
import contextlib
import hashlib
import ipaddress
import os
import re
import socket
import tempfile
from collections.abc import AsyncGenerator, AsyncIterator, Iterable, Iterator
from pathlib import Path
from typing import IO
from urllib.parse import unquote, urljoin, urlsplit

import httpcore

from serving.archive.fetched import Fetched, FetchPolicy
from serving.errors import Conflict, FetchFailed

__all__ = ("download",)

_ARCHIVE = re.compile(r"[A-Za-z0-9][A-Za-z0-9_\-.]*\.(mar|war|tar\.gz|tgz|onnx|pt2)")
_REDIRECTS = 3
_CHUNK = 1 << 20


async def download(url: str, store: Path, policy: FetchPolicy) -> Fetched:
    """Bring an archive into the store.

    Args:
        url: `http://` or `https://`, ending in the archive's name.
        store: folder of the archives.
        policy: what may be fetched.

    Raises:
        FetchFailed: when the address is not allowed or gives no archive; nothing is left behind.
        Conflict: when the store already has an archive of that name.
    """
    _check_allowed(url, policy)
    name = unquote(urlsplit(url).path).rsplit("/", 1)[-1]
    if not _ARCHIVE.fullmatch(name):
        msg = f"Failed to download archive from: {url}: {name!r} is no name of an archive"
        raise FetchFailed(msg)
    target = store / name
    if target.exists():
        msg = f"Archive {name} is already in the store; register it by its name"
        raise Conflict(msg)
    store.mkdir(parents=True, exist_ok=True)
    with _quarantine(store) as (file, path):
        try:
            async with asyncio.timeout(policy.total_s):
                digest = await _copy(url, file, policy)
        except TimeoutError as error:
            msg = f"Failed to download archive from: {url}: it took over {policy.total_s:g} s"
            raise FetchFailed(msg) from error
        except (httpcore.NetworkError, httpcore.TimeoutException) as error:
            msg = f"Failed to download archive from: {url}: {error or type(error).__name__}"
            raise FetchFailed(msg) from error
        except (httpcore.ProtocolError, httpcore.UnsupportedProtocol, OSError) as error:
            msg = f"Failed to download archive from: {url}: {error}"
            raise FetchFailed(msg) from error
        _move_in(path, target)
    return Fetched(target, is_new=True, sha256=digest)


@contextlib.contextmanager
def _quarantine(store: Path) -> Iterator[tuple[IO[bytes], Path]]:
    """Open a file that is on the store's disk, yet is no archive of it; it never stays."""
    descriptor, name = tempfile.mkstemp(prefix=".incoming-", dir=store)
    try:
        with os.fdopen(descriptor, "wb") as file:
            yield file, Path(name)
    finally:
        Path(name).unlink(missing_ok=True)


def _move_in(path: Path, target: Path) -> None:
    try:
        # Unlike a rename, a link does not replace what another fetch has brought meanwhile.
        os.link(path, target)
    except FileExistsError as error:
        msg = f"Archive {target.name} is already in the store; register it by its name"
        raise Conflict(msg) from error


async def _copy(url: str, file: IO[bytes], policy: FetchPolicy) -> str:
    """Write what the address gives to a file; its SHA-256."""
    digest = hashlib.sha256()
    size = 0
    async with contextlib.aclosing(_chunks(url, policy)) as chunks:
        async for chunk in chunks:
            size += len(chunk)
            if size > policy.max_bytes:
                msg = f"Failed to download archive from: {url}: over {policy.max_bytes} bytes"
                raise FetchFailed(msg)
            digest.update(chunk)
            await asyncio.to_thread(file.write, chunk)
    if not size:
        msg = f"Failed to download archive from: {url}: it is empty"
        raise FetchFailed(msg)
    file.flush()
    return digest.hexdigest()


async def _chunks(url: str, policy: FetchPolicy) -> AsyncGenerator[bytes, None]:
    """Read the address, following redirects to others that are allowed."""
    backend = _CheckedBackend(policy)
    timeouts = dict.fromkeys(("connect", "read", "write", "pool"), policy.timeout_s)
    async with httpcore.AsyncConnectionPool(network_backend=backend) as pool:
        for _ in range(_REDIRECTS + 1):
            async with pool.stream("GET", url, extensions={"timeout": timeouts}) as response:
                if response.status == 200:
                    async for chunk in _grouped(response.aiter_stream()):
                        yield chunk
                    return
                url = _redirected(url, response)
            _check_allowed(url, policy)
    msg = f"Failed to download archive from: {url}: it redirects too often"
    raise FetchFailed(msg)


async def _grouped(parts: AsyncIterator[bytes]) -> AsyncIterator[bytes]:
    """Join small parts, so that the disk is not asked for each."""
    held = bytearray()
    async for part in parts:
        held += part
        if len(held) >= _CHUNK:
            yield bytes(held)
            held.clear()
    if held:
        yield bytes(held)


def _redirected(url: str, response: httpcore.Response) -> str:
    if response.status in {301, 302, 303, 307, 308}:
        for name, value in response.headers:
            if name.lower() == b"location":
                return urljoin(url, value.decode("ascii", "replace"))
    msg = f"Failed to download archive from: {url}: the answer is {response.status}"
    raise FetchFailed(msg)


def _check_allowed(url: str, policy: FetchPolicy) -> None:
    parts = urlsplit(url)
    # A path with dots matches "https://good/.*" and yet asks for what lies beside it.
    is_crooked = parts.scheme.lower() not in {"http", "https"} or ".." in unquote(url)
    if is_crooked or parts.username is not None or not parts.hostname:
        msg = f"Given URL {url} does not match any allowed URL(s)"
        raise FetchFailed(msg)
    if not any(re.fullmatch(pattern, url) for pattern in policy.allowed_urls):
        msg = f"Given URL {url} does not match any allowed URL(s)"
        raise FetchFailed(msg)


class _CheckedBackend(httpcore.AsyncNetworkBackend):
    """Connects to addresses that were looked at, never to a name."""

    def __init__(self, policy: FetchPolicy) -> None:
        self._policy = policy
        self._backend = httpcore.AnyIOBackend()

    async def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,
        local_address: str | None = None,
        socket_options: Iterable[httpcore.SOCKET_OPTION] | None = None,
    ) -> httpcore.AsyncNetworkStream:
        """Look the name up, refuse addresses that are ours alone, connect to the first other."""
        address = await self._look_up(host, port)
        return await self._backend.connect_tcp(
            address, port, timeout, local_address, socket_options
        )

    async def sleep(self, seconds: float) -> None:
        """Wait between attempts."""
        await self._backend.sleep(seconds)

    async def _look_up(self, host: str, port: int) -> str:
        loop = asyncio.get_running_loop()
        try:
            found = await loop.getaddrinfo(host, port, type=socket.SOCK_STREAM)
        except OSError as error:
            msg = f"{host} has no address"
            raise FetchFailed(msg) from error
        addresses = [str(entry[4][0]) for entry in found]
        if not self._policy.is_private_allowed and not all(map(_is_public, addresses)):
            msg = f"{host} is in a private network, which the server does not fetch from"
            raise FetchFailed(msg)
        return addresses[0]


def _is_public(address: str) -> bool:
    parsed = ipaddress.ip_address(address.partition("%")[0])
    inner = getattr(parsed, "ipv4_mapped", None) or getattr(parsed, "sixtofour", None)
    return parsed.is_global and not parsed.is_multicast and (inner is None or inner.is_global)
