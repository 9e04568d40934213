import errno
import multiprocessing
import os
from pathlib import Path
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from animator.core.animation import Animation, AnimationFormat
from animator.core.annotation import Annotation
from animator.core.documents import (
    AnimationDocument,
    AnimationRequest,
    Consent,
    DrawingDocument,
)
from animator.core.errors import Conflict, NotFound, StorageUnavailable
from animator.store import BlobStore, DocumentStore, FileBlobs, FileDocuments

DRAWING = DrawingDocument(id="d1", name="cat.png", upload="d1.upload", job="j1", created=1.0)
READ = msgspec.structs.replace(DRAWING, picture="d1.jpg", width=4, height=3)


def animation(id: str, created: float) -> AnimationDocument:
    return AnimationDocument(
        id=id, drawing="d1", request=AnimationRequest(), job=f"job-{id}", created=created
    )


def annotation(revision: int = 0) -> Annotation:
    return Annotation(width=4, height=3, figures=(), revision=revision)


@pytest.fixture
def documents(tmp_path: Path) -> FileDocuments:
    return FileDocuments(tmp_path / "documents")


@pytest.fixture
def blobs(tmp_path: Path) -> FileBlobs:
    return FileBlobs(tmp_path / "blobs")


def test_stores_are_what_the_protocols_ask_for(documents: FileDocuments, blobs: FileBlobs) -> None:
    store: DocumentStore = documents
    files: BlobStore = blobs
    assert (store, files) == (documents, blobs)


def test_document_comes_back_as_it_was(documents: FileDocuments) -> None:
    documents.put("d1", DRAWING)
    made = msgspec.structs.replace(
        animation("a1", 2.0),
        files=(
            Animation(
                blob="a1.gif",
                format=AnimationFormat.GIF,
                width=64,
                height=32,
                fps=30.0,
                frame_count=7,
            ),
        ),
    )
    documents.put("a1", animation("a1", 2.0))
    documents.put("a1", made)
    documents.put("d1", annotation())
    assert documents.get(DrawingDocument, "d1") == DRAWING
    assert documents.get(AnimationDocument, "a1") == made
    assert documents.get(Annotation, "d1") == annotation()


@pytest.mark.parametrize("kind", [DrawingDocument, AnimationDocument, Annotation, Consent])
def test_missing_document_is_not_found(documents: FileDocuments, kind: Any) -> None:
    with pytest.raises(NotFound, match=r"There is no such (drawing|animation|annotation|consent)"):
        documents.get(kind, "nothing")


def test_second_writer_of_a_revision_gets_a_conflict(documents: FileDocuments) -> None:
    documents.put("d1", DRAWING)
    documents.put("d1", annotation(0))
    documents.put("d1", annotation(1))
    with pytest.raises(Conflict):
        documents.put("d1", annotation(1))
    with pytest.raises(Conflict):
        documents.put("d1", annotation(3))
    assert documents.get(Annotation, "d1").revision == 1


def _try_to_write(folder: Path, revision: int) -> bool:
    try:
        FileDocuments(folder).put("d1", annotation(revision))
    except Conflict:
        return False
    return True


def test_one_of_several_processes_wins_each_revision(tmp_path: Path) -> None:
    documents = FileDocuments(tmp_path)
    documents.put("d1", DRAWING)
    documents.put("d1", annotation(0))
    with multiprocessing.get_context("spawn").Pool(2) as pool:
        for revision in range(1, 6):
            won = pool.starmap(_try_to_write, [(tmp_path, revision)] * 4)
            assert sorted(won) == [False, False, False, True]


def test_animations_of_a_drawing_come_oldest_first(documents: FileDocuments) -> None:
    documents.put("d1", DRAWING)
    for id, created in (("a2", 20.0), ("a1", 10.0), ("a3", 30.0)):
        documents.put(id, animation(id, created))
    documents.delete(AnimationDocument, "a1")
    assert [a.id for a in documents.animations_of("d1")] == ["a2", "a3"]
    assert documents.animations_of("d2") == ()


def test_deleting_a_drawing_leaves_nothing_that_belongs_to_it(
    documents: FileDocuments, tmp_path: Path
) -> None:
    documents.put("d1", DRAWING)
    documents.put("d1", annotation())
    documents.put("a1", animation("a1", 1.0))
    documents.put("d1", Consent(given=2.0))
    documents.put("other", msgspec.structs.replace(DRAWING, id="other"))
    documents.delete(DrawingDocument, "d1")
    documents.delete(DrawingDocument, "d1")
    left = sorted(p.name for p in tmp_path.rglob("*") if p.is_file())
    assert left == ["lock", "other.json"]


