"""Unpacking: what is honest comes out as it went in; what is not stays where it was."""

import gzip
import io
import stat
import tarfile
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from serving.archive.unpack import ArchiveLimits, unpack_archive
from serving.errors import InvalidModel

FILES = {"handler.py": b"print(1)\n", "data/labels.json": b"{}", "empty": b""}


def _zip(path: Path, files: dict[str, bytes], method: int = zipfile.ZIP_DEFLATED) -> Path:
    with zipfile.ZipFile(path, "w", method) as archive:
        for name, data in files.items():
            archive.writestr(name, data)
    return path


def _tar(path: Path, files: dict[str, bytes], mode: str = "w:gz") -> Path:
    with tarfile.open(path, mode) as archive:  # type: ignore[call-overload]
        for name, data in files.items():
            entry = tarfile.TarInfo(name)
            entry.size = len(data)
            archive.addfile(entry, io.BytesIO(data))
    return path


def _files(folder: Path) -> dict[str, bytes]:
    return {
        str(path.relative_to(folder)): path.read_bytes()
        for path in folder.rglob("*")
        if path.is_file()
    }


@pytest.fixture
def target(tmp_path: Path) -> Path:
    folder = tmp_path / "target"
    folder.mkdir()
    return folder


PACKERS: dict[str, Callable[[Path], Path]] = {
    "deflated zip": lambda path: _zip(path, FILES),
    "stored zip": lambda path: _zip(path, FILES, zipfile.ZIP_STORED),
    "tar.gz": lambda path: _tar(path, FILES),
    "tar": lambda path: _tar(path, FILES, "w"),
}


@pytest.mark.parametrize("pack", PACKERS.values(), ids=PACKERS.keys())
def test_files_come_out_as_they_went_in(
    tmp_path: Path, target: Path, pack: Callable[[Path], Path]
) -> None:
    unpack_archive(pack(tmp_path / "a.mar"), target, ArchiveLimits())
    assert _files(target) == FILES


@pytest.mark.parametrize(
    "name", ["../out", "a/../../out", "/etc/out", "a\\..\\out", "..", "a/../b"]
)
@pytest.mark.parametrize("pack", [_zip, _tar], ids=["zip", "tar"])
def test_a_name_that_leads_out_is_refused(
    tmp_path: Path, target: Path, pack: Callable[[Path, dict[str, bytes]], Path], name: str
) -> None:
    archive = pack(tmp_path / "a.mar", {"good": b"1", name: b"2"})
    with pytest.raises(InvalidModel, match="may not be called"):
        unpack_archive(archive, target, ArchiveLimits())
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize("kind", [tarfile.SYMTYPE, tarfile.LNKTYPE, tarfile.FIFOTYPE])
def test_links_and_devices_in_a_tar_are_refused(tmp_path: Path, target: Path, kind: bytes) -> None:
    path = tmp_path / "a.tar.gz"
    with tarfile.open(path, "w:gz") as archive:
        entry = tarfile.TarInfo("link")
        entry.type = kind
        entry.linkname = "/etc/passwd"
        archive.addfile(entry)
    with pytest.raises(InvalidModel, match="neither a file nor a folder"):
        unpack_archive(path, target, ArchiveLimits())
    assert list(target.iterdir()) == []


def test_a_link_in_a_zip_is_refused(tmp_path: Path, target: Path) -> None:
    path = tmp_path / "a.mar"
    with zipfile.ZipFile(path, "w") as archive:
        entry = zipfile.ZipInfo("link")
        entry.external_attr = (stat.S_IFLNK | 0o777) << 16
        archive.writestr(entry, "/etc/passwd")
    with pytest.raises(InvalidModel, match="neither a file nor a folder"):
        unpack_archive(path, target, ArchiveLimits())
    assert list(target.iterdir()) == []


