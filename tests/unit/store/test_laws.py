"""The laws of documents and blobs, wherever they are kept."""

import multiprocessing
import time
from pathlib import Path
from typing import Any

import msgspec
import pytest

from animator.core.animation import Animation, AnimationFormat
from animator.core.annotation import Annotation
from animator.core.documents import (
    AcceptedJob,
    AnimationDocument,
    AnimationRequest,
    Consent,
    DrawingDocument,
    MotionDocument,
    Ownership,
    Share,
)
from animator.core.errors import Conflict, NotFound
from animator.core.motion import MotionInfo
from animator.store import forget_drawing
from tests.support_stores import Place, Shelf, succeeds

DRAWING = DrawingDocument(id="d1", name="cat.png", upload="d1.upload", job="j1", created=1.0)
READ = msgspec.structs.replace(DRAWING, picture="d1.jpg", width=4, height=3)
MOTION = MotionDocument(id="m1", owner="somebody", title="Hop", job="j", created=1.0)
INFO = MotionInfo(name="own-m1", title="Hop", tags=(), duration=2.0, fps=30.0, loop=True)
GIF = Animation(
    blob="a1.gif", format=AnimationFormat.GIF, width=64, height=32, fps=30.0, frame_count=7
)
SHA = "ab" * 32


def animation(id: str, created: float) -> AnimationDocument:
    return AnimationDocument(
        id=id, drawing="d1", request=AnimationRequest(), job=f"job-{id}", created=created
    )


def annotation(revision: int = 0) -> Annotation:
    return Annotation(width=4, height=3, figures=(), revision=revision)


def ownership(sha256: str = SHA, created: float = 1.0) -> Ownership:
    return Ownership(owner="somebody", sha256=sha256, created=created)


def drawing(id: str, expires: float | None = None) -> DrawingDocument:
    return msgspec.structs.replace(DRAWING, id=id, expires=expires)


def test_document_comes_back_as_it_was(shelf: Shelf) -> None:
    documents = shelf.documents
    documents.put("d1", DRAWING)
    made = msgspec.structs.replace(animation("a1", 2.0), files=(GIF,))
    documents.put("a1", animation("a1", 2.0))
    documents.put("a1", made)
    documents.put("d1", annotation())
    accepted = AcceptedJob(task="t", subject="d1", queue="q", created=3.0)
    documents.put("j1", accepted)
    assert documents.get(DrawingDocument, "d1") == DRAWING
    assert documents.get(AnimationDocument, "a1") == made
    assert documents.get(Annotation, "d1") == annotation()
    assert documents.get(AcceptedJob, "j1") == accepted
    assert documents.accepted() == ("j1",)


def test_documents_come_in_the_order_of_their_ids_without_those_that_are_gone(
    shelf: Shelf,
) -> None:
    for number in range(20):
        shelf.documents.put(f"d{number}", drawing(f"d{number}"))
    shelf.documents.delete(DrawingDocument, "d7")
    ids = [f"d{number}" for number in reversed(range(25))]
    found = shelf.documents.get_all(DrawingDocument, ids)
    assert [one.id for one in found] == [id for id in ids[5:] if id != "d7"]
    assert shelf.documents.get_all(DrawingDocument, ["../d1"]) == ()


@pytest.mark.parametrize("kind", [DrawingDocument, AnimationDocument, Annotation, Consent])
def test_missing_document_is_not_found(shelf: Shelf, kind: Any) -> None:
    with pytest.raises(NotFound, match=r"There is no such (drawing|animation|annotation|consent)"):
        shelf.documents.get(kind, "nothing")


def test_second_writer_of_a_revision_gets_a_conflict(shelf: Shelf) -> None:
    shelf.documents.put("d1", DRAWING)
    shelf.documents.put("d1", annotation(0))
    shelf.documents.put("d1", annotation(1))
    for revision in (1, 3):
        with pytest.raises(Conflict):
            shelf.documents.put("d1", annotation(revision))
    assert shelf.documents.get(Annotation, "d1").revision == 1


def _write_revision(place: Place, revision: int) -> bool:
    documents = Shelf(place).documents
    return succeeds(Conflict, lambda: documents.put("d1", annotation(revision)))


def _own(place: Place, id: str) -> bool:
    documents = Shelf(place).documents
    return succeeds(Conflict, lambda: documents.put(id, ownership()))


