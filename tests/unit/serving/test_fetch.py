import asyncio
import hashlib
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from serving.archive.fetch import fetch
from serving.archive.fetched import FetchPolicy, discard
from serving.errors import ArchiveNotFound, Conflict, FetchFailed

BODY = b"PK" + bytes(range(256)) * 40


class _Files(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_GET(self) -> None:
        name = self.path.rsplit("/", 1)[-1]
        if name.startswith("hop"):
            self._answer(302, {"Location": f"/files/{name.removeprefix('hop-')}"})
        elif name == "away.mar":
            self._answer(302, {"Location": "http://169.254.169.254/latest/meta-data/x.mar"})
        elif name == "file.mar":
            self._answer(302, {"Location": "file:///etc/passwd"})
        elif name == "loop.mar":
            self._answer(302, {"Location": "/files/loop.mar"})
        elif name == "cut.mar":
            self.send_response(200)
            self.send_header("Content-Length", "1000000")
            self.end_headers()
            self.wfile.write(BODY)
            self.close_connection = True
        elif name == "missing.mar":
            self._answer(404, {})
        else:
            self._answer(200, {}, BODY)

    def _answer(self, status: int, headers: dict[str, str], body: bytes = b"") -> None:
        self.send_response(status)
        for key, value in headers.items():
            self.send_header(key, value)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: Any) -> None:
        pass


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    with ThreadingHTTPServer(("127.0.0.1", 0), _Files) as server:
        server.daemon_threads = True
        thread = threading.Thread(target=server.serve_forever, daemon=True)
        thread.start()
        yield f"http://127.0.0.1:{server.server_port}/files"
        server.shutdown()
        thread.join()


OPEN = FetchPolicy(allowed_urls=("http://.*",), is_private_allowed=True)


def _names(store: Path) -> set[str]:
    return {path.name for path in store.iterdir()}


async def test_archive_is_brought_into_the_store_whole(address: str, tmp_path: Path) -> None:
    fetched = await fetch(f"{address}/a.mar", tmp_path, OPEN)

    assert fetched.path == tmp_path / "a.mar"
    assert fetched.path.read_bytes() == BODY
    assert fetched.sha256 == hashlib.sha256(BODY).hexdigest()
    assert _names(tmp_path) == {"a.mar"}


async def test_redirect_to_an_allowed_address_is_followed(address: str, tmp_path: Path) -> None:
    fetched = await fetch(f"{address}/hop-a.mar", tmp_path, OPEN)

    assert fetched.path.read_bytes() == BODY


@pytest.mark.parametrize(
    "name", ["away.mar", "file.mar", "loop.mar", "cut.mar", "missing.mar", "a.txt", ""]
)
async def test_failure_leaves_nothing_behind(address: str, name: str, tmp_path: Path) -> None:
    policy = FetchPolicy(allowed_urls=(f"{address}/.*",), is_private_allowed=True)

    with pytest.raises(FetchFailed):
        await fetch(f"{address}/{name}", tmp_path, policy)

    assert _names(tmp_path) == set()


async def test_archive_over_the_limit_is_refused(address: str, tmp_path: Path) -> None:
    policy = FetchPolicy(
        allowed_urls=("http://.*",), is_private_allowed=True, max_bytes=len(BODY) - 1
    )

    with pytest.raises(FetchFailed, match="over 10241 bytes"):
        await fetch(f"{address}/a.mar", tmp_path, policy)

    assert _names(tmp_path) == set()


async def test_no_address_is_allowed_by_default(address: str, tmp_path: Path) -> None:
    with pytest.raises(FetchFailed, match="does not match any allowed"):
        await fetch(f"{address}/a.mar", tmp_path, FetchPolicy(is_private_allowed=True))


