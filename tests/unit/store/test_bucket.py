"""An object store that is away, slow, broken or not for us: what is told, and what is left."""

import logging
import os
import secrets
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest

from animator.core.annotation import Annotation
from animator.core.documents import AnimationDocument, AnimationRequest, DrawingDocument
from animator.core.errors import Conflict, NotFound, StorageRefused, StorageUnavailable
from animator.core.places import BucketPlace
from animator.store import bucket as bucket_module
from animator.store.bucket import Bucket, Patience
from animator.store.bucket_keys import BucketKeys
from animator.store.object_documents import ObjectDocuments
from serving.bench.ports import free_ports
from tests.support_breaker import Breaker, breaking
from tests.support_s3 import SECRET, ObjectServer

DRAWING = DrawingDocument(id="d1", name="cat.png", upload="d1.upload", job="j1", created=1.0)
ONCE = Patience(attempts=1, silence=5.0, rest=0.0)
FILM = bytes(range(256)) * 4096


def annotation(revision: int) -> Annotation:
    return Annotation(width=4, height=3, figures=(), revision=revision)


@pytest.fixture(scope="module")
def breaker(objects: ObjectServer) -> Iterator[Breaker]:
    with breaking(objects.url) as breaker:
        yield breaker


@pytest.fixture
def place(objects: ObjectServer) -> BucketPlace:
    return objects.place(f"{secrets.token_hex(4)}/")


@pytest.fixture
def broken(breaker: Breaker, place: BucketPlace, monkeypatch: pytest.MonkeyPatch) -> Bucket:
    """Seen through the breaker, with little patience."""
    pauses = "botocore.retries.standard.ExponentialBackoff.delay_amount"
    monkeypatch.setattr(pauses, lambda *_: 0.0)
    breaker.faults, breaker.seen, breaker.stall = [], [], 1.0
    return Bucket(msgspec.structs.replace(place, endpoint=breaker.url), Patience(3, 0.5, 0.0))


@pytest.mark.parametrize("fault", ["500", "503", "drop", "late", "stall", "lose"])
def test_fault_that_passes_is_not_noticed(breaker: Breaker, broken: Bucket, fault: Any) -> None:
    breaker.faults = [fault]
    broken.put("a", b"data")
    breaker.faults = [fault]
    assert broken.get("a").data == b"data"
    assert breaker.seen == [f"PUT {fault}", "PUT pass", f"GET {fault}", "GET pass"]


@pytest.mark.parametrize("fault", ["503", "drop", "late"])
def test_fault_that_stays_is_told_as_storage_that_is_away(
    breaker: Breaker, broken: Bucket, place: BucketPlace, fault: Any
) -> None:
    breaker.faults = [fault] * 3
    with pytest.raises(StorageUnavailable) as caught:
        broken.put("a", b"data")
    assert caught.value.message.startswith("The storage cannot be reached just now.")
    assert not isinstance(caught.value, StorageRefused)
    assert list(Bucket(place, ONCE).list("")) == []
    broken.put("a", b"data")  # it is back


def test_answer_that_is_cut_short_is_asked_for_again(breaker: Breaker, broken: Bucket) -> None:
    broken.put("a", FILM)
    breaker.faults = ["cut", "cut"]
    assert broken.get("a").data == FILM
    breaker.faults = ["cut"] * 4
    with pytest.raises(StorageUnavailable):
        broken.get("a")


def test_film_that_breaks_off_goes_on_where_it_broke(breaker: Breaker, broken: Bucket) -> None:
    broken.put("a", FILM)
    film = broken.open("a")
    breaker.seen = []
    breaker.faults = ["cut", "cut", "drop"]
    assert b"".join(film.stream(range(100, len(FILM)))) == FILM[100:]
    assert breaker.seen == ["GET cut", "GET cut", "GET drop", "GET pass"]


