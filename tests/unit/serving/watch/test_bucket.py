"""A prefix of a real object store (moto's server) that is watched."""

import functools
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from botocore.session import get_session

from serving.settings import InvalidSettings
from serving.watch.bucket import WatchedBucket
from serving.watch.found import LookFailed
from serving.watch.settings import WatchSettings
from tests.support_s3 import BUCKET, ObjectServer, object_server
from tests.support_watch import packed, put, watching

pytest.importorskip("moto", reason="needs moto's server of the extra dev")


@pytest.fixture(scope="module")
def store() -> Iterator[ObjectServer]:
    # One session: each that is made reads botocore's description of S3 anew.
    with pytest.MonkeyPatch.context() as patch, object_server() as store:
        patch.setattr("botocore.session.get_session", functools.cache(get_session))
        yield store


class Bucket:
    """A prefix that is watched, and the way to fill it."""

    def __init__(self, store: ObjectServer, folder: Path, prefix: str, **settings: Any) -> None:
        self.prefix = prefix
        self.settings = WatchSettings(
            source=f"s3://{BUCKET}/{prefix}",
            s3_endpoint=store.url,
            s3_path_style=True,
            **settings,
        )
        self.watched = WatchedBucket(self.settings, folder)

    def put(self, key: str, content: bytes = b"x") -> None:
        self.watched._client.put_object(Bucket=BUCKET, Key=f"{self.prefix}/{key}", Body=content)

    def keys(self) -> list[str]:
        return [found.key for found in self.watched.look()]


@pytest.fixture
def bucket(
    store: ObjectServer,
    tmp_path: Path,
    request: pytest.FixtureRequest,
    monkeypatch: pytest.MonkeyPatch,
) -> Bucket:
    for name, value in store.environment.items():
        monkeypatch.setenv(name, value)
    return Bucket(store, tmp_path, request.node.name[:60].replace("[", "-").replace("]", ""))


def test_archives_and_folders_are_found_lower_versions_first(bucket: Bucket) -> None:
    for key in (
        "cat-1.10.mar",
        "cat-1.9.mar",
        "notes.txt",
        ".hidden.mar",
        "dog/2/manifest.json",
        "dog/2/weights.bin",
        "dog/1/manifest.json",
        "emu/manifest.json",
        "emu/handler.py",
        "emu/2/manifest.json",
        "unfinished/weights.bin",
    ):
        bucket.put(key)
    found = {each.key: each for each in bucket.watched.look()}
    assert list(found) == [
        "cat-1.9.mar",
        "cat-1.10.mar",
        "dog/1",
        "dog/2",
        "emu",
        "emu/2",
    ]
    assert [each.is_whole for each in found.values()] == [True] * 2 + [False] * 4
    assert not any(each.problem for each in found.values())


def test_what_is_written_again_has_another_signature(bucket: Bucket) -> None:
    bucket.put("cat.mar", b"one")
    (before,) = bucket.watched.look()
    (same,) = bucket.watched.look()
    assert same == before
    bucket.put("cat.mar", b"two")
    (after,) = bucket.watched.look()
    assert after.signature != before.signature
    with pytest.raises(LookFailed, match="cannot be fetched"):
        # Only what was seen is fetched, and nothing of it stays when it is gone.
        bucket.watched._objects[before.key] = [(before.key, '"0"', 3, 0.0)]
        bucket.watched.bring(before)


def test_folder_is_brought_whole_and_goes_with_its_model(bucket: Bucket) -> None:
    bucket.put("dog/1/manifest.json", b"{}")
    bucket.put("dog/1/net/weights.bin", b"w" * 3_000_000)
    (found,) = bucket.watched.look()
    brought = bucket.watched.bring(found)
    assert brought.work_dir is not None
    assert brought.path.parent == brought.work_dir
    files = {
        path.relative_to(brought.path).as_posix(): path.stat().st_size
        for path in brought.path.rglob("*")
        if path.is_file()
    }
    assert files == {"manifest.json": 2, "net/weights.bin": 3_000_000}


def test_key_that_leads_elsewhere_is_not_taken(bucket: Bucket) -> None:
    bucket.put("dog/1/manifest.json")
    keys = ("../outside.mar", "a/../../outside.mar", "back\\slash.mar", "dog/1/../../../x")
    for key in keys:
        bucket.put(key)
    bad = [found for found in bucket.watched.look() if found.problem]
    assert [found.key for found in bad] == sorted({*keys[:3], "dog/1"})
    assert all(found.problem.endswith("is no name that is taken") for found in bad)


def test_size_has_a_limit_that_is_not_taken_on_trust(bucket: Bucket, store: ObjectServer) -> None:
    bucket.put("cat.mar", b"x" * 2000)
    small = Bucket(store, Path(bucket.watched._work_dir), bucket.prefix, max_bytes=1000)
    (found,) = small.watched.look()
    assert "watch.max_bytes" in found.problem
    with pytest.raises(LookFailed, match="too large"):
        small.watched.bring(found)
    assert list(Path(bucket.watched._work_dir).iterdir()) == []


def test_store_that_is_away_cannot_be_looked_at(
    tmp_path: Path, store: ObjectServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, value in store.environment.items():
        monkeypatch.setenv(name, value)
    settings = WatchSettings(source="s3://b", s3_endpoint="http://127.0.0.1:9", s3_path_style=True)
    watched = WatchedBucket(settings, tmp_path)
    monkeypatch.setattr("time.sleep", lambda _: None)  # botocore's own pauses between attempts
    with pytest.raises(LookFailed, match="s3://b cannot be listed"):
        watched.look()


def test_place_that_is_no_address_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InvalidSettings, match="s3://bucket/prefix"):
        WatchedBucket(WatchSettings(source="s3:/models"), tmp_path)


async def test_versions_of_a_bucket_are_served_and_are_there_again_after_a_restart(
    bucket: Bucket, tmp_path: Path
) -> None:
    watch: dict[str, Any] = {
        "source": bucket.settings.source,
        "s3_endpoint": bucket.settings.s3_endpoint,
        "s3_path_style": True,
    }
    for version in ("1", "2"):
        for file in put(tmp_path / version, version, f"word {version}").iterdir():
            bucket.put(f"tag/{version}/{file.name}", file.read_bytes())
    async with watching(tmp_path, **watch) as place:
        assert (await place.ask(), await place.ask("1")) == ("word 2", "word 1")
        bucket.put("tag-3.tar.gz", packed(tmp_path, "3", "word 3"))
        # An object is there wholly: one look is enough.
        await place.look(1)
        assert await place.ask() == "word 3"
        assert [entry.who for entry in await place.noted()] == ["watcher"] * 3
    async with watching(tmp_path, workers=0, **watch) as place:
        assert place.served()["default"] == "3"
        assert sorted(place.served()["workers"]) == ["1", "2", "3"]
        work_dirs = [each.stored.work_dir for each in place.engine.registry.endpoints]
        await place.engine.unregister_all("tag")
        assert not any(folder and folder.exists() for folder in work_dirs)