@pytest.mark.parametrize(
    ("id", "document"),
    [
        ("d1", READ),
        ("d1", annotation()),
        ("a1", animation("a1", 1.0)),
        ("d1", Consent(given=2.0)),
    ],
    ids=["read drawing", "annotation", "animation", "consent"],
)
def test_late_result_does_not_bring_a_deleted_drawing_back(
    documents: FileDocuments, tmp_path: Path, id: str, document: Any
) -> None:
    documents.put("d1", DRAWING)
    documents.delete(DrawingDocument, "d1")
    with pytest.raises(NotFound):
        documents.put(id, document)
    assert [p.name for p in tmp_path.rglob("*") if p.is_file()] == ["lock"]


def test_drawings_with_consent_are_listed_until_it_is_taken_back(documents: FileDocuments) -> None:
    assert documents.consents() == ()
    for id in ("d2", "d1"):
        documents.put(id, msgspec.structs.replace(DRAWING, id=id))
        documents.put(id, Consent(given=2.0))
    assert documents.consents() == ("d1", "d2")
    documents.delete(Consent, "d1")
    assert documents.consents() == ("d2",)
    assert documents.get(DrawingDocument, "d1").id == "d1"


def test_blob_comes_back_and_goes(blobs: FileBlobs) -> None:
    blobs.put("a1.gif", b"\0\xff")
    blobs.put("a1.gif", b"new")
    assert blobs.get("a1.gif") == b"new"
    blobs.delete("a1.gif")
    blobs.delete("a1.gif")
    with pytest.raises(NotFound):
        blobs.get("a1.gif")


@pytest.mark.parametrize(
    ("number", "told"),
    [(errno.ENOSPC, StorageUnavailable), (errno.EDQUOT, StorageUnavailable), (errno.EIO, OSError)],
)
def test_writer_that_fails_leaves_the_old_blob_whole_and_tells_a_full_disk_apart(
    blobs: FileBlobs,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    number: int,
    told: type[Exception],
) -> None:
    blobs.put("a1.gif", b"old")

    def fail(_descriptor: int) -> None:
        raise OSError(number, os.strerror(number))

    monkeypatch.setattr(os, "fsync", fail)
    with pytest.raises(told):
        blobs.put("a1.gif", b"new")
    assert [p.name for p in (tmp_path / "blobs").iterdir()] == ["a1.gif"]
    assert blobs.get("a1.gif") == b"old"


WICKED = ["", ".", "..", "../d1", "a/b", "/etc/passwd", "a\0", "a..b", ".hidden", "a" * 65, "ä"]


@pytest.mark.parametrize("name", WICKED)
def test_name_never_becomes_a_path(
    documents: FileDocuments, blobs: FileBlobs, tmp_path: Path, name: str
) -> None:
    with pytest.raises(NotFound):
        documents.get(DrawingDocument, name)
    with pytest.raises(NotFound):
        documents.put(name, DRAWING)
    with pytest.raises(NotFound):
        blobs.get(name)
    with pytest.raises(NotFound):
        blobs.put(name, b"x")
    documents.delete(DrawingDocument, name)
    blobs.delete(name)
    assert documents.animations_of(name) == ()
    assert list(tmp_path.rglob("*.json")) == []


@given(name=st.text())
def test_any_name_is_refused_or_stays_in_the_folder(
    tmp_path_factory: pytest.TempPathFactory, name: str
) -> None:
    folder = tmp_path_factory.mktemp("blobs")
    try:
        FileBlobs(folder).put(name, b"x")
    except NotFound:
        assert list(folder.iterdir()) == []
    else:
        assert [p.name for p in folder.iterdir()] == [name]


def test_document_that_is_written_again_is_not_listed_again(
    documents: FileDocuments, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    documents.put("d1", DRAWING)
    documents.put("a1", animation("a1", 1.0))
    entry = tmp_path / "documents" / "animations_of" / "d1" / "a1"
    before = entry.stat()
    flushed: list[int] = []
    monkeypatch.setattr(os, "fsync", flushed.append)
    documents.put("a1", animation("a1", 1.0))
    assert entry.stat() == before
    assert len(flushed) == 2, "the document and its folder"
