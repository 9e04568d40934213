"""Regions that clients register."""

import os
from pathlib import Path

import pytest

from serving.errors import BadInput, Conflict
from serving.open_inference import shared_memory
from serving.open_inference.shared_memory import Region, SharedMemory
from serving.protocol.infer import Place


@pytest.fixture
def memory(tmp_path: Path) -> SharedMemory:
    (tmp_path / "key").write_bytes(bytes(range(16)))
    return SharedMemory(tmp_path)


def region(name: str = "r", key: str = "/key", offset: int = 4, byte_size: int = 8) -> Region:
    return Region(name=name, key=key, offset=offset, byte_size=byte_size)


def test_places_are_read_and_written_within_their_region(
    memory: SharedMemory, tmp_path: Path
) -> None:
    memory.register(region())
    assert memory.read(Place("r", 2, 3)) == bytes([6, 7, 8])
    memory.write(Place("r", 7, 1), b"\xff")
    memory.write(Place("r", 0, 8), b"\xfe")
    written = (tmp_path / "key").read_bytes()
    assert written == bytes([0, 1, 2, 3, 0xFE, 5, 6, 7, 8, 9, 10, 0xFF, 12, 13, 14, 15])


@pytest.mark.parametrize("place", [(0, 9), (8, 1), (9, 0), (2**62, 2**62)], ids=str)
def test_place_beyond_its_region_is_refused(memory: SharedMemory, place: tuple[int, int]) -> None:
    memory.register(region())
    with pytest.raises(BadInput, match="are not within region 'r' of 8 bytes"):
        memory.read(Place("r", *place))
    with pytest.raises(BadInput, match="are not within region"):
        memory.write(Place("r", *place), b"")


def test_data_larger_than_its_place_is_refused(memory: SharedMemory) -> None:
    memory.register(region())
    with pytest.raises(BadInput, match="3 bytes does not fit into 2"):
        memory.write(Place("r", 0, 2), b"abc")


def test_memory_that_its_owner_made_shorter_is_an_error_and_no_crash(
    memory: SharedMemory, tmp_path: Path
) -> None:
    memory.register(region())
    os.truncate(tmp_path / "key", 6)
    with pytest.raises(BadInput, match="made shorter"):
        memory.read(Place("r", 0, 8))
    with pytest.raises(BadInput, match="made shorter"):
        memory.write(Place("r", 0, 8), bytes(8))
    assert (tmp_path / "key").stat().st_size == 6


@pytest.mark.parametrize(
    ("asked", "text"),
    [
        (region(byte_size=13), "not within shared memory '/key' of 16 bytes"),
        (region(offset=2**63, byte_size=1), "not within shared memory"),
        (region(byte_size=0), "not within shared memory"),
        (region(key="/nothing"), "No such file"),
        (region(key="/../key"), "is no key"),
        (region(key="/a/b"), "is no key"),
        (region(key=""), "is no key"),
        (region(key="/serving-secret"), "is no key"),
        (region(key="/link"), "Too many levels"),
    ],
    ids=["long", "far", "empty", "missing", "up", "deep", "none", "the server's own", "link"],
)
def test_memory_that_cannot_be_had_is_refused(
    memory: SharedMemory, tmp_path: Path, asked: Region, text: str
) -> None:
    (tmp_path / "link").symlink_to(tmp_path / "key")
    (tmp_path / "serving-secret").write_bytes(bytes(16))
    with pytest.raises(BadInput, match=text):
        memory.register(asked)
    assert memory.regions() == ()


def test_same_region_again_changes_nothing_and_another_is_refused(memory: SharedMemory) -> None:
    memory.register(region())
    memory.register(region())
    with pytest.raises(Conflict, match="'r' is registered already"):
        memory.register(region(offset=0))
    assert memory.regions() == memory.regions("r") == (region(),)


def test_forgotten_regions_are_not_read(memory: SharedMemory) -> None:
    memory.register(region("a"))
    memory.register(region("b"))
    memory.unregister("a")
    memory.unregister("a")
    assert [each.name for each in memory.regions()] == ["b"]
    with pytest.raises(BadInput, match="no shared memory region 'a'"):
        memory.read(Place("a", 0, 1))
    memory.unregister()
    assert memory.regions() == ()


def test_regions_are_not_without_number(
    memory: SharedMemory, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(shared_memory, "MAX_REGIONS", 1)
    memory.register(region("a"))
    with pytest.raises(BadInput, match="unregister some"):
        memory.register(region("b"))
