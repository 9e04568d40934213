"""What was seen is known after a restart."""

from pathlib import Path

import pytest

from serving.watch.records import Record, Records

SEEN = Record(signature="s", outcome="served", digest="d", model="cat", version="1")


def kept(path: Path, source: str = "models") -> Records:
    records = Records(path, source)
    records.read()
    return records


def test_what_was_seen_is_known_after_a_restart(tmp_path: Path) -> None:
    path = tmp_path / "config" / "watched.json"
    records = kept(path)
    assert not records.was_kept
    records.set("cat.mar", SEEN)
    records.set("dog.mar", SEEN)
    records.forget("dog.mar")
    records.save()
    again = kept(path)
    assert again.was_kept
    assert again.items() == {"cat.mar": SEEN}
    holder = ("cat.mar", "d")
    assert again.holder_of({"cat.mar"}, "other.mar", "cat", "1") == holder
    assert again.holder_of({"cat.mar"}, "cat.mar", "cat", "1") is None
    assert again.holder_of(set(), "other.mar", "cat", "1") is None


def test_records_of_another_place_are_not_taken(tmp_path: Path) -> None:
    path = tmp_path / "watched.json"
    records = kept(path)
    records.set("cat.mar", SEEN)
    records.save()
    assert not kept(path, "others").was_kept


@pytest.mark.parametrize("content", [b"", b"{}", b"[1", b"\xff"], ids=repr)
def test_broken_file_is_told_and_counts_as_none(
    tmp_path: Path, content: bytes, caplog: pytest.LogCaptureFixture
) -> None:
    path = tmp_path / "watched.json"
    path.write_bytes(content)
    assert not kept(path).was_kept
    assert "what was seen before is not known" in caplog.text


def test_disk_that_takes_nothing_is_told(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    (tmp_path / "file").write_text("")
    records = Records(tmp_path / "file" / "watched.json", "models")
    records.set("cat.mar", SEEN)
    records.save()
    assert "cannot keep what was seen" in caplog.text
