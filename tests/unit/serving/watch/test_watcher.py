"""A watched folder and a real engine: what arrives wholly is served, and nothing else is."""

import asyncio
import os
import shutil
from pathlib import Path
from typing import Any

import pytest

from serving.admission import Admission, RegisterRequest
from serving.open_inference.repository import ModelRepository
from serving.settings import InvalidSettings, ServerSettings
from serving.watch.settings import WatchSettings
from tests.support_watch import Place, packed, put, watching

CANARY: dict[str, Any] = {"release": "canary", "canary": {"steps": [0.5, 1.0], "step_s": 3600.0}}


async def test_new_version_is_served_when_two_looks_see_the_same(tmp_path: Path) -> None:
    put(tmp_path / "models" / "tag" / "1", "1", "one")
    async with watching(tmp_path) as place:
        data = packed(tmp_path, "2", "two")
        path = place.folder / "tag-2.tar.gz"
        path.write_bytes(data[:100])
        await place.look(1)
        path.write_bytes(data)
        await place.look(1)
        assert await place.ask() == "one"
        assert place.watcher.counts.pending == 1
        await place.look(1)
        assert await place.ask() == "two"
        assert place.served() == {"default": "2", "workers": {"1": (1, 1), "2": (1, 1)}}
        (entry,) = await place.noted()
        assert (entry.what, entry.who, entry.result) == ("deploy", "watcher", "ok")
        assert (entry.model, entry.version) == ("tag", "2")
        assert entry.after is not None
        assert entry.after["key"] == "tag-2.tar.gz"
        assert (place.watcher.counts.deployed, place.changes) == (1, 1)


async def test_half_an_archive_is_refused_once_and_taken_when_it_is_whole(tmp_path: Path) -> None:
    async with watching(tmp_path, workers=0) as place:
        data = packed(tmp_path, "1", "one")
        path = place.folder / "tag.tar.gz"
        # A copy that stalls for longer than the time between two looks.
        path.write_bytes(data[:-20])
        await place.look(4)
        assert place.served() == {}
        assert [(e.what, e.model, e.result) for e in await place.noted()] == [
            ("deploy", "tag.tar.gz", "invalid_model")
        ]
        assert place.watcher.counts.rejected == 1
        path.write_bytes(data)
        await place.look()
        assert place.served()["default"] == "1"


async def test_model_that_cannot_be_loaded_leaves_the_one_before(tmp_path: Path) -> None:
    put(tmp_path / "models" / "tag" / "1", "1", "one")
    async with watching(tmp_path) as place:
        put(place.folder / "tag" / "2", "2", "bad")
        await place.look(3)
        assert await place.ask() == "one"
        assert list(place.served()["workers"]) == ["1"]
        (entry,) = await place.noted()
        assert (entry.result, entry.version) == ("invalid_model", "2")
        assert "bad weights" in entry.reason


async def test_versions_go_in_order_and_an_older_one_answers_only_who_names_it(
    tmp_path: Path,
) -> None:
    put(tmp_path / "models" / "tag" / "1.8", "1.8", "eight")
    async with watching(tmp_path, workers=0) as place:
        for version, word in (("1.10", "ten"), ("1.9", "nine"), ("1.7", "seven")):
            put(place.folder / "tag" / version, version, word)
        await place.look()
        assert [e.version for e in await place.noted()] == ["1.7", "1.9", "1.10"]
        assert place.served()["default"] == "1.10"
        assert sorted(place.served()["workers"]) == ["1.10", "1.7", "1.8", "1.9"]


async def test_version_may_be_served_without_answering_who_does_not_name_it(
    tmp_path: Path,
) -> None:
    put(tmp_path / "models" / "tag" / "1", "1", "one")
    async with watching(tmp_path, release="none") as place:
        put(place.folder / "tag" / "2", "2", "two")
        await place.look()
        assert (await place.ask(), await place.ask("2")) == ("one", "two")
    async with watching(tmp_path, release="none") as place:
        assert (await place.ask(), await place.ask("2")) == ("one", "two")


async def test_same_content_again_changes_nothing_and_another_is_taken(tmp_path: Path) -> None:
    folder = put(tmp_path / "models" / "tag" / "1", "1", "one")
    async with watching(tmp_path) as place:
        await place.look()
        os.utime(folder / "tag.py")
        await place.look(3)
        assert await place.noted() == []
        # A file's time tells changes apart that are some milliseconds from each other.
        await asyncio.sleep(0.02)
        put(folder, "1", "uno")
        await place.look()
        assert await place.ask() == "uno"
        (entry,) = await place.noted()
        assert entry.reason.endswith("its content has changed")


