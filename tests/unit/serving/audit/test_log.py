"""What is noted of changes and of attempts, who did it, and what happens when the disk is full."""

import asyncio
import logging
import os
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from serving.audit.actor import Actor, acting_as
from serving.audit.allowance import Allowance
from serving.audit.entry import AuditEntry
from serving.audit.log import AuditLog, Change
from serving.audit.reading import AuditQuery
from serving.audit.settings import AuditSettings
from serving.errors import AuditUnavailable, ModelNotFound, NotAllowed, Unauthorized

ANNE = Actor("management key", "0123456789ab", "10.0.0.7:4711", "rest", "curl/8", "r-1")


@pytest.fixture
def log() -> Iterator[AuditLog]:
    log = AuditLog(AuditSettings(refused_per_hour=3))
    yield log
    log.close()


async def entries(log: AuditLog, **asked: object) -> list[AuditEntry]:
    """Those that are asked for, the earliest first."""
    page = await log.page(AuditQuery(**asked))  # type: ignore[arg-type]
    return list(reversed(page.entries))


async def test_change_is_noted_with_who_made_it_and_what_was_before(log: AuditLog) -> None:
    with acting_as(ANNE):
        async with log.change("scale", "cat", "1.0") as change:
            change.before = {"workers": [1, 1]}
            change.after = {"workers": [2, 4]}
    (entry,) = await entries(log)
    assert (entry.what, entry.model, entry.version, entry.result) == ("scale", "cat", "1.0", "ok")
    assert (entry.who, entry.key, entry.address) == (ANNE.who, ANNE.key, ANNE.address)
    assert (entry.via, entry.agent, entry.request_id) == ("rest", "curl/8", "r-1")
    assert (entry.before, entry.after) == ({"workers": [1, 1]}, {"workers": [2, 4]})
    assert abs(entry.time - datetime.now(UTC)) < timedelta(minutes=1)


async def test_change_that_fails_is_noted_with_the_errors_code(log: AuditLog) -> None:
    with pytest.raises(ModelNotFound):
        async with log.change("unregister", "cat"):
            raise ModelNotFound("Model not found: cat")
    with pytest.raises(ZeroDivisionError):
        async with log.change("unregister", "dog"):
            raise ZeroDivisionError
    found = [(e.model, e.result, e.reason) for e in await entries(log)]
    assert found == [("cat", "model_not_found", "Model not found: cat"), ("dog", "fault", "")]


async def test_change_whose_client_hung_up_is_noted(log: AuditLog) -> None:
    async def register() -> None:
        async with log.change("register", "cat"):
            await asyncio.sleep(60)

    task = asyncio.create_task(register())
    await asyncio.sleep(0)
    task.cancel()
    await asyncio.wait([task])
    assert [e.result for e in await entries(log)] == ["cancelled"]


async def test_what_a_task_starts_is_done_by_the_same_actor(log: AuditLog) -> None:
    async def later() -> None:
        log.note("register", Change("cat"))

    with acting_as(ANNE):
        task = asyncio.create_task(later())
    await task
    log.note("register", Change("dog"))
    log.note("register", Change("emu"), by=Actor("watcher"))
    assert [e.who for e in await entries(log)] == ["management key", "server", "watcher"]


async def test_strangers_are_counted_when_they_are_too_many_and_crowd_nobody_out(
    log: AuditLog,
) -> None:
    for number in range(10):
        stranger = Actor("unknown key", address=f"10.0.0.{number % 2}:{4000 + number}")
        log.refuse("POST /models", Unauthorized("no"), stranger)
    for _ in range(3):
        log.refuse("POST /models", NotAllowed("closed"), ANNE)
    found = await entries(log)
    assert [e.result for e in found] == ["unauthorized"] * 3 + ["not_allowed"] * 3
    assert found[0].reason == "POST /models: no"
    assert log.suppressed == 7


def test_suppressed_attempts_are_told_in_one_entry_when_their_hour_is_over() -> None:
    allowance = Allowance(1)
    assert [allowance.take(0.0, host) for host in "abb"] == [True, False, False]
    assert allowance.close(3599.0) is None
    told = allowance.close(3600.0)
    assert told is not None
    assert (told.count, told.hosts, told.busiest) == (2, 1, "b")
    assert allowance.close(3600.0) is None
    assert allowance.take(3600.0, "b")


async def test_end_of_the_server_tells_what_was_suppressed(tmp_path: Path) -> None:
    settings = AuditSettings(file=str(tmp_path / "a.jsonl"), refused_per_hour=1)
    log = AuditLog(settings)
    for _ in range(5):
        log.refuse("GET /models", Unauthorized("no"), Actor("no key", address="::1:80"))
    log.close()
    again = AuditLog(settings)
    again.start()
    (_, last) = await entries(again)
    again.close()
    assert (last.what, last.after) == ("suppress", {"attempts": 4, "hosts": 1, "busiest": "::1"})