@pytest.mark.parametrize(
    "url",
    [
        "http://127.0.0.1/a.mar",
        "http://localhost/a.mar",
        "http://[::1]/a.mar",
        "http://[::ffff:10.0.0.1]/a.mar",
        "http://10.1.2.3/a.mar",
        "http://169.254.169.254/a.mar",
        "http://0.0.0.0/a.mar",
        "http://2130706433/a.mar",
        "http://0x7f.1/a.mar",
        "http://100.64.0.1/a.mar",
    ],
)
async def test_private_network_is_not_fetched_from(url: str, tmp_path: Path) -> None:
    policy = FetchPolicy(allowed_urls=("http://.*",))

    with pytest.raises(FetchFailed, match="private network"):
        await fetch(url, tmp_path, policy)


@pytest.mark.parametrize(
    "url",
    [
        "http://good.example/../evil.mar",
        "http://good.example/%2e%2e/evil.mar",
        "http://good.example@evil.example/a.mar",
        "ftp://good.example/a.mar",
        "http://evil.example/good.example/a.mar",
    ],
)
async def test_crooked_address_does_not_pass_for_an_allowed_one(url: str, tmp_path: Path) -> None:
    policy = FetchPolicy(allowed_urls=("(http|ftp)://good.example.*",))

    with pytest.raises((FetchFailed, ArchiveNotFound)):
        await fetch(url, tmp_path, policy)


async def test_name_is_found_in_the_store(tmp_path: Path) -> None:
    (tmp_path / "a.mar").write_bytes(BODY)

    assert (await fetch("a.mar", tmp_path, FetchPolicy())).path == tmp_path / "a.mar"
    assert (await fetch(f"file://{tmp_path}/a.mar", tmp_path, FetchPolicy())).is_new is False


@pytest.mark.parametrize(
    "url",
    [
        "", ".", "..", "../a.mar", "x/a.mar", "b.mar", "file:///etc/passwd", "file://.",
        "a\0.mar", "file:///a%00.mar", "a" * 300, "http://[",
    ],
)  # fmt: skip
async def test_name_outside_the_store_is_not_found(url: str, tmp_path: Path) -> None:
    store = tmp_path / "store"
    store.mkdir()
    (tmp_path / "a.mar").write_bytes(BODY)

    with pytest.raises(ArchiveNotFound):
        await fetch(url, store, FetchPolicy())


async def test_link_out_of_the_store_is_not_found(tmp_path: Path) -> None:
    store = tmp_path / "store"
    store.mkdir()
    (tmp_path / "a.mar").write_bytes(BODY)
    (store / "a.mar").symlink_to(tmp_path / "a.mar")

    with pytest.raises(ArchiveNotFound):
        await fetch("a.mar", store, FetchPolicy())


async def test_link_out_of_the_store_is_followed_where_that_is_allowed(tmp_path: Path) -> None:
    store = tmp_path / "store"
    store.mkdir()
    (tmp_path / "a.mar").write_bytes(b"x")
    (store / "a.mar").symlink_to(tmp_path / "a.mar")
    policy = FetchPolicy(follows_links=True)
    assert (await fetch("a.mar", store, policy)).path == store / "a.mar"


async def test_archive_in_the_store_is_not_replaced(address: str, tmp_path: Path) -> None:
    (tmp_path / "a.mar").write_bytes(b"mine")

    with pytest.raises(Conflict):
        await fetch(f"{address}/a.mar", tmp_path, OPEN)

    assert (tmp_path / "a.mar").read_bytes() == b"mine"


async def test_of_two_fetches_of_one_name_one_wins(address: str, tmp_path: Path) -> None:
    fetches = (fetch(f"{address}/a.mar", tmp_path, OPEN) for _ in range(2))
    results = await asyncio.gather(*fetches, return_exceptions=True)

    assert sum(isinstance(result, Conflict) for result in results) <= 1
    assert (tmp_path / "a.mar").read_bytes() == BODY
    assert _names(tmp_path) == {"a.mar"}


async def test_what_a_failed_registration_brought_is_taken_away(
    address: str, tmp_path: Path
) -> None:
    (tmp_path / "mine.mar").write_bytes(b"mine")

    discard(await fetch(f"{address}/a.mar", tmp_path, OPEN))
    discard(await fetch("mine.mar", tmp_path, OPEN))

    assert _names(tmp_path) == {"mine.mar"}