async def test_what_is_bad_from_the_beginning_does_not_keep_the_server_from_starting(
    tmp_path: Path,
) -> None:
    put(tmp_path / "models" / "tag" / "1", "1", "one")
    async with watching(tmp_path, workers=0) as place:
        (place.folder / "tag" / "2").mkdir()
        (place.folder / "tag" / "2" / "manifest.json").write_text("{")
        await place.look()
        assert place.watcher.counts.rejected == 1
        repository = ModelRepository(place.engine, place.settings, place.audit)
        assert [each.version for each in await repository.index()] == ["1"]
    # Once more with what is known of before, and with one that came while nobody looked.
    put(tmp_path / "models" / "tag" / "3", "3", "three")
    async with watching(tmp_path, workers=0) as place:
        assert place.served()["default"] == "1"
        await place.look()
        assert place.served()["default"] == "3"
        assert place.watcher.counts.rejected == 0


async def test_version_that_changed_while_the_server_was_down_is_served_from_the_start(
    tmp_path: Path,
) -> None:
    folder = put(tmp_path / "models" / "tag" / "1", "1", "one")
    async with watching(tmp_path, workers=0):
        pass
    put(folder, "1", "uno")
    async with watching(tmp_path, release="canary") as place:
        assert await place.ask() == "uno"


async def test_version_that_was_mended_while_the_server_was_down_is_a_canary_first(
    tmp_path: Path,
) -> None:
    put(tmp_path / "models" / "tag" / "1", "1", "one")
    async with watching(tmp_path, **CANARY) as place:
        put(place.folder / "tag" / "2", "2", "bad")
        await place.look()
        assert place.watcher.counts.rejected == 1
    put(tmp_path / "models" / "tag" / "2", "2", "two")
    async with watching(tmp_path, workers=0, **CANARY) as place:
        assert place.served()["workers"].keys() == {"1"}
        await place.look()
        assert place.releases.read("tag").candidate == "2"


async def test_handler_mended_within_a_second_is_the_new_one_and_its_folder_is_left_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("PYTHONDONTWRITEBYTECODE", raising=False)
    source = tmp_path / "models" / "tag" / "1" / "tag.py"
    for word in ("one", "two"):
        put(source.parent, "1", word)
        os.utime(source, (1_800_000_000, 1_800_000_000))
        async with watching(tmp_path) as place:
            assert await place.ask() == word
    assert {path.name for path in source.parent.iterdir()} == {"tag.py", "manifest.json"}


async def test_what_the_settings_did_not_load_at_the_start_is_left_alone(tmp_path: Path) -> None:
    async with watching(tmp_path) as place:
        root = place.folder
    put(root / "tag", "1", "one")
    settings = ServerSettings(
        models_dir=str(root), load_models="other", watch=WatchSettings(enabled=True)
    )
    place = Place(root, settings)
    await place.watched.prepare()
    await place.watched.take_up()
    await place.look(3)
    assert place.served() == {}
    place.audit.close()


async def test_what_somebody_registers_is_theirs_and_not_served_twice(tmp_path: Path) -> None:
    async with watching(tmp_path, workers=0) as place:
        place.watched.give_way({"tag.tar.gz"}.__contains__)
        (place.folder / "tag.tar.gz").write_bytes(packed(tmp_path, "1", "one"))
        await place.look(3)
        assert (place.served(), place.watcher.counts.pending) == ({}, 1)
        admission = Admission(place.settings)
        admitted = await admission.admit(RegisterRequest(url="tag.tar.gz"))
        await place.engine.register(admitted.stored, admitted.config)
        place.watched.give_way(lambda _: False)
        await place.look(3)
        assert (place.watcher.counts.pending, await place.noted()) == (0, [])
        assert place.served()["default"] == "1"


async def test_removed_version_is_served_no_longer_where_that_is_wanted(tmp_path: Path) -> None:
    for version in ("1", "2"):
        put(tmp_path / "models" / "tag" / version, version, version)
    async with watching(tmp_path, workers=0, unregister_removed=True) as place:
        await place.look()
        shutil.rmtree(place.folder / "tag" / "2")
        await place.look()
        assert place.served() == {"default": "1", "workers": {"1": (0, 0)}}
        (entry,) = await place.noted()
        assert (entry.what, entry.who, entry.version) == ("unregister", "watcher", "2")
        # An empty folder is taken for a disk that is not mounted.
        shutil.rmtree(place.folder / "tag")
        await place.look(3)
        assert place.served()["default"] == "1"


async def test_removed_version_goes_on_unless_that_is_wanted(tmp_path: Path) -> None:
    for version in ("1", "2"):
        put(tmp_path / "models" / "tag" / version, version, version)
    async with watching(tmp_path, workers=0) as place:
        shutil.rmtree(place.folder / "tag" / "2")
        await place.look(3)
        assert place.served()["default"] == "2"