def test_one_of_several_processes_wins_each_revision_and_each_upload(shelf: Shelf) -> None:
    documents = shelf.documents
    documents.put("d1", DRAWING)
    documents.put("d1", annotation(0))
    ids = ("d1", "d2", "d3", "d4")
    for id in ids:
        documents.put(id, drawing(id))
    with multiprocessing.get_context("spawn").Pool(2) as pool:
        for revision in range(1, 4):
            won = pool.starmap(_write_revision, [(shelf.place, revision)] * 4)
            assert sorted(won) == [False, False, False, True]
        won = pool.starmap(_own, [(shelf.place, id) for id in ids])
    assert sorted(won) == [False, False, False, True]
    winner = ids[won.index(True)]
    assert documents.find_upload("somebody", SHA) == winner
    assert documents.drawings_of("somebody") == (winner,)


def test_animations_of_a_drawing_come_oldest_first(shelf: Shelf) -> None:
    documents = shelf.documents
    documents.put("d1", DRAWING)
    for id, created in (("a2", 20.0), ("a1", 10.0), ("a3", 30.0)):
        documents.put(id, animation(id, created))
    documents.delete(AnimationDocument, "a1")
    assert [a.id for a in documents.animations_of("d1")] == ["a2", "a3"]
    assert documents.animations_of("d2") == ()


def test_drawings_of_an_owner_come_newest_first_and_are_known_by_their_bytes(shelf: Shelf) -> None:
    documents = shelf.documents
    for number in range(3):
        id = f"d{number}"
        documents.put(id, drawing(id))
        documents.put(id, ownership(f"{number:064x}", created=float(number)))
    assert documents.drawings_of("somebody") == ("d2", "d1", "d0")
    assert documents.find_upload("somebody", f"{1:064x}") == "d1"
    assert documents.find_upload("another", f"{1:064x}") is None
    documents.delete(DrawingDocument, "d1")
    assert documents.drawings_of("somebody") == ("d2", "d0")
    assert documents.find_upload("somebody", f"{1:064x}") is None
    documents.put("d4", drawing("d4"))
    documents.put("d4", ownership(f"{1:064x}"))
    assert documents.find_upload("somebody", f"{1:064x}") == "d4"


def fill(shelf: Shelf) -> None:
    """A drawing with all that can belong to it, and its files."""
    documents = shelf.documents
    documents.put("d1", drawing("d1", expires=9.0))
    documents.put("d1", ownership())
    documents.put("d1", msgspec.structs.replace(READ, expires=9.0))
    documents.put("d1", annotation())
    documents.put("d1", Consent(given=2.0))
    documents.put("a1", animation("a1", 1.0))
    documents.put("a1", msgspec.structs.replace(animation("a1", 1.0), files=(GIF,)))
    documents.put("s1", Share(id="s1", animation="a1", created=1.0, expires=9.0))
    for name in ("d1.upload", "d1.jpg", "d1.background", "a1.gif"):
        shelf.blobs.put(name, b"x")


def test_forgetting_a_drawing_leaves_nothing_that_belongs_to_it(shelf: Shelf) -> None:
    shelf.documents.put("other", drawing("other"))
    before = shelf.left()
    fill(shelf)
    assert len(shelf.left()) > len(before) + 10
    forget_drawing(shelf.documents, shelf.blobs, "d1")
    forget_drawing(shelf.documents, shelf.blobs, "d1")
    assert shelf.left() == before


LATE: tuple[tuple[str, Any], ...] = (
    ("d1", READ),
    ("d1", annotation()),
    ("d1", ownership()),
    ("d1", Consent(given=2.0)),
    ("a1", animation("a1", 1.0)),
    ("a1", msgspec.structs.replace(animation("a1", 1.0), files=(GIF,))),
    ("s1", Share(id="s1", animation="a1", created=1.0, expires=9.0)),
    ("m1", msgspec.structs.replace(MOTION, info=INFO)),
)


def test_late_result_does_not_bring_a_deleted_thing_back(shelf: Shelf) -> None:
    fill(shelf)
    shelf.documents.put("m1", MOTION)
    shelf.documents.delete(DrawingDocument, "d1")
    shelf.documents.delete(MotionDocument, "m1")
    before = shelf.left()
    for id, document in LATE:
        with pytest.raises(NotFound):
            shelf.documents.put(id, document)
    assert shelf.left() == before


def test_drawings_with_consent_are_listed_until_it_is_taken_back(shelf: Shelf) -> None:
    documents = shelf.documents
    assert documents.consents() == ()
    for id in ("d2", "d1"):
        documents.put(id, drawing(id))
        documents.put(id, Consent(given=2.0))
    assert documents.consents() == ("d1", "d2")
    documents.delete(Consent, "d1")
    assert documents.consents() == ("d2",)
    assert documents.get(DrawingDocument, "d1").id == "d1"


