"""Handlers that are coroutines: a worker has several of their batches under way."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from serving.archive.archive import Registration, open_archive
from serving.engine import Engine
from serving.errors import BadInput, InferenceFailed, ServingError, WorkerDied
from serving.model_config import ModelConfig
from serving.observe.metrics import ServerMetrics
from serving.protocol.exchange import RawRequest
from serving.settings import ServerSettings
from tests.support_archives import pack

HANDLER = """
import asyncio, os
from ts.handler_utils.utils import send_intermediate_predict_response

class Waiting:
    def __init__(self):
        self.there = 0
    def initialize(self, context):
        self.loops = set()
    async def handle(self, data, context):
        self.loops.add(asyncio.get_running_loop())
        words = [bytes(row["body"]).decode().split() for row in data]
        for index, (name, *others) in enumerate(words):
            context.set_response_header(index, "x-name", name)
        if words[0][1:] == ["parts"]:
            send_intermediate_predict_response(
                [words[0][0] + " first "], context.request_ids, "", 200, context)
        if words[0][1:] == ["die"]:
            os._exit(4)
        # Nobody goes on before all of them are there.
        self.there += len(data)
        while self.there < 4:
            await asyncio.sleep(0.002)
        if any(others == ["bad"] for _, *others in words):
            raise ValueError("a bad one")
        return [f"{name} {len(data)} {len(self.loops)}" for name, *_ in words]
"""


@asynccontextmanager
async def served(tmp_path: Path, **fields: Any) -> AsyncIterator[Engine]:
    archive = pack(tmp_path / "waiting.mar", {"handler.py": HANDLER})
    stored = open_archive(archive, tmp_path / "work", None, Registration())
    settings = ServerSettings(models_dir=str(tmp_path / "none"))
    engine = Engine(settings, ServerMetrics())
    (tmp_path / "none").mkdir()
    await engine.start()
    config = ModelConfig(**{"device": "cpu", "batches_at_once": 8, "batch_size": 1, **fields})
    await engine.register(stored, config)
    try:
        yield engine
    finally:
        await engine.stop(0)


async def ask(engine: Engine, words: str) -> tuple[str, str]:
    """The reply, with all its parts, and the name in its header."""
    reply = await engine.ask("waiting", RawRequest({"body": words.encode()}), timeout_s=20)
    body = reply.body
    if reply.rest is not None:
        async for part in reply.rest:
            body += part
    return body.decode(), dict(reply.headers)["x-name"]


async def test_batches_wait_beside_one_another_and_keep_their_own_headers(tmp_path: Path) -> None:
    async with served(tmp_path) as engine:
        found = await asyncio.gather(*(ask(engine, name) for name in "abcd"))
    assert found == [(f"{name} 1 1", name) for name in "abcd"]


async def test_parts_go_to_who_asked_for_them(tmp_path: Path) -> None:
    async with served(tmp_path) as engine:
        found = await asyncio.gather(*(ask(engine, f"{name} parts") for name in "abcd"))
    assert [body for body, _ in found] == [f"{name} first {name} 1 1" for name in "abcd"]


async def test_a_bad_request_fails_alone(tmp_path: Path) -> None:
    async with served(tmp_path, batch_size=2, batches_at_once=2) as engine:
        asked = (ask(engine, words) for words in ("a", "b", "c bad", "d"))
        a, b, bad, d = await asyncio.gather(*asked, return_exceptions=True)
    assert (a, b) == (("a 2 1", "a"), ("b 2 1", "b"))
    assert isinstance(bad, InferenceFailed)
    assert "a bad one" in str(bad)
    assert d == ("d 1 1", "d")


async def test_when_the_worker_dies_all_that_it_had_under_way_fail(tmp_path: Path) -> None:
    async with served(tmp_path) as engine:
        first = asyncio.create_task(ask(engine, "a"))
        await asyncio.sleep(0.1)
        found = await asyncio.gather(first, ask(engine, "b die"), return_exceptions=True)
        assert [type(error) for error in found] == [WorkerDied, WorkerDied]
        async with asyncio.timeout(20):
            while not engine.is_ready:
                await asyncio.sleep(0.02)
        again = await asyncio.gather(*(ask(engine, name) for name in "abcd"))
        assert len(again) == 4


async def test_tensors_are_refused(tmp_path: Path) -> None:
    async with served(tmp_path) as engine:
        with pytest.raises(BadInput, match="no tensors"):
            await engine.infer("waiting", {"x": np.zeros(1)})


OWN = """
import asyncio
from serving.protocol.exchange import RawReply

class Own:
    def load(self, context): ...
    def answer(self, requests, send):
        raise AssertionError("one at a time")
    async def answer_async(self, requests, send):
        await asyncio.sleep(0)
        return [RawReply(b"own") for _ in requests[1:]] + [None]
"""


async def test_a_handler_of_our_own_may_be_a_coroutine_and_must_answer(tmp_path: Path) -> None:
    folder = tmp_path / "models" / "own"
    folder.mkdir(parents=True)
    (folder / "manifest.json").write_text('{"name": "own", "handler": "own.py:Own"}')
    (folder / "own.py").write_text(OWN)
    defaults = ModelConfig(batches_at_once=2, device="cpu")
    engine = Engine(
        ServerSettings(models_dir=str(folder.parent), defaults=defaults), ServerMetrics()
    )
    await engine.start()
    try:
        with pytest.raises(ServingError, match="NoneType instead of a reply"):
            await engine.ask("own", RawRequest({}))
    finally:
        await engine.stop(0)
