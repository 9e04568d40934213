"""The chain on disk: it goes on after restarts, rotation and crashes, and shows tampering."""

import json
import string
import tempfile
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from serving.audit.log import AuditLog, Change
from serving.audit.reading import verify
from serving.audit.settings import AuditSettings
from serving.audit.trail import AuditFile, CannotLock, files_of


def write(path: Path, *models: str, max_bytes: int = 1 << 20, max_files: int = 20) -> None:
    """One run of a server that notes so many changes."""
    log = AuditLog(AuditSettings(file=str(path), max_bytes=max_bytes, max_files=max_files))
    log.start()
    for model in models:
        log.note("register", Change(model, "1.0"))
    log.close()


def read(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for file in files_of(path) for line in file.read_bytes().splitlines()]


def test_chain_goes_on_after_a_restart(tmp_path: Path) -> None:
    path = tmp_path / "logs" / "audit.jsonl"
    write(path, "cat", "dog")
    write(path, "emu")
    assert [(e["sequence"], e["model"]) for e in read(path)] == [(1, "cat"), (2, "dog"), (3, "emu")]
    found = verify(path)
    assert (found.entries, found.first, found.sequence, found.faults) == (3, 1, 3, [])
    assert path.stat().st_mode & 0o777 == 0o600


@pytest.mark.parametrize(
    "tamper",
    [
        lambda lines: [lines[0].replace(b"cat", b"cow"), *lines[1:]],
        lambda lines: [lines[0], lines[2]],
        lambda lines: [lines[1], lines[0], lines[2]],
        lambda lines: [lines[0], b"{}", *lines[1:]],
    ],
    ids=["changed", "taken out", "swapped", "put in"],
)
def test_tampering_shows(tmp_path: Path, tamper: object) -> None:
    path = tmp_path / "audit.jsonl"
    write(path, "cat", "dog", "emu")
    lines = path.read_bytes().splitlines()
    assert callable(tamper)
    path.write_bytes(b"".join(line + b"\n" for line in tamper(lines)))
    assert verify(path).faults


@given(st.integers(0, 2), st.data())
@settings(max_examples=25, deadline=None)
def test_no_byte_of_an_entry_can_be_changed_unseen(number: int, data: st.DataObject) -> None:
    # An entry before the last: what follows it carries its hash.
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "audit.jsonl"
        write(path, "cat", "dog", "emu", "fox")
        lines = path.read_bytes().splitlines()
        line = bytearray(lines[number])
        place = data.draw(st.integers(0, len(line) - 1))
        letter = data.draw(
            st.sampled_from([c for c in string.printable[:94] if ord(c) != line[place]])
        )
        line[place] = ord(letter)
        lines[number] = bytes(line)
        path.write_bytes(b"\n".join(lines) + b"\n")
        assert verify(path).faults


def test_full_files_are_put_aside_and_the_oldest_go(tmp_path: Path) -> None:
    path = tmp_path / "audit.jsonl"
    write(path, *("m" * 100 for _ in range(60)), max_bytes=4096, max_files=3)
    files = files_of(path)
    assert len(files) == 3
    assert all(0 < file.stat().st_size <= 4096 for file in files)
    found = verify(path)
    assert found.faults == []
    assert found.sequence == 60
    assert found.first > 1
    assert found.notes == [f"the log begins with entry {found.first}; those before are gone"]
    write(path, "cat", max_bytes=4096, max_files=3)
    assert verify(path).sequence == 61


def test_line_that_a_crash_cut_short_is_noted_and_the_chain_goes_on(tmp_path: Path) -> None:
    path = tmp_path / "audit.jsonl"
    write(path, "cat", "dog")
    path.write_bytes(path.read_bytes()[:-30])
    write(path, "emu")
    found = verify(path)
    assert (found.sequence, found.faults) == (3, [])
    assert found.notes == ["audit.jsonl line 2 is no whole entry"]


def test_file_that_somebody_takes_away_leaves_a_gap_that_shows(tmp_path: Path) -> None:
    path = tmp_path / "audit.jsonl"
    log = AuditLog(AuditSettings(file=str(path)))
    log.start()
    log.note("register", Change("cat"))
    log._writer._thread.submit(path.unlink).result()
    log.note("register", Change("dog"))
    log.close()
    found = verify(path)
    assert (found.entries, found.first) == (1, 2)
    assert found.notes == ["the log begins with entry 2; those before are gone"]


def test_two_servers_do_not_write_one_file(tmp_path: Path) -> None:
    first, second = (AuditFile(tmp_path / "audit.jsonl", 1 << 20, 3) for _ in range(2))
    first.open()
    with pytest.raises(CannotLock):
        second.open()
    first.close()
    second.open()
    second.close()


def test_link_in_place_of_the_file_is_not_followed(tmp_path: Path) -> None:
    target = tmp_path / "target"
    target.write_text("")
    (tmp_path / "audit.jsonl").symlink_to(target)
    with pytest.raises(OSError, match="symbolic links"):
        AuditFile(tmp_path / "audit.jsonl", 1 << 20, 3).open()
