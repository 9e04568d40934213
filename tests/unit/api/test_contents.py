"""Large files: sent bit by bit, in whole or in part; and a storage that is away."""

import asyncio
import io
import tempfile
import threading
import time
import zipfile
from collections.abc import Iterator
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st
from litestar import Litestar
from litestar.testing import TestClient

from animator.api.animation_files import list_everything
from animator.api.contents import stream
from animator.api.packing import Packed, pack, size_of
from animator.core.documents import DrawingDocument
from animator.core.errors import NotFound, StorageUnavailable
from animator.store import OpenBlob
from tests.support_api import MemoryBlobs, MemoryServices, app_over, put_animation, put_drawing

FILM = bytes(range(256)) * 12_000
FILE = "/api/animations/animation/file.mp4"
EVERYTHING = "/api/drawings/drawing/everything.zip"
_PIECE = 100_000


class Pieces(MemoryBlobs):
    """Gives large files in pieces, and notes how many were taken."""

    taken = 0
    open_streams = 0

    def open(self, name: str) -> OpenBlob:
        data = self.get(name)

        def stream(part: range) -> Iterator[bytes]:
            self.open_streams += 1
            try:
                for start in range(part.start, part.stop, _PIECE):
                    self.taken += 1
                    yield data[start : min(start + _PIECE, part.stop)]
            finally:
                self.open_streams -= 1

        return OpenBlob(len(data), stream)


def blob_of(data: bytes) -> OpenBlob:
    return OpenBlob(len(data), lambda part: iter((data[part.start : part.stop],)))


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
def everything(memory: MemoryServices) -> MemoryServices:
    """What there is, with a picture that has been read, and no disk on which to pack it."""
    drawing = memory.documents.get(DrawingDocument, "drawing")
    memory.documents.put("drawing", msgspec.structs.replace(drawing, picture="drawing.jpg"))
    memory.blobs.put("drawing.jpg", b"\xff\xd8picture")
    return memory


def test_everything_of_a_drawing_is_one_zip_of_whole_files(
    client: TestClient[Litestar], everything: MemoryServices, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tempfile, "tempdir", "/dev/full")
    answer = client.get(EVERYTHING)
    assert answer.headers["Content-Length"] == str(len(answer.content))
    with zipfile.ZipFile(io.BytesIO(answer.content)) as found:
        assert found.testzip() is None
        assert found.read("wave/wave.mp4") == FILM
        assert found.read("drawing.jpg") == b"\xff\xd8picture"
        assert b"figures" in found.read("annotation.json")
        assert abs(time.time() - time.mktime((*found.infolist()[0].date_time, 0, 0, -1))) < 60


def test_zip_is_read_as_it_is_taken(everything: MemoryServices) -> None:
    assert isinstance(everything.blobs, Pieces)
    drawing = everything.documents.get(DrawingDocument, "drawing")
    parts = pack(list_everything(everything.as_services(), drawing))
    while len(next(parts)) < _PIECE:
        pass
    taken = everything.blobs.taken
    assert len(next(parts)) == _PIECE
    assert everything.blobs.taken == taken + 1
    assert everything.blobs.open_streams == 1
    parts.close()  # type: ignore[attr-defined]
    assert everything.blobs.open_streams == 0


@given(
    st.lists(
        st.tuples(
            st.text(st.characters(codec="utf-8", exclude_characters="\0/"), min_size=1, max_size=9),
            st.binary(),
        ),
        unique_by=lambda one: one[0],
    )
)
def test_length_of_a_zip_is_told_before_it_is_made(files: list[tuple[str, bytes]]) -> None:
    packed = [Packed(name, blob_of(data)) for name, data in files]
    made = b"".join(pack(packed))
    assert size_of(packed) == len(made)
    with zipfile.ZipFile(io.BytesIO(made)) as found:
        assert [found.read(name) for name in found.namelist()] == [data for _, data in files]


def test_length_of_a_zip_too_long_for_fields_of_32_bits_is_not_told() -> None:
    film = OpenBlob(1 << 31, lambda _: iter(()))
    assert size_of([Packed("film.mp4", film)]) is None


def test_zip_that_lacks_a_film_is_not_begun(
    client: TestClient[Litestar], everything: MemoryServices
) -> None:
    everything.blobs.delete("animation.mp4")
    answer = client.get(EVERYTHING)
    assert (answer.status_code, answer.json()["code"]) == (404, "not_found")


@pytest.mark.parametrize("address", [FILE, EVERYTHING])
async def test_who_hangs_up_leaves_no_film_open(everything: MemoryServices, address: str) -> None:
    assert isinstance(everything.blobs, Pieces)
    begun = asyncio.Event()
    open_streams: list[int] = []

    async def receive() -> Any:
        await begun.wait()
        return {"type": "http.disconnect"}

    async def send(message: Any) -> None:
        if len(message.get("body", b"")) == _PIECE:
            assert isinstance(everything.blobs, Pieces)
            open_streams.append(everything.blobs.open_streams)
            begun.set()
            await asyncio.Event().wait()  # who hangs up takes nothing more

    scope: Any = {
        "type": "http",
        "method": "GET",
        "path": address,
        "raw_path": address.encode(),
        "query_string": b"",
        "headers": [],
        "scheme": "http",
        "server": ("localhost", 80),
        "client": ("localhost", 1),
        "http_version": "1.1",
    }
    await app_over(everything.as_services())(scope, receive, send)
    assert open_streams == [1]
    assert everything.blobs.open_streams == 0


async def test_who_hangs_up_while_a_thread_reads_ends_without_an_error() -> None:
    reads, may_go_on, closed = threading.Event(), threading.Event(), threading.Event()

    def pieces() -> Iterator[bytes]:
        try:
            yield b"first"
            reads.set()
            assert may_go_on.wait(10)
            yield b"second"
        finally:
            closed.set()

    chunks = pieces()
    answer = stream(chunks, None, {})
    reading = asyncio.create_task(asyncio.to_thread(next, chunks))
    assert await asyncio.to_thread(reads.wait, 10)
    assert answer.background is not None
    await answer.background()
    may_go_on.set()
    assert await reading == b"second"
    del chunks, answer, reading
    # the thread lets go of them a moment after it has answered
    assert await asyncio.to_thread(closed.wait, 10)


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
