"""Pages of a long log: each of a bounded part of it, read apart from what is written."""

import asyncio
import tempfile
import threading
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from serving.audit import backwards, reading, writer
from serving.audit.backwards import lines_backwards
from serving.audit.entry import AuditEntry
from serving.audit.log import AuditLog, Change
from serving.audit.reading import AuditPage, AuditQuery, page_of
from serving.audit.settings import AuditSettings
from serving.audit.trail import files_of


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """Of a log of 300 changes, one of them of a dog, in several files."""
    path = tmp_path / "audit.jsonl"
    log = AuditLog(AuditSettings(file=str(path), max_bytes=16_384))
    log.start()
    for number in range(1, 301):
        log.note("scale", Change("dog" if number == 7 else "cat", str(number)))
    log.close()
    return path


def all_pages(path: Path, query: AuditQuery) -> list[AuditPage]:
    pages = [page_of(path, query, (0, ""))]
    while pages[-1].next_page_token:
        below = int(pages[-1].next_page_token)
        query = AuditQuery(limit=query.limit, model=query.model, below=below)
        pages.append(page_of(path, query, (0, "")))
    return pages


def entries_of(pages: list[AuditPage]) -> list[AuditEntry]:
    return [entry for page in pages for entry in page.entries]


def test_rare_entry_is_found_over_pages_of_a_bounded_part_each(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(reading, "_MOST_READ", 10_000)
    pages = all_pages(path, AuditQuery(model="dog"))
    size = sum(file.stat().st_size for file in files_of(path))
    assert len(pages) == pytest.approx(size / 10_000, abs=2)
    assert [entry.version for entry in entries_of(pages)] == ["7"]


@pytest.mark.parametrize("most", [1, 10_000, 1 << 20])
@pytest.mark.parametrize("limit", [1, 7, 1000])
def test_pages_tell_each_entry_once(
    path: Path, monkeypatch: pytest.MonkeyPatch, limit: int, most: int
) -> None:
    monkeypatch.setattr(reading, "_MOST_READ", most)
    monkeypatch.setattr(backwards, "_BLOCK", 1000)
    found = entries_of(all_pages(path, AuditQuery(limit=limit)))
    assert [entry.sequence for entry in found] == list(range(300, 0, -1))


def test_next_page_begins_where_the_last_one_ended_without_reading_to_there(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(backwards, "_BLOCK", 1000)
    lines = list(lines_backwards(path, below=8))
    assert len(lines) < 15, "seven, and what shares a block with them"
    assert b'"sequence":1,' in lines[-1]


@given(
    st.lists(st.binary(max_size=9).map(lambda data: data.replace(b"\n", b""))), st.integers(1, 9)
)
@settings(max_examples=60, deadline=None)
def test_lines_backwards_are_the_lines_backwards(lines: list[bytes], block: int) -> None:
    with pytest.MonkeyPatch.context() as patch, tempfile.TemporaryDirectory() as folder:
        patch.setattr(backwards, "_BLOCK", block)
        path = Path(folder) / "audit.jsonl"
        path.write_bytes(b"".join(line + b"\n" for line in lines))
        assert list(lines_backwards(path)) == lines[::-1]


def test_file_that_is_put_aside_while_it_is_read_is_read_once(path: Path) -> None:
    lines = lines_backwards(path)
    begun = [next(lines)]
    path.rename(path.with_name("audit.000000000300.jsonl"))
    path.touch()
    assert len({*begun, *lines}) == 300


async def test_change_is_written_while_somebody_reads(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    log = AuditLog(AuditSettings(file=str(tmp_path / "audit.jsonl"), required=True))
    log.start()
    log.note("register", Change("cat"))
    reads, may_end = threading.Event(), threading.Event()

    def read_slowly(*asked: object) -> AuditPage:
        reads.set()
        assert may_end.wait(30)
        return page_of(*asked)  # type: ignore[arg-type]

    monkeypatch.setattr(writer, "page_of", read_slowly)
    page = asyncio.create_task(log.page(AuditQuery()))
    await asyncio.to_thread(reads.wait, 30)
    async with asyncio.timeout(30), log.change("scale", "cat"):
        pass
    may_end.set()
    told = await page
    assert [entry.what for entry in told.entries] == ["register"], "as it was when it was asked for"
    assert told.head_sequence == 1
    log.close()
