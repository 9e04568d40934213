"""The client over a real server on this machine, with doubles behind it."""

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import msgspec
import pytest
import uvicorn

from animator.api import create_app
from animator.client import Client
from animator.core.annotation import Annotation
from animator.core.documents import AnimationDocument, DrawingDocument
from animator.core.errors import (
    Conflict,
    EncodingFailed,
    NoFigureFound,
    NotFound,
    UnsupportedImage,
)
from animator.core.job import JobEvent, JobProblem
from serving.bench.ports import free_ports
from tests.support_api import GIF, MemoryServices, put_animation, put_drawing


@contextmanager
def served(memory: MemoryServices) -> Iterator[str]:
    """Its address."""
    (port,) = free_ports(1)
    config = uvicorn.Config(create_app(memory.as_services()), port=port, log_config=None)
    server = uvicorn.Server(config)
    thread = threading.Thread(target=server.run)
    thread.start()
    while not server.started:
        time.sleep(0.01)
    yield f"http://127.0.0.1:{port}"
    server.should_exit = True
    thread.join()


@pytest.fixture
def memory() -> MemoryServices:
    return MemoryServices()


@pytest.fixture
def url(memory: MemoryServices) -> Iterator[str]:
    with served(memory) as url:
        yield url


@pytest.fixture
def client(url: str) -> Iterator[Client]:
    with Client(url) as client:
        yield client


def end(memory: MemoryServices, job: str, problem: JobProblem | None = None) -> None:
    state = "failed" if problem else "done"
    memory.jobs.events[job].append(
        JobEvent(job=job, state=state, step="done", progress=1.0, problem=problem)  # type: ignore[arg-type]
    )


def test_picture_is_handed_in_and_waited_for(
    client: Client, memory: MemoryServices, tmp_path: Path
) -> None:
    (tmp_path / "cat.gif").write_bytes(GIF)
    drawing = client.upload(tmp_path / "cat.gif")
    assert drawing.name == "cat.gif"
    end(memory, drawing.job)
    news: list[JobEvent] = []
    assert client.wait(drawing, news.append) == drawing
    assert [event.state for event in news] == ["done"]


def test_token_makes_another_client_the_same_owner(client: Client, url: str) -> None:
    assert client.token is None
    drawings = [client.upload(GIF + bytes([i])) for i in range(3)]
    with Client(url, token=client.token) as again, Client(url) as other:
        assert list(again.drawings()) == drawings[::-1]
        assert list(other.drawings()) == []
        with pytest.raises(NotFound):
            other.delete(drawings[0])
        again.delete(drawings[0])
    assert list(client.drawings()) == drawings[:0:-1]
    client.delete_everything()
    assert list(client.drawings()) == []


def test_long_lists_come_whole(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("animator.client.client._PART", 2)
    drawings = [client.upload(GIF + bytes([i])) for i in range(5)]
    assert list(client.drawings()) == drawings[::-1]


def test_failed_job_is_the_error_that_it_tells(client: Client, memory: MemoryServices) -> None:
    drawing = client.upload(GIF)
    end(memory, drawing.job, JobProblem(code="no_figure_found", message="No figure."))
    with pytest.raises(NoFigureFound, match="No figure"):
        client.wait(drawing)


def test_refused_picture_is_the_error_that_it_is(client: Client) -> None:
    with pytest.raises(UnsupportedImage):
        client.upload(b"hello")


@pytest.fixture
def read(memory: MemoryServices) -> DrawingDocument:
    """A drawing that belongs to whoever has its id, with one figure."""
    return put_drawing(memory)


def test_corrected_figures_are_stored_once_and_the_second_writer_is_told(
    client: Client, read: DrawingDocument
) -> None:
    before = client.annotation(read)
    hidden = [msgspec.structs.replace(figure, hidden=True) for figure in before.figures]
    changed = msgspec.structs.replace(before, figures=tuple(hidden))
    after = client.correct(read, changed)
    assert after.revision == before.revision + 1
    assert client.annotation(read).figures[0].hidden
    with pytest.raises(Conflict):
        client.correct(read, changed)


def test_what_figures_lack_is_waited_for(
    client: Client, memory: MemoryServices, read: DrawingDocument
) -> None:
    found = memory.documents.get(Annotation, read.id)
    memory.jobs.report(JobEvent(job="drawing-x", state="done", step="done", progress=1.0))
    memory.documents.documents[Annotation, read.id] = msgspec.structs.replace(
        found, job="drawing-x"
    )
    assert client.annotation(read).job == "drawing-x"


def test_animation_is_asked_for_saved_and_shared(
    client: Client, memory: MemoryServices, read: DrawingDocument, tmp_path: Path, url: str
) -> None:
    asked = client.animate(read, motion="jump", formats=("gif",))
    assert (asked.request.motion, asked.request.formats) == ("jump", ("gif",))
    end(memory, asked.job)
    assert client.wait(asked) == asked
    made = put_animation(memory, read.id)
    assert {animation.id for animation in client.animations(read)} == {asked.id, made.id}
    assert client.save(made, tmp_path / "x.gif").read_bytes() == b"0123456789"
    assert client.share(made, days=3).startswith(f"{url}/shared/")
    client.delete(made)
    with pytest.raises(NotFound):
        client.save(made, tmp_path / "y.gif")
    memory.documents.delete(AnimationDocument, asked.id)


def test_name_of_a_file_must_say_its_format(
    client: Client, memory: MemoryServices, read: DrawingDocument, tmp_path: Path
) -> None:
    with pytest.raises(EncodingFailed, match=r"x\.doc"):
        client.save(put_animation(memory, read.id), tmp_path / "x.doc")


def test_everything_is_one_zip(
    client: Client, memory: MemoryServices, read: DrawingDocument, tmp_path: Path
) -> None:
    memory.blobs.put("p", b"jpeg")
    memory.documents.put(read.id, msgspec.structs.replace(read, picture="p"))
    file = client.save_everything(read, tmp_path / "all.zip")
    assert file.read_bytes().startswith(b"PK")


def test_library_of_motions_is_told(client: Client) -> None:
    assert [motion.name for motion in client.motions()] == ["wave", "jump", "dance"]
