"""Sequences whose requests join one another on a worker, and which the model itself may end."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from serving.batching.sequences import SequenceLimits, SequenceMark, SequenceTable
from serving.engine import Engine
from serving.errors import Overloaded
from serving.http.targets import in_sequence
from serving.model_config import ModelConfig
from serving.observe.metrics import ServerMetrics
from serving.protocol.exchange import RawReply, RawRequest
from serving.registry.lanes import SEQUENCE_HEADERS, ended_by
from serving.settings import ServerSettings

HANDLER = """
import time
from serving.protocol.exchange import RawReply

class Session:
    def load(self, context):
        self.stopped = set()
    def answer(self, requests, send):
        time.sleep(0.005)
        return [self.one(r.headers["ts_request_sequence_id"], r.fields["body"]) for r in requests]
    def one(self, name, word):
        if word == b"go on":
            return RawReply(b"stopped") if name in self.stopped else None
        if word == b"stop":
            self.stopped.add(name)
        headers = (("ts_request_sequence_end", f"{name}; other"),) if word == b"end" else ()
        return RawReply(word, headers=headers)
"""


@asynccontextmanager
async def served(tmp_path: Path) -> AsyncIterator[Engine]:
    folder = tmp_path / "models" / "session"
    folder.mkdir(parents=True)
    (folder / "manifest.json").write_text('{"name": "session", "handler": "session.py:Session"}')
    (folder / "session.py").write_text(HANDLER)
    config = ModelConfig(
        device="cpu",
        sequence_batching=True,
        continuous_batching=True,
        batch_size=1,
        max_sequences=1,
    )
    settings = ServerSettings(models_dir=str(folder.parent), defaults=config)
    engine = Engine(settings, ServerMetrics())
    await engine.start()
    try:
        yield engine
    finally:
        await engine.stop(0)


async def ask(engine: Engine, name: str, word: str) -> str:
    headers = {"ts_request_sequence_id": name}
    request = RawRequest({"body": word.encode()}, headers=headers)
    return (await engine.ask("session", request, timeout_s=10)).body.decode()


async def test_a_request_reaches_the_worker_while_another_of_its_sequence_goes_on(
    tmp_path: Path,
) -> None:
    async with served(tmp_path) as engine:
        going = asyncio.create_task(ask(engine, "a", "go on"))
        await asyncio.sleep(0.05)
        assert not going.done()
        assert await ask(engine, "a", "stop") == "stop"
        assert await going == "stopped"


async def test_the_model_ends_a_sequence_by_a_header_of_its_reply(tmp_path: Path) -> None:
    async with served(tmp_path) as engine:
        await ask(engine, "a", "hello")
        with pytest.raises(Overloaded, match="1 sequences are under way"):
            await ask(engine, "b", "hello")
        await ask(engine, "a", "end")
        assert await ask(engine, "b", "hello") == "hello"


def test_the_sequences_that_a_reply_ends_are_read_from_its_header() -> None:
    reply = RawReply(b"", headers=(("TS_request_sequence_end", "a; b ;"), ("x", "c")))
    assert ended_by(reply, SEQUENCE_HEADERS) == ["a", "b"]
    assert ended_by(RawReply(b""), SEQUENCE_HEADERS) == []
    assert ended_by({}, SEQUENCE_HEADERS) == ()


def test_what_waits_of_an_ended_sequence_is_still_answered() -> None:
    limits = SequenceLimits(most=4, queue_size=4, max_idle_s=None, timeout_s=None)
    sequences = SequenceTable(limits)
    first, second = SequenceMark("a"), SequenceMark("a")
    sequences.enter(first, [0])
    sequences.enter(second, [0])
    sequences.end("a")
    sequences.end("nobody")
    assert len(sequences) == 1
    sequences.leave(first)
    sequences.leave(second)
    assert len(sequences) == 0
    sequences.enter(first, [0])
    sequences.leave(first)
    sequences.end("a")
    assert len(sequences) == 0


def test_a_request_without_a_sequence_begins_one() -> None:
    first, second = (in_sequence(RawRequest({})).headers for _ in range(2))
    assert first["ts_request_sequence_start"] == "true"
    assert first["ts_request_sequence_id"].startswith("ts-seq-")
    assert first["ts_request_sequence_id"] != second["ts_request_sequence_id"]
    known = RawRequest({}, headers={"ts_request_sequence_id": "s"})
    assert in_sequence(known) is known


def test_it_begins_under_the_names_that_the_settings_give_to_the_headers() -> None:
    headers = in_sequence(RawRequest({}), ("My-Id", "My-Start", "My-End")).headers
    assert headers["my-id"] == headers["ts_request_sequence_id"]
    assert headers["my-start"] == "true"
