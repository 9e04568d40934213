"""A store that holds very many is looked through in parts, and none is left out for ever."""

import secrets
import time
from functools import partial
from pathlib import Path

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from animator.core.documents import DrawingDocument
from animator.store import FileBlobs, object_blobs, object_documents
from animator.store.bucket import Bucket
from animator.store.object_blobs import ObjectBlobs
from animator.store.object_documents import ObjectDocuments
from animator.store.turns import TURN, part_of
from tests.support_s3 import ObjectServer
from tests.support_stores import QUICK

DRAWING = DrawingDocument(id="d", name="cat.png", upload="d.upload", job="j", created=1.0)


@pytest.fixture
def bucket(objects: ObjectServer) -> Bucket:
    return Bucket(objects.place(f"{secrets.token_hex(4)}/"), QUICK)


def test_few_are_looked_at_all_in_their_order() -> None:
    assert part_of("abc", 1e9, most=3) == "abc"


@given(st.integers(1, 400), st.integers(1, 50), st.integers(0, 1 << 32))
def test_all_have_their_turn_in_little_more_turns_than_it_takes(
    count: int, most: int, instant: int
) -> None:
    left = set(range(count))
    for turn in range(-(-count // most) * 3 + 1):
        part = part_of(range(count), instant + turn * TURN, most)
        assert len(part) == len(set(part)) == min(count, most)
        left -= set(part)
    assert not left


def test_folder_of_very_many_files_gives_another_part_each_turn(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    blobs = FileBlobs(tmp_path)
    for number in range(12):
        blobs.put(f"{number:02}.gif", b"x")
    monkeypatch.setattr("animator.store.blobs.part_of", partial(part_of, most=5))
    found = [blobs.written_before(time.time() + turn * TURN) for turn in range(1, 9)]
    assert {len(part) for part in found} == {5}
    assert len({name for part in found for name in part}) == 12


def test_letter_of_very_many_files_of_a_bucket_is_gone_on_in_its_next_turn(
    bucket: Bucket, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(object_blobs, "MOST", 5)
    blobs = ObjectBlobs(bucket)
    for letter in "059BJQUagnrz":
        blobs.put(f"k{letter}{letter}.gif", b"x")
    first = 1e12 // (64 * TURN) * 64 * TURN + 10 * TURN  # of the letter k
    found = [blobs.written_before(first + 64 * TURN * turn) for turn in range(8)]
    assert {len(part) for part in found} == {5}
    assert len({name for part in found for name in part}) == 12


def test_very_many_drawings_that_are_over_are_told_the_earliest_first(
    bucket: Bucket, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(object_documents, "MOST", 2)
    documents = ObjectDocuments(bucket)
    for number in (3, 1, 2):
        id = f"d{number}"
        documents.put(id, msgspec.structs.replace(DRAWING, id=id, expires=float(number)))
    assert documents.expired(10.0) == ("d1", "d2")
    for id in ("d1", "d2"):
        documents.delete(DrawingDocument, id)
    assert documents.expired(10.0) == ("d3",)