@pytest.mark.parametrize("pack", [_zip, _tar], ids=["zip", "tar"])
def test_a_bomb_is_left_at_the_ratio(
    tmp_path: Path, target: Path, pack: Callable[[Path, dict[str, bytes]], Path]
) -> None:
    archive = pack(tmp_path / "a.mar", {"zeros": bytes(4 << 20)})
    limits = ArchiveLimits(max_ratio=10, free_bytes=1 << 20)
    with pytest.raises(InvalidModel, match="unpacks to more than 1048576 bytes"):
        unpack_archive(archive, target, limits)
    assert sum(len(data) for data in _files(target).values()) <= 1 << 20


def test_zeros_below_the_free_bytes_are_no_bomb(tmp_path: Path, target: Path) -> None:
    archive = _zip(tmp_path / "a.mar", {"zeros": bytes(1 << 20)})
    unpack_archive(archive, target, ArchiveLimits(max_ratio=10, free_bytes=1 << 20))
    assert (target / "zeros").stat().st_size == 1 << 20


def test_more_bytes_than_allowed_are_refused_whatever_the_ratio(
    tmp_path: Path, target: Path
) -> None:
    archive = _zip(tmp_path / "a.mar", {"a": b"12345", "b": b"67890"}, zipfile.ZIP_STORED)
    with pytest.raises(InvalidModel, match="more than 9 bytes"):
        unpack_archive(archive, target, ArchiveLimits(max_bytes=9))


def test_more_entries_than_allowed_are_refused(tmp_path: Path, target: Path) -> None:
    archive = _zip(tmp_path / "a.mar", {"a": b"", "b": b"", "c": b""})
    with pytest.raises(InvalidModel, match="more than 2 entries"):
        unpack_archive(archive, target, ArchiveLimits(max_entries=2))


def test_a_header_that_asks_for_gigabytes_is_not_read(tmp_path: Path, target: Path) -> None:
    entry = tarfile.TarInfo("x")
    entry.type = tarfile.XHDTYPE  # its "size" is that of a list of names, read at once
    entry.size = 4 << 30
    (tmp_path / "a.tar.gz").write_bytes(gzip.compress(entry.tobuf() + bytes(2048)))
    with pytest.raises(InvalidModel, match="header of"):
        unpack_archive(tmp_path / "a.tar.gz", target, ArchiveLimits())


def test_an_encrypted_entry_is_refused(tmp_path: Path, target: Path) -> None:
    path = _zip(tmp_path / "a.mar", {"secret": b"1"}, zipfile.ZIP_STORED)
    data = bytearray(path.read_bytes())
    data[data.index(b"PK\x01\x02") + 8] |= 1  # the flag in the central directory
    path.write_bytes(data)
    with pytest.raises(InvalidModel, match="encrypted"):
        unpack_archive(path, target, ArchiveLimits())


def test_a_damaged_file_is_noticed_by_its_checksum(tmp_path: Path, target: Path) -> None:
    path = _zip(tmp_path / "a.mar", {"weights": b"abcdefgh"}, zipfile.ZIP_STORED)
    path.write_bytes(path.read_bytes().replace(b"abcdefgh", b"abcdefgx"))
    with pytest.raises(InvalidModel, match="cannot be unpacked"):
        unpack_archive(path, target, ArchiveLimits())


@given(st.binary(max_size=600))
def test_noise_is_no_archive(tmp_path_factory: pytest.TempPathFactory, noise: bytes) -> None:
    folder = tmp_path_factory.mktemp("noise")
    (folder / "a.mar").write_bytes(noise + b"x")
    (folder / "target").mkdir()
    with pytest.raises(InvalidModel):
        unpack_archive(folder / "a.mar", folder / "target", ArchiveLimits())


@given(
    st.dictionaries(
        st.text(st.characters(codec="ascii", exclude_characters="/\\\0."), min_size=1, max_size=20),
        st.binary(max_size=50),
        max_size=8,
    ),
    st.booleans(),
)
def test_any_flat_archive_comes_out_whole(
    tmp_path_factory: pytest.TempPathFactory, files: dict[str, bytes], is_zip: bool
) -> None:
    folder = tmp_path_factory.mktemp("any")
    (folder / "target").mkdir()
    archive = (_zip if is_zip else _tar)(folder / "a", files)
    unpack_archive(archive, folder / "target", ArchiveLimits())
    assert _files(folder / "target") == files
