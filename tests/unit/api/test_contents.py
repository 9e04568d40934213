"""Large files: sent bit by bit, in whole or in part; and a storage that is away."""

import asyncio
import io
import tempfile
import zipfile
from collections.abc import Iterator
from typing import Any, BinaryIO

import msgspec
import pytest
from litestar import Litestar
from litestar.testing import TestClient

from animator.api.app import create_app
from animator.core.documents import DrawingDocument
from animator.core.errors import NotFound, StorageUnavailable
from animator.store import OpenBlob
from tests.support_api import MemoryBlobs, MemoryServices, put_animation, put_drawing

FILM = bytes(range(256)) * 12_000
FILE = "/api/animations/animation/file.mp4"
EVERYTHING = "/api/drawings/drawing/everything.zip"
_PIECE = 100_000


class Pieces(MemoryBlobs):
    """Gives large files in pieces, and notes how many were taken."""

    taken = 0

    def open(self, name: str) -> OpenBlob:
        data = self.get(name)

        def stream(part: range) -> Iterator[bytes]:
            for start in range(part.start, part.stop, _PIECE):
                self.taken += 1
                yield data[start : min(start + _PIECE, part.stop)]

        return OpenBlob(len(data), stream)


@pytest.fixture
def memory() -> MemoryServices:
    memory = MemoryServices(blobs=Pieces())
    put_drawing(memory)
    put_animation(memory, "drawing")
    memory.blobs.put("animation.mp4", FILM)
    return memory


def test_large_file_comes_whole_with_its_length(client: TestClient[Litestar]) -> None:
    answer = client.get(FILE)
    assert answer.content == FILM
    assert answer.headers["Content-Length"] == str(len(FILM))
    assert answer.headers["Content-Type"] == "video/mp4"
    assert answer.headers["Accept-Ranges"] == "bytes"


@pytest.mark.parametrize(
    ("wanted", "part"),
    [
        ("bytes=0-", range(len(FILM))),
        ("bytes=100-2000099", range(100, 2_000_100)),
        ("bytes=-1500000", range(len(FILM) - 1_500_000, len(FILM))),
        ("bytes=5-9", range(5, 10)),
    ],
)
def test_part_of_a_large_file_is_that_part(
    client: TestClient[Litestar],
    wanted: str,
    part: range,
) -> None:
    answer = client.get(FILE, headers={"Range": wanted})
    assert answer.status_code == 206
    assert answer.content == FILM[part.start : part.stop]
    told = f"bytes {part.start}-{part.stop - 1}/{len(FILM)}"
    assert answer.headers["Content-Range"] == told
    assert answer.headers["Content-Length"] == str(len(part))


def test_file_that_is_known_is_not_read(
    client: TestClient[Litestar], memory: MemoryServices
) -> None:
    etag = client.get(FILE, headers={"Range": "bytes=0-0"}).headers["ETag"]
    assert isinstance(memory.blobs, Pieces)
    before = memory.blobs.taken
    assert client.get(FILE, headers={"If-None-Match": etag}).status_code == 304
    assert memory.blobs.taken == before


@pytest.fixture
def packed(memory: MemoryServices, monkeypatch: pytest.MonkeyPatch) -> list[BinaryIO]:
    """What is made to send everything of a drawing."""
    drawing = memory.documents.get(DrawingDocument, "drawing")
    memory.documents.put("drawing", msgspec.structs.replace(drawing, picture="drawing.jpg"))
    memory.blobs.put("drawing.jpg", b"\xff\xd8picture")
    made: list[BinaryIO] = []
    make = tempfile.TemporaryFile

    def make_noted() -> BinaryIO:
        made.append(make())
        return made[-1]

    monkeypatch.setattr(tempfile, "TemporaryFile", make_noted)
    return made


def test_everything_of_a_drawing_is_one_zip_of_whole_files(
    client: TestClient[Litestar], packed: list[BinaryIO]
) -> None:
    answer = client.get(EVERYTHING)
    assert answer.headers["Content-Length"] == str(len(answer.content))
    with zipfile.ZipFile(io.BytesIO(answer.content)) as everything:
        assert everything.testzip() is None
        assert everything.read("wave/wave.mp4") == FILM
        assert everything.read("drawing.jpg") == b"\xff\xd8picture"
    assert [file.closed for file in packed] == [True]


def test_zip_that_lacks_a_film_leaves_no_file_open(
    client: TestClient[Litestar], memory: MemoryServices, packed: list[BinaryIO]
) -> None:
    memory.blobs.delete("animation.mp4")
    assert client.get(EVERYTHING).status_code == 404
    assert [file.closed for file in packed] == [True]


async def test_zip_of_one_who_hangs_up_leaves_no_file_open(
    memory: MemoryServices, packed: list[BinaryIO]
) -> None:
    begun = asyncio.Event()

    async def receive() -> Any:
        await begun.wait()
        return {"type": "http.disconnect"}

    async def send(message: Any) -> None:
        if message.get("body"):
            begun.set()
            await asyncio.Event().wait()  # who hangs up takes nothing more

    scope: Any = {
        "type": "http",
        "method": "GET",
        "path": EVERYTHING,
        "raw_path": EVERYTHING.encode(),
        "query_string": b"",
        "headers": [],
        "scheme": "http",
        "server": ("localhost", 80),
        "client": ("localhost", 1),
        "http_version": "1.1",
    }
    await create_app(memory.as_services())(scope, receive, send)
    assert [file.closed for file in packed] == [True]


@pytest.mark.parametrize(
    ("error", "status"), [(NotFound("gone"), 404), (StorageUnavailable("no route"), 503)]
)
def test_file_that_cannot_be_read_is_told_before_anything_is_sent(
    client: TestClient[Litestar],
    memory: MemoryServices,
    monkeypatch: pytest.MonkeyPatch,
    error: Exception,
    status: int,
) -> None:
    def fail(_: range) -> Iterator[bytes]:
        raise error
        yield b""

    monkeypatch.setattr(memory.blobs, "open", lambda _: OpenBlob(len(FILM), fail))
    answer = client.get(FILE)
    assert answer.status_code == status
    assert ("Retry-After" in answer.headers) == (status == 503)
    assert "no route" not in answer.text