async def test_full_disk_is_no_fault_of_the_archive(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with watching(tmp_path, workers=0) as place:
        (place.folder / "tag.tar.gz").write_bytes(packed(tmp_path, "1", "one"))
        with monkeypatch.context() as patch:
            patch.setattr(
                "serving.archive.unpack._Budget.write",
                lambda *_: (_ for _ in ()).throw(OSError(28, "No space left on device")),
            )
            await place.look()
        assert await place.noted() == []
        assert place.watcher.counts.pending == 1
        monkeypatch.setattr("serving.watch.watcher.time.monotonic", lambda: 1e12)
        await place.look(1)
        assert place.served()["default"] == "1"


async def test_canary_goes_first_and_the_next_version_waits_for_its_end(tmp_path: Path) -> None:
    put(tmp_path / "models" / "tag" / "1", "1", "one")
    async with watching(tmp_path, workers=0, **CANARY) as place:
        put(place.folder / "tag" / "2", "2", "two")
        put(place.folder / "tag" / "3", "3", "three")
        await place.look(3)
        assert place.releases.read("tag").candidate == "2"
        assert place.watcher.counts.pending == 1
        assert list(place.served()["workers"]) == ["1", "2"]
        noted = await place.noted()
        assert [(e.what, e.who) for e in noted] == [
            ("begin_release", "watcher"),
            ("deploy", "watcher"),
        ]
        place.releases.steering.promote("tag", by="management")
        await place.look(1)
        assert place.releases.read("tag").candidate == "3"
        assert place.releases.read("tag").stable == "2"


async def test_version_that_somebody_else_registers_just_before_its_canary_stays(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    put(tmp_path / "models" / "tag" / "1", "1", "one")
    async with watching(tmp_path, **CANARY) as place:
        introduce = place.releases.introduce

        async def come_second(*arguments: Any, **options: Any) -> Any:
            (place.folder / "a.tar.gz").write_bytes(packed(tmp_path, "2", "another"))
            admitted = await Admission(place.settings).admit(RegisterRequest(url="a.tar.gz"))
            await place.engine.register(admitted.stored, admitted.config)
            return await introduce(*arguments, **options)

        monkeypatch.setattr(place.releases, "introduce", come_second)
        put(place.folder / "tag" / "2", "2", "two")
        await place.look()
        assert [(e.what, e.result) for e in await place.noted()] == [("deploy", "conflict")]
        assert await place.ask("2") == "another"


async def test_version_that_took_itself_back_waits_for_another_content(tmp_path: Path) -> None:
    put(tmp_path / "models" / "tag" / "1", "1", "one")
    async with watching(tmp_path, workers=0, **CANARY) as place:
        folder = put(place.folder / "tag" / "2", "2", "two")
        await place.look()
        roll_back(place)
        await place.look()
        os.utime(folder / "tag.py")
        await place.look()
        # The same content in another place, and instead of the first.
        shutil.copytree(folder, place.folder / "copy")
        await place.look()
        assert (await place.noted())[-1].reason.endswith("it is the same as tag/2")
        shutil.rmtree(folder)
        await place.look(3)
        (place.folder / "copy").rename(place.folder / "moved")
        await place.look()
        assert (await place.noted())[-1].reason.endswith("so it is not served")
        assert not place.releases.is_on("tag")
    async with watching(tmp_path, **CANARY) as place:
        await place.look(3)
        assert not place.releases.is_on("tag")
        assert await place.ask() == "one"
        put(place.folder / "moved", "2", "better")
        await place.look()
        assert place.releases.is_on("tag")
        assert await place.ask("2") == "better"


def roll_back(place: Place) -> None:
    from serving.releases.verdict import Verdict

    course = place.releases.course
    course.roll_back(course.releases["tag"], Verdict("errors", "it failed too often", {}))


@pytest.mark.parametrize(
    "watch",
    [{"canary": {"steps": []}}, {"canary": {"speed": 1}}, {"source": "s3:/bucket"}],
    ids=str,
)
async def test_settings_that_cannot_be_followed_are_told(
    tmp_path: Path, watch: dict[str, Any]
) -> None:
    with pytest.raises(InvalidSettings, match="watch"):
        async with watching(tmp_path, **watch):
            raise AssertionError("it started")


async def test_look_that_fails_is_told_once_and_stops_nothing(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    put(tmp_path / "models" / "tag" / "1", "1", "one")
    async with watching(tmp_path, workers=0) as place:
        place.folder.rename(tmp_path / "elsewhere")
        await place.look(3)
        assert place.watcher.counts.failed_looks == 3
        assert caplog.text.count("what is served goes on") == 1
        monkeypatch.setattr(place.watcher._source, "look", lambda: 1 / 0)
        watching_on = asyncio.create_task(place.watcher.run(0.001))
        while place.watcher.counts.failed_looks < 5:
            await asyncio.sleep(0.001)
        assert not watching_on.done()
        watching_on.cancel()
        assert place.served()["default"] == "1"
