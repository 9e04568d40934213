"""What is over is forgotten with all that was made of it; nothing else is."""

import os
import string
import time
from pathlib import Path
from unittest.mock import Mock

import msgspec
import pytest
from redis import Redis

from animator.core.animation import Animation, AnimationFormat
from animator.core.documents import (
    AnimationDocument,
    AnimationRequest,
    DrawingDocument,
    MotionDocument,
    Ownership,
    Share,
)
from animator.jobs.sweeper import Sweeper
from animator.store import LOOK, BlobStore, DocumentStore, FileBlobs, FileDocuments
from animator.store.bucket import Bucket
from tests.support_s3 import ObjectServer
from tests.support_stores import Shelf

NOW = 1_000_000.0


@pytest.fixture
def documents(tmp_path: Path) -> FileDocuments:
    return FileDocuments(tmp_path / "documents")


@pytest.fixture
def blobs(tmp_path: Path) -> FileBlobs:
    return FileBlobs(tmp_path / "blobs")


def fill(documents: DocumentStore, blobs: BlobStore, id: str, expires: float | None) -> None:
    """A drawing with an animation of one file, which is shared."""
    drawing = DrawingDocument(
        id=id, name="a.png", upload=f"{id}.upload", job="j", created=1.0, expires=expires
    )
    documents.put(id, drawing)
    documents.put(id, msgspec.structs.replace(drawing, picture=f"{id}.jpg"))
    documents.put(id, Ownership(owner="somebody", sha256=id.encode().hex().zfill(64), created=1.0))
    made = f"{id}-a"
    animation = AnimationDocument(
        id=made, drawing=id, request=AnimationRequest(), job="j", created=1.0
    )
    documents.put(made, animation)
    gif = Animation(
        blob=f"{made}.gif",
        format=AnimationFormat.GIF,
        width=64,
        height=64,
        fps=30.0,
        frame_count=1,
    )
    documents.put(made, msgspec.structs.replace(animation, files=(gif,)))
    documents.put(f"{id}-s", Share(id=f"{id}-s", animation=made, created=1.0, expires=NOW))
    for name in (f"{id}.upload", f"{id}.jpg", f"{id}.background", f"{made}.gif"):
        blobs.put(name, b"x")


def files_in(folder: Path) -> set[str]:
    return {file.name for file in folder.rglob("*") if file.is_file()} - {"lock"}


def sweeper(client: Redis, documents: FileDocuments, blobs: FileBlobs) -> Sweeper:
    return Sweeper(client, documents, blobs, clock=lambda: NOW)


def test_drawing_whose_time_is_over_goes_with_all_that_was_made_of_it(
    client: Redis, documents: FileDocuments, blobs: FileBlobs, tmp_path: Path
) -> None:
    fill(documents, blobs, "over", NOW)
    sweeper(client, documents, blobs).sweep()
    assert files_in(tmp_path) == set()
    assert documents.drawings_of("somebody") == ()


def test_motion_whose_time_is_over_goes_with_its_file(
    client: Redis, documents: FileDocuments, blobs: FileBlobs, tmp_path: Path
) -> None:
    for id, expires in (("over", NOW), ("kept", NOW + 1)):
        motion = MotionDocument(
            id=id, owner="somebody", title="Hop", job="j", created=1.0, expires=expires
        )
        documents.put(id, motion)
        blobs.put(f"{id}.bvh", b"x")
    sweeper(client, documents, blobs).sweep()
    assert [motion.id for motion in documents.motions_of("somebody")] == ["kept"]
    assert [file.name for file in (tmp_path / "blobs").iterdir()] == ["kept.bvh"]


@pytest.mark.parametrize("expires", [NOW + 1, None], ids=["later", "never"])
def test_drawing_whose_time_is_not_over_stays_as_it_is(
    client: Redis,
    documents: FileDocuments,
    blobs: FileBlobs,
    tmp_path: Path,
    expires: float | None,
) -> None:
    fill(documents, blobs, "kept", expires)
    before = files_in(tmp_path)
    sweeper(client, documents, blobs).sweep()
    assert files_in(tmp_path) == before


def test_file_that_belongs_to_nothing_goes_once_it_is_old(
    client: Redis, documents: FileDocuments, blobs: FileBlobs, tmp_path: Path
) -> None:
    fill(documents, blobs, "kept", None)
    for name in ("lost.gif", "new.gif"):
        blobs.put(name, b"x")
    for file in (tmp_path / "blobs").iterdir():
        age = 60 if file.name == "new.gif" else 7200
        os.utime(file, (NOW - age, NOW - age))
    sweeper(client, documents, blobs).sweep()
    left = {file.name for file in (tmp_path / "blobs").iterdir()}
    assert left == {"kept.upload", "kept.jpg", "kept.background", "kept-a.gif", "new.gif"}


def test_sweep_that_takes_too_long_is_ended_and_gone_on_with_in_the_next(
    client: Redis, documents: FileDocuments, blobs: FileBlobs
) -> None:
    minutes = (60.0 * number for number in range(1000))
    for number in range(4):
        fill(documents, blobs, f"over-{number}", NOW)
    for name in ("lost-1.gif", "lost-2.gif"):
        blobs.put(name, b"x")
    late = time.time() + 7200
    slow = Sweeper(client, documents, blobs, clock=lambda: late, timer=lambda: next(minutes))
    left = []
    for _ in range(2):
        slow.sweep()
        left.append(len(documents.drawings_of("somebody")))
    assert left == [1, 0], "three take more than two minutes"
    assert blobs.written_before(late) == (), "they do not wait for the drawings"


def test_sweep_that_finds_nothing_lost_is_ended_as_well(
    client: Redis, documents: FileDocuments, blobs: FileBlobs, monkeypatch: pytest.MonkeyPatch
) -> None:
    minutes = (60.0 * number for number in range(1000))
    for number in range(5):
        fill(documents, blobs, f"kept-{number}", None)
    late = time.time() + 7200
    knows = Mock(side_effect=documents.knows)
    monkeypatch.setattr(documents, "knows", knows)
    Sweeper(client, documents, blobs, clock=lambda: late, timer=lambda: next(minutes)).sweep()
    assert knows.call_count == 3, "three take more than two minutes"


def test_clock_is_that_of_the_world(
    client: Redis, documents: FileDocuments, blobs: FileBlobs, tmp_path: Path
) -> None:
    fill(documents, blobs, "over", time.time() - 1)
    Sweeper(client, documents, blobs).sweep()
    assert files_in(tmp_path) == set()


def test_bucket_is_swept_like_a_folder(client: Redis, objects: ObjectServer) -> None:
    place = objects.place("swept/")
    shelf = Shelf(place)
    over, kept = "over", "kept"
    for id, expires in ((kept, NOW + 1), (over, NOW)):
        before = shelf.left()
        fill(shelf.documents, shelf.blobs, id, expires)
    Sweeper(client, shelf.documents, shelf.blobs, clock=lambda: NOW).sweep()
    assert shelf.left() == before
    shelf.blobs.put("lost.gif", b"x")
    shelf.documents.delete(DrawingDocument, kept)
    for letter in "kl":
        late = _next_turn_of(letter)
        Sweeper(client, shelf.documents, shelf.blobs, clock=lambda at=late: at).sweep()  # type: ignore[misc]
    assert list(Bucket(place, LOOK).list("")) == []


def _next_turn_of(letter: str) -> float:
    """When files whose names begin so are looked at that are an hour old by then."""
    turns = (string.ascii_letters + string.digits + "-_").index(letter)
    return (time.time() // (64 * 600) + 1) * 64 * 600 + 600 * turns + 3600