def test_film_of_which_a_server_gives_nothing_is_given_up(breaker: Breaker, broken: Bucket) -> None:
    broken.put("a", FILM)
    film = broken.open("a")
    breaker.faults = ["empty", "empty", "empty"]
    assert b"".join(film.stream(range(len(FILM)))) == FILM
    breaker.seen, breaker.faults = [], ["empty" for _ in range(100)]
    with pytest.raises(StorageUnavailable, match="too few bytes, 7 of"):
        list(film.stream(range(7, len(FILM))))
    assert breaker.seen == ["GET empty"] * 4


def test_film_that_is_another_one_meanwhile_is_not_mixed_with_it(broken: Bucket) -> None:
    broken.put("a", FILM)
    chunks = broken.open("a").stream(range(len(FILM)))
    broken.put("a", b"other")
    with pytest.raises(NotFound):
        list(chunks)


def test_write_whose_answer_was_lost_counts_as_written_and_that_of_another_does_not(
    breaker: Breaker, broken: Bucket
) -> None:
    breaker.faults = ["lose"]
    assert broken.put_if("a", b"first", None)
    breaker.faults = ["lose"]
    assert not broken.put_if("a", b"second", "another")
    assert broken.get("a").data == b"first"
    tag = broken.tag("a")
    breaker.faults = ["lose"]
    assert broken.put_if("a", b"third", tag)
    assert not broken.put_if("a", b"third", tag)
    assert broken.get("a").data == b"third"


@pytest.mark.parametrize("broken_at", range(5))
def test_document_is_whole_or_not_there_wherever_storing_broke_off(
    breaker: Breaker, broken: Bucket, place: BucketPlace, broken_at: int
) -> None:
    documents, through = ObjectDocuments(Bucket(place, ONCE)), ObjectDocuments(broken)
    documents.put("d1", DRAWING)
    made = AnimationDocument(
        id="a1", drawing="d1", request=AnimationRequest(), job="j", created=2.0
    )
    breaker.faults = ["pass" for _ in range(broken_at)]
    breaker.faults += ["drop", "drop", "drop"]
    try:
        through.put("a1", made)
    except StorageUnavailable:
        found = documents.animations_of("d1")
        assert found in ((), (made,))
    breaker.faults = []
    through.put("a1", made)
    assert documents.animations_of("d1") == (made,)
    documents.delete(DrawingDocument, "d1")
    left = {found.key for found in Bucket(place, ONCE).list("")}
    assert left == {"documents/gone/drawings/d1"}


def test_deletion_that_broke_off_is_ended_by_tidying(
    breaker: Breaker, broken: Bucket, place: BucketPlace
) -> None:
    documents = ObjectDocuments(Bucket(place, ONCE))
    documents.put("d1", DRAWING)
    documents.put("d1", annotation(0))
    breaker.faults = ["pass", "pass", "pass", "pass", "drop", "drop", "drop"]
    with pytest.raises(StorageUnavailable):
        ObjectDocuments(broken).delete(DrawingDocument, "d1")
    with pytest.raises(NotFound):
        documents.get(DrawingDocument, "d1")
    assert len(list(Bucket(place, ONCE).list(""))) == 2, "a note and the annotation"
    documents.tidy(before=0.0)
    assert len(list(Bucket(place, ONCE).list(""))) == 2, "not yet"
    documents.tidy(before=1e12)
    assert list(Bucket(place, ONCE).list("")) == []


def test_late_writer_that_died_before_it_looked_again_leaves_nothing_for_long(
    place: BucketPlace,
) -> None:
    documents = ObjectDocuments(Bucket(place, ONCE))
    documents.put("d1", DRAWING)
    documents.delete(DrawingDocument, "d1")
    Bucket(place, ONCE).put("documents/annotations/d1.json", b"{}")
    documents.tidy(before=1e12)
    assert list(Bucket(place, ONCE).list("")) == []


