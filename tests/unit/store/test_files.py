import errno
import os
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from animator.core.documents import AnimationDocument, AnimationRequest, DrawingDocument
from animator.core.errors import NotFound, StorageUnavailable
from animator.store import FileBlobs, FileDocuments
from animator.store.keys import KeyFile

DRAWING = DrawingDocument(id="d1", name="cat.png", upload="d1.upload", job="j1", created=1.0)


@pytest.fixture
def documents(tmp_path: Path) -> FileDocuments:
    return FileDocuments(tmp_path / "documents")


@pytest.fixture
def blobs(tmp_path: Path) -> FileBlobs:
    return FileBlobs(tmp_path / "blobs")


@pytest.mark.parametrize(
    ("number", "told"),
    [
        (errno.ENOSPC, StorageUnavailable),
        (errno.EDQUOT, StorageUnavailable),
        (errno.EFBIG, StorageUnavailable),
        (errno.EIO, OSError),
    ],
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
    made = AnimationDocument(
        id="a1", drawing="d1", request=AnimationRequest(), job="j", created=1.0
    )
    documents.put("a1", made)
    entry = tmp_path / "documents" / "animations_of" / "d1" / "a1"
    before = entry.stat()
    flushed: list[int] = []
    monkeypatch.setattr(os, "fsync", flushed.append)
    documents.put("a1", made)
    assert entry.stat() == before
    assert len(flushed) == 2, "the document and its folder"


def test_key_that_is_removed_within_a_tick_of_the_clock_opens_nothing(tmp_path: Path) -> None:
    path = tmp_path / "keys.toml"
    keys = KeyFile(path)
    key = keys.add("school")
    assert keys.find(key) is not None
    written = path.stat().st_mtime_ns
    KeyFile(path).remove("school")
    os.utime(path, ns=(written, written))
    assert keys.find(key) is None
