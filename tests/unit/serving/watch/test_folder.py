"""What a look at a folder finds, and what it must not take."""

import os
import shutil
from pathlib import Path

import pytest

from serving.archive.content import digest_of
from serving.watch.folder import WatchedFolder
from serving.watch.found import Found, LookFailed
from serving.watch.settings import WatchSettings
from tests.support_watch import put


@pytest.fixture
def root(tmp_path: Path) -> Path:
    root = tmp_path / "models"
    root.mkdir()
    return root


def look(root: Path, **settings: int) -> dict[str, Found]:
    found = WatchedFolder(root, WatchSettings(**settings)).look()  # type: ignore[arg-type]
    return {each.key: each for each in found}


def test_archives_models_and_versions_are_found_lower_versions_first(root: Path) -> None:
    for name in ("cat-1.10.mar", "cat-1.9.mar", "net.onnx"):
        (root / name).write_bytes(b"x")
    for version in ("10", "9"):
        put(root / "tag" / version, version, "x")
    put(root / "alone", "1", "x", name="alone")
    assert list(look(root)) == [
        "alone",
        "cat-1.9.mar",
        "cat-1.10.mar",
        "net.onnx",
        "tag/9",
        "tag/10",
    ]


def test_version_within_the_folder_of_another_is_found_for_itself(root: Path) -> None:
    folder = put(root / "tag", "1", "x")
    before, digest = look(root)["tag"], digest_of(folder)
    put(folder / "2", "2", "y")
    found = look(root)
    assert list(found) == ["tag", "tag/2"]
    assert (found["tag"].signature, digest_of(folder)) == (before.signature, digest)


@pytest.mark.parametrize(
    "name", [".hidden.mar", "cat.mar.part", "cat.mar.tmp", "cat.mar~", "cat.txt", "__pycache__"]
)
def test_what_is_no_model_or_not_there_wholly_is_passed_over(root: Path, name: str) -> None:
    (root / name).write_bytes(b"x")
    assert look(root) == {}


def test_folder_is_none_of_ours_until_its_manifest_is_there(root: Path) -> None:
    folder = put(root / "tag", "1", "x")
    (folder / "manifest.json").rename(folder / "manifest.part")
    assert look(root) == {}


@pytest.mark.parametrize("change", ["append", "same size and time", "another file", "rename over"])
def test_every_change_of_a_folder_changes_its_signature(root: Path, change: str) -> None:
    folder = put(root / "tag", "1", "x")
    before, handler = look(root)["tag"].signature, folder / "tag.py"
    facts = handler.stat()
    match change:
        case "append":
            handler.write_text(handler.read_text() + "#")
        case "same size and time":
            handler.write_text(handler.read_text().replace("word", "wort"))
            os.utime(handler, ns=(facts.st_atime_ns, facts.st_mtime_ns))
        case "another file":
            (folder / "weights.bin").write_bytes(b"")
        case _:
            shutil.copy2(handler, folder / "new")
            (folder / "new").replace(handler)
    assert look(root)["tag"].signature != before


def test_what_python_writes_beside_a_handler_changes_nothing(root: Path) -> None:
    folder = put(root / "tag", "1", "x")
    before, digest = look(root), digest_of(folder)
    (folder / "__pycache__").mkdir()
    (folder / "__pycache__" / "tag.pyc").write_bytes(b"x")
    assert (look(root), digest_of(folder)) == (before, digest)


@pytest.mark.parametrize("place", ["archive", "model", "version", "file", "folder", "circle"])
def test_link_that_leads_out_of_the_folder_is_not_followed(
    root: Path, tmp_path: Path, place: str
) -> None:
    outside = put(tmp_path / "outside" / "1", "1", "x")
    key = "tag"
    match place:
        case "archive":
            key = "tag.mar"
            (root / key).symlink_to(outside / "tag.py")
        case "model":
            (root / key).symlink_to(outside)
        case "version":
            (root / "tag").symlink_to(outside.parent)
            assert look(root) == {}
            return
        case "file":
            put(root / key, "1", "x")
            (root / key / "secret").symlink_to("/etc/hostname")
        case "folder":
            put(root / key, "1", "x")
            (root / key / "secrets").symlink_to("../../outside")
        case _:
            put(root / key, "1", "x")
            (root / key / "circle").symlink_to("circle")
    assert look(root)[key].problem.endswith("is a link that leads out of the folder")


def test_link_within_the_folder_is_followed(root: Path) -> None:
    put(root / ".rev-1" / "tag", "1", "x")
    (root / "tag").symlink_to(".rev-1/tag")
    found = look(root)["tag"]
    assert not found.problem
    put(root / ".rev-2" / "tag", "1", "y")
    (root / "new").symlink_to(".rev-2/tag")
    (root / "new").replace(root / "tag")
    assert look(root)["tag"].signature != found.signature


def test_what_is_no_file_is_not_opened(root: Path) -> None:
    os.mkfifo(root / "tag.mar")
    assert look(root)["tag.mar"].problem == "tag.mar is neither a file nor a folder"


def test_size_and_count_have_limits(root: Path) -> None:
    for number in range(4):
        (root / f"m{number}.mar").write_bytes(b"x" * (number + 1))
    assert list(look(root, max_count=2)) == ["m0.mar", "m1.mar"]
    found = look(root, max_bytes=3)
    assert [each.problem != "" for each in found.values()] == [False, False, False, True]
    assert "watch.max_bytes" in found["m3.mar"].problem


def test_what_changes_while_it_is_brought_is_not(root: Path) -> None:
    (root / "tag.mar").write_bytes(b"x")
    folder = WatchedFolder(root, WatchSettings())
    (found,) = folder.look()
    assert folder.bring(found).path == root / "tag.mar"
    (root / "tag.mar").write_bytes(b"xy")
    with pytest.raises(LookFailed, match="being written"):
        folder.bring(found)


def test_folder_that_is_not_there_cannot_be_looked_at(tmp_path: Path) -> None:
    with pytest.raises(LookFailed, match="No such file"):
        WatchedFolder(tmp_path / "nowhere", WatchSettings()).look()