def test_writer_whose_drawing_is_deleted_meanwhile_takes_back_what_it_wrote(
    place: BucketPlace, monkeypatch: pytest.MonkeyPatch
) -> None:
    documents, other = ObjectDocuments(Bucket(place, ONCE)), ObjectDocuments(Bucket(place, ONCE))
    documents.put("d1", DRAWING)
    put_if = Bucket.put_if

    def delete_first(self: Bucket, key: str, data: bytes, replaced: str | None) -> bool:
        monkeypatch.setattr(Bucket, "put_if", put_if)
        other.delete(DrawingDocument, "d1")
        return put_if(self, key, data, replaced)

    monkeypatch.setattr(Bucket, "put_if", delete_first)
    with pytest.raises(NotFound):
        documents.put("d1", annotation(0))
    left = {found.key for found in Bucket(place, ONCE).list("")}
    assert left == {"documents/gone/drawings/d1"}


def test_revision_that_another_machine_stores_in_between_is_not_overwritten(
    place: BucketPlace, monkeypatch: pytest.MonkeyPatch
) -> None:
    documents, other = ObjectDocuments(Bucket(place, ONCE)), ObjectDocuments(Bucket(place, ONCE))
    documents.put("d1", DRAWING)
    documents.put("d1", annotation(0))
    put_if = Bucket.put_if
    theirs = msgspec.structs.replace(annotation(1), width=99)

    def overtake(self: Bucket, key: str, data: bytes, replaced: str | None) -> bool:
        monkeypatch.setattr(Bucket, "put_if", put_if)
        other.put("d1", theirs)
        return put_if(self, key, data, replaced)

    monkeypatch.setattr(Bucket, "put_if", overtake)
    with pytest.raises(Conflict):
        documents.put("d1", annotation(1))
    assert documents.get(Annotation, "d1") == theirs


def test_server_that_is_away_is_told_apart_from_one_that_refuses_us(
    objects: ObjectServer, place: BucketPlace
) -> None:
    (port,) = free_ports(1)
    away = Bucket(msgspec.structs.replace(place, endpoint=f"http://127.0.0.1:{port}"), ONCE)
    with pytest.raises(StorageUnavailable) as caught:
        away.probe()
    assert not isinstance(caught.value, StorageRefused)
    elsewhere = Bucket(msgspec.structs.replace(place, bucket="no-such-bucket"), ONCE)
    with pytest.raises(StorageRefused, match="There is no bucket no-such-bucket"):
        elsewhere.probe()
    Bucket(place, ONCE).probe()
    assert list(Bucket(place, ONCE).list("")) == []