def test_what_is_over_is_listed_and_nothing_else(shelf: Shelf) -> None:
    documents = shelf.documents
    for id, expires in (("d1", 10.0), ("d2", 11.0), ("d3", None)):
        documents.put(id, drawing(id, expires))
    for id, expires in (("m1", 10.0), ("m2", 11.0)):
        documents.put(id, msgspec.structs.replace(MOTION, id=id, expires=expires))
    assert documents.expired(9.9) == ()
    assert documents.expired(10.0) == ("d1",)
    assert documents.expired_motions(10.5) == ("m1",)
    documents.delete(DrawingDocument, "d1")
    documents.delete(MotionDocument, "m1")
    assert documents.expired(11.0) == ("d2",)
    assert documents.expired_motions(11.0) == ("m2",)
    assert [motion.id for motion in documents.motions_of("somebody")] == ["m2"]


def test_whether_a_document_of_an_id_is_there_is_known(shelf: Shelf) -> None:
    fill(shelf)
    shelf.documents.put("m1", MOTION)
    assert [shelf.documents.knows(id) for id in ("d1", "a1", "s1", "m1", "x")] == [True] * 4 + [
        False
    ]


def test_blob_comes_back_and_goes(shelf: Shelf, tmp_path: Path) -> None:
    blobs = shelf.blobs
    blobs.put("a1.gif", b"\0\xff")
    blobs.put("a1.gif", b"new")
    assert blobs.get("a1.gif") == b"new"
    film = tmp_path / "film"
    film.write_bytes(b"film")
    blobs.put_file("a1.gif", film)
    assert blobs.get("a1.gif") == b"film"
    blobs.delete("a1.gif")
    blobs.delete("a1.gif")
    with pytest.raises(NotFound):
        blobs.get("a1.gif")
    with pytest.raises(NotFound):
        blobs.open("a1.gif")


def test_part_of_a_blob_is_read_bit_by_bit(shelf: Shelf) -> None:
    data = bytes(range(256)) * 4096
    shelf.blobs.put("a1.mp4", data)
    film = shelf.blobs.open("a1.mp4")
    assert film.size == len(data)
    chunks = list(film.stream(range(1000, 900_000)))
    assert len(chunks) > 1
    assert b"".join(chunks) == data[1000:900_000]
    assert b"".join(film.stream(range(film.size))) == data
    shelf.blobs.delete("a1.mp4")
    with pytest.raises(NotFound):
        next(film.stream(range(10)))


def test_old_blobs_are_listed(shelf: Shelf) -> None:
    for name in ("a1.gif", "a1.mp4", "b1.gif"):
        shelf.blobs.put(name, b"x")
    # A bucket tells of one first letter at a time.
    turns = [600.0 * turn for turn in range(64)]
    found = {name for turn in turns for name in shelf.blobs.written_before(time.time() + turn)}
    assert found == {"a1.gif", "a1.mp4", "b1.gif"}
    assert not any(shelf.blobs.written_before(turn) for turn in turns[:3])


WICKED = ("", ".", "..", "../d1", "a/b", "/etc/passwd", "a\0", "a..b", ".hidden", "a" * 65, "ä")


def test_name_never_becomes_a_path(shelf: Shelf) -> None:
    documents, blobs = shelf.documents, shelf.blobs
    for name in WICKED:
        with pytest.raises(NotFound):
            documents.get(DrawingDocument, name)
        with pytest.raises(NotFound):
            documents.put(name, DRAWING)
        with pytest.raises(NotFound):
            blobs.get(name)
        with pytest.raises(NotFound):
            blobs.open(name)
        with pytest.raises(NotFound):
            blobs.put(name, b"x")
        documents.delete(DrawingDocument, name)
        blobs.delete(name)
        assert documents.animations_of(name) == ()
        assert documents.find_upload(name, name) is None
    assert shelf.left() == set()


def test_key_opens_until_it_is_removed(shelf: Shelf) -> None:
    assert shelf.keys.read() == ()
    key = shelf.keys.add("school", per_minute=5)
    found = shelf.keys.find(key)
    assert found is not None
    assert (found.name, found.per_minute) == ("school", 5)
    assert Shelf(shelf.place).keys.find(key) == found
    shelf.keys.remove("school")
    assert shelf.keys.find(key) is None