async def test_what_a_stranger_sends_has_bounds(log: AuditLog) -> None:
    log.refuse("GET /" + "x" * 10_000, Unauthorized("no"), Actor("no key", agent="y" * 10_000))
    log.note("scale", Change("z" * 300, before={"list": list(range(10_000))}))
    first, second = await entries(log)
    assert (len(first.reason), len(first.agent), len(second.model)) == (500, 200, 200)
    assert second.before == {"too_large": True}


async def test_entry_is_one_line_whatever_a_stranger_sends(tmp_path: Path) -> None:
    path = tmp_path / "audit.jsonl"
    log = AuditLog(AuditSettings(file=str(path)))
    log.refuse('GET /\n{"sequence":2}\r\u2028', Unauthorized("no"), Actor("no key", agent="\n"))
    await entries(log)
    log.close()
    assert path.read_bytes().count(b"\n") == 1


async def test_pages_and_filters(log: AuditLog) -> None:
    for number in range(5):
        log.note("scale", Change("cat" if number % 2 else "dog", str(number)))
    log.note("register", Change("cat"), "invalid_model", Actor("watcher"))
    first = await log.page(AuditQuery(limit=4))
    assert [e.sequence for e in first.entries] == [6, 5, 4, 3]
    assert (first.next_page_token, first.head_sequence) == ("3", 6)
    last = await log.page(AuditQuery(limit=4, below=3))
    assert [e.sequence for e in last.entries] == [2, 1]
    assert last.next_page_token is None
    assert [e.sequence for e in await entries(log, model="cat", what="scale")] == [2, 4]
    assert [e.sequence for e in await entries(log, who="watch")] == [6]
    assert [e.sequence for e in await entries(log, result="failed")] == [6]
    assert await entries(log, since=datetime.now(UTC) + timedelta(hours=1)) == []
    assert await entries(log, until=datetime.now(UTC) - timedelta(hours=1)) == []


FULL = Path("/dev/full")


@pytest.mark.skipif(not FULL.exists(), reason="needs /dev/full, a disk that is full")
class TestFullDisk:
    @pytest.fixture
    def disk(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[bool]:
        """Whether the disk is full just now."""
        is_full = [False]
        write = os.write

        def to_the_disk(descriptor: int, data: bytes) -> int:
            if is_full[0] and os.path.realpath(f"/proc/self/fd/{descriptor}").startswith(
                str(tmp_path)
            ):
                with FULL.open("wb", buffering=0) as full:
                    return full.write(data)
            return write(descriptor, data)

        monkeypatch.setattr(os, "write", to_the_disk)
        return is_full

    async def test_stops_no_change(
        self, tmp_path: Path, disk: list[bool], caplog: pytest.LogCaptureFixture
    ) -> None:
        log = AuditLog(AuditSettings(file=str(tmp_path / "audit.jsonl")))
        log.start()
        disk[0] = True
        for _ in range(2):
            async with log.change("scale", "cat"):
                pass
        await entries(log)
        assert (log.written, log.lost) == (0, 2)
        disk[0] = False
        log.note("scale", Change("dog"))
        assert [(e.sequence, e.model) for e in await entries(log)] == [(1, "dog")]
        log.close()
        told = [r.getMessage() for r in caplog.records if r.levelno >= logging.WARNING]
        assert len(told) == 2
        assert "audit.jsonl: No space left on device" in told[0]
        assert told[1] == "the audit log is written again; 2 entries are lost"

    async def test_stops_every_change_where_the_log_is_required(
        self, tmp_path: Path, disk: list[bool]
    ) -> None:
        log = AuditLog(AuditSettings(file=str(tmp_path / "audit.jsonl"), required=True))
        log.start()
        async with log.change("scale", "cat"):
            pass
        assert [e.result for e in await entries(log)] == ["begun", "ok"]
        disk[0] = True
        with pytest.raises(AuditUnavailable, match="No space left on device"):
            async with log.change("scale", "dog"):
                raise AssertionError("it was begun")
        disk[0] = False
        assert [e.result for e in await entries(log)] == ["begun", "ok"]
        log.close()


def test_server_does_not_start_where_the_log_is_required_and_cannot_be(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    settings = AuditSettings(file=str(tmp_path / "file" / "audit.jsonl"), required=True)
    log = AuditLog(settings)
    with pytest.raises(AuditUnavailable, match=r"audit\.jsonl: File exists"):
        log.start()
    log.close()