def test_missing_credentials_are_told_by_what_is_to_be_set(
    place: BucketPlace, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("AWS_ACCESS_KEY_ID")
    with pytest.raises(StorageRefused, match="set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY"):
        Bucket(place, ONCE).probe()


def test_missing_library_is_told_by_what_is_to_be_installed(
    place: BucketPlace, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "botocore.exceptions", None)
    for ask in (Bucket(place, ONCE).probe, Bucket(place, ONCE).get_ready):
        with pytest.raises(StorageRefused, match=r"pip install 'animator\[s3\]'"):
            ask()


@pytest.mark.parametrize("answer", [True, False], ids=["takes all", "takes nothing"])
def test_server_that_does_not_keep_conditions_is_refused(
    place: BucketPlace, monkeypatch: pytest.MonkeyPatch, answer: bool
) -> None:
    monkeypatch.setattr(Bucket, "put_if", lambda *_: answer)
    with pytest.raises(StorageRefused, match="does not keep conditions"):
        Bucket(place, ONCE).probe()
    assert list(Bucket(place, ONCE).list("")) == []


def test_secret_is_in_no_log_and_no_error(
    breaker: Breaker, broken: Bucket, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO)
    breaker.faults = ["503"] * 3
    with pytest.raises(StorageUnavailable) as caught:
        broken.put("a", b"data")
    assert SECRET not in caplog.text + repr(caught.value) + repr(caught.value.__cause__)


def test_fork_goes_on_with_connections_of_its_own(place: BucketPlace) -> None:
    bucket = Bucket(place, ONCE)
    bucket.put("a", b"data")
    children = []
    for _ in range(4):
        pid = os.fork()
        if pid == 0:
            same = all(bucket.get("a").data == b"data" for _ in range(5))
            os._exit(0 if same else 1)
        children.append(pid)
    assert all(bucket.get("a").data == b"data" for _ in range(20))
    assert [os.waitpid(pid, 0)[1] for pid in children] == [0] * 4


def test_two_who_change_the_keys_at_a_time_lose_none(
    place: BucketPlace, monkeypatch: pytest.MonkeyPatch
) -> None:
    ours, theirs = BucketKeys(Bucket(place, ONCE)), BucketKeys(Bucket(place, ONCE))
    put_if = Bucket.put_if

    def overtake(self: Bucket, key: str, data: bytes, replaced: str | None) -> bool:
        monkeypatch.setattr(Bucket, "put_if", put_if)
        theirs.add("theirs")
        return put_if(self, key, data, replaced)

    monkeypatch.setattr(Bucket, "put_if", overtake)
    ours.add("ours")
    assert {key.name for key in ours.read()} == {"ours", "theirs"}


def test_object_too_large_to_be_held_is_refused(
    place: BucketPlace, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(bucket_module, "MOST_BYTES", 10)
    bucket = Bucket(place, ONCE)
    file = tmp_path / "film"
    file.write_bytes(b"x" * 11)
    bucket.put_file("a", file)
    with pytest.raises(StorageRefused, match="more than 10 bytes"):
        bucket.get("a")
    assert b"".join(bucket.open("a").stream(range(11))) == b"x" * 11


def test_list_is_read_several_at_a_time_and_not_too_many(
    place: BucketPlace, monkeypatch: pytest.MonkeyPatch
) -> None:
    documents = ObjectDocuments(Bucket(place, ONCE))
    ids = [f"d{number}" for number in range(24)]
    for id in ids:
        documents.put(id, msgspec.structs.replace(DRAWING, id=id))
    together, under_way, most = threading.Barrier(4), 0, 0
    get, counting = Bucket.get, threading.Lock()

    def get_together(self: Bucket, key: str) -> Any:
        nonlocal under_way, most
        with counting:
            under_way += 1
            most = max(most, under_way)
        together.wait(30)  # breaks unless four come at a time
        try:
            return get(self, key)
        finally:
            with counting:
                under_way -= 1

    monkeypatch.setattr(Bucket, "get", get_together)
    assert [found.id for found in documents.get_all(DrawingDocument, ids)] == ids
    assert most <= 8


def test_list_of_which_one_cannot_be_read_is_told_as_such(breaker: Breaker, broken: Bucket) -> None:
    documents = ObjectDocuments(broken)
    documents.put("d1", DRAWING)
    breaker.faults = ["503"] * 6
    with pytest.raises(StorageUnavailable):
        documents.get_all(DrawingDocument, ["d1", "d1"])


def test_fork_reads_a_list_with_helpers_of_its_own(place: BucketPlace) -> None:
    documents = ObjectDocuments(Bucket(place, ONCE))
    documents.put("d1", DRAWING)
    assert len(documents.get_all(DrawingDocument, ["d1", "d1"])) == 2
    pid = os.fork()
    if pid == 0:
        os._exit(len(documents.get_all(DrawingDocument, ["d1", "d1"])))
    assert os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == 2


def test_after_a_request_in_vain_none_is_sent_for_a_moment(
    breaker: Breaker, broken: Bucket, place: BucketPlace
) -> None:
    there = msgspec.structs.replace(place, endpoint=breaker.url)
    resting = Bucket(there, Patience(attempts=1, silence=1.0, rest=3600.0))
    breaker.faults = ["503"]
    for _ in range(3):
        with pytest.raises(StorageUnavailable):
            resting.get("a")
    assert breaker.seen == ["GET 503"]
