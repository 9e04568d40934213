"""Handlers that read requests themselves: streams, continuous batches, sequences."""

import asyncio
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from serving.engine import Engine
from serving.errors import (
    BadInput,
    InferenceFailed,
    Overloaded,
    ServingError,
    WorkerDied,
)
from serving.handlers.points import MetricPoint
from serving.model_config import ModelConfig
from serving.observe.metrics import ServerMetrics
from serving.protocol.exchange import RawReply, RawRequest, Verb
from serving.settings import ServerSettings

HANDLER = """
import os, time
from serving.errors import BadInput
from serving.handlers.points import MetricPoint, emit
from serving.protocol.exchange import RawReply

class Raw:
    def load(self, context):
        self.context = context
        self.seen = {}
        self.steps = 0
    def answer(self, requests, send):
        if OPTIONS.get("continuous"):
            return self.step(requests, send)
        return [self.one(request, requests, i, send) for i, request in enumerate(requests)]
    def one(self, request, requests, i, send):
        words = request.fields.get("body", b"echo").decode().split()
        if words[0] == "size":
            time.sleep(0.05)
            return RawReply(str(len(requests)).encode())
        if words[0] == "raise":
            raise KeyError("no such key")
        if words[0] == "none":
            return None
        if words[0] == "refuse":
            return BadInput("not this one")
        if words[0] == "die":
            os._exit(5)
        if words[0] == "count":
            name = request.headers["ts_request_sequence_id"]
            self.seen[name] = self.seen.get(name, 0) + 1
            time.sleep(0.01)
            return RawReply(f"{self.seen[name]} {os.getpid()}".encode())
        if words[0] == "stream":
            send(i, RawReply(b"first", 201, "Begun", (("x-part", "1"),), "text/plain"))
            for part in words[1:]:
                time.sleep(0.05)
                if part == "raise":
                    raise KeyError("midway")
                if part == "die":
                    os._exit(5)
                send(i, part.encode())
            return RawReply(b"last")
        if words[0] == "measure":
            emit(MetricPoint(name="Beats", value=3, kind="counter", dimensions={"Level": "Model"}))
        headers = tuple(sorted(request.headers.items()))
        return RawReply(request.verb.encode(), 202, "Fine", headers, "text/x-verb")
    def step(self, requests, send):
        time.sleep(0.02)
        replies = []
        for i, request in enumerate(requests):
            if request.fields["body"] == b"steps":
                replies.append(RawReply(str(self.steps).encode()))
                continue
            self.steps += 1
            left = self.seen.setdefault(request.request_id, int(request.fields["body"])) - 1
            self.seen[request.request_id] = left
            if left < 0:
                raise ValueError("negative")
            send(i, f"{len(requests)} ".encode())
            replies.append(RawReply(b"end") if left == 0 else None)
        return replies
"""


@asynccontextmanager
async def running(
    folder: Path, options: dict[str, Any] | None = None, **fields: Any
) -> AsyncIterator[Engine]:
    (folder / "raw").mkdir()
    (folder / "raw" / "manifest.json").write_text('{"name": "raw", "handler": "raw.py:Raw"}')
    (folder / "raw" / "raw.py").write_text(HANDLER.replace("OPTIONS", repr(options or {})))
    config = ModelConfig(device="cpu", **fields)
    metrics = ServerMetrics()
    engine = Engine(ServerSettings(models_dir=str(folder), defaults=config), metrics)
    await engine.start()
    try:
        yield engine
    finally:
        await engine.stop(grace_s=0)


async def ask(
    engine: Engine,
    body: str,
    headers: dict[str, str] | None = None,
    verb: Verb = "predict",
    name: str = "",
) -> RawReply:
    request = RawRequest({"body": body.encode()}, {}, headers or {}, name, verb)
    return await engine.ask("raw", request)


async def parts_of(reply: RawReply) -> list[bytes]:
    parts = [reply.body]
    if reply.rest is not None:
        parts += [part async for part in reply.rest]
    return parts


async def test_reply_comes_as_the_handler_wrote_it(tmp_path: Path) -> None:
    async with running(tmp_path) as engine:
        reply = await ask(engine, "echo", {"b": "2", "a": "1"}, "explain")
        assert (reply.body, reply.status, reply.reason) == (b"explain", 202, "Fine")
        assert reply.headers == (("a", "1"), ("b", "2"))
        assert (reply.content_type, reply.rest) == ("text/x-verb", None)


@pytest.mark.parametrize(
    ("body", "kind", "text"),
    [
        ("raise", InferenceFailed, "KeyError: 'no such key'"),
        ("none", InferenceFailed, "NoneType instead of a reply"),
        ("refuse", BadInput, "not this one"),
    ],
    ids=["raises", "answers nothing", "refuses"],
)
async def test_bad_request_fails_alone(
    tmp_path: Path, body: str, kind: type[ServingError], text: str
) -> None:
    async with running(tmp_path, batch_size=4) as engine:
        asked = [ask(engine, "echo"), ask(engine, body), ask(engine, "size")]
        first, bad, last = await asyncio.gather(*asked, return_exceptions=True)
        assert isinstance(first, RawReply)
        assert isinstance(last, RawReply)
        assert isinstance(bad, kind)
        assert text in str(bad)


async def test_requests_share_a_batch_unless_they_ask_for_different_things(tmp_path: Path) -> None:
    async with running(tmp_path, batch_size=4) as engine:
        verbs: list[Verb] = ["predict", "predict", "explain"]
        replies = await asyncio.gather(*(ask(engine, "size", verb=verb) for verb in verbs))
        assert [reply.body for reply in replies] == [b"2", b"2", b"1"]


async def test_handler_that_reads_requests_takes_no_tensors(tmp_path: Path) -> None:
    async with running(tmp_path) as engine:
        with pytest.raises(BadInput, match="takes requests as they come"):
            await engine.infer("raw", {"x": np.zeros(1)})


async def test_reply_is_given_in_parts_as_they_come(tmp_path: Path) -> None:
    async with running(tmp_path) as engine:
        reply = await ask(engine, "stream b c")
        assert (reply.body, reply.status, reply.reason) == (b"first", 201, "Begun")
        assert (reply.headers, reply.content_type) == ((("x-part", "1"),), "text/plain")
        assert await parts_of(reply) == [b"first", b"b", b"c", b"last"]


@pytest.mark.parametrize(
    ("end", "kind", "text"),
    [("raise", InferenceFailed, "midway"), ("die", WorkerDied, "exit code 5")],
)
async def test_stream_that_breaks_off_says_why(
    tmp_path: Path, end: str, kind: type[ServingError], text: str
) -> None:
    async with running(tmp_path) as engine:
        reply = await ask(engine, f"stream b {end}")
        with pytest.raises(kind, match=text):
            await parts_of(reply)


async def test_stream_that_nobody_reads_harms_nobody(tmp_path: Path) -> None:
    async with running(tmp_path) as engine:
        reply = await ask(engine, "stream b c d")
        assert reply.rest is not None
        await reply.rest.aclose()
        assert await parts_of(reply) == [b"first"]
        assert (await ask(engine, "echo")).status == 202


async def test_answer_may_be_shorter_than_its_time_while_parts_keep_coming(tmp_path: Path) -> None:
    async with running(tmp_path, response_timeout_s=0.3) as engine:
        reply = await ask(engine, "stream" + " x" * 10)
        assert len(await parts_of(reply)) == 12


class Ear:
    """Listens to what handlers measure, and to nothing else."""

    def __init__(self) -> None:
        self.heard: list[tuple[str, str, MetricPoint]] = []

    def observe(self, model: str, version: str, point: MetricPoint) -> None:
        self.heard.append((model, version, point))

    def inferred(self, model: str, version: str, latency_s: float) -> None: ...

    def queued(self, model: str, version: str, waits_s: Sequence[float]) -> None: ...

    def shipped(self, seconds: float) -> None: ...

    def loaded(self, worker: str, seconds: float) -> None: ...

    def forget(self, model: str, version: str, *, is_last: bool) -> None: ...


async def test_what_the_handler_measures_reaches_the_server(tmp_path: Path) -> None:
    (tmp_path / "raw").mkdir()
    (tmp_path / "raw" / "manifest.json").write_text('{"name": "raw", "handler": "raw.py:Raw"}')
    (tmp_path / "raw" / "raw.py").write_text(HANDLER.replace("OPTIONS", "{}"))
    metrics = ServerMetrics()
    ear = Ear()
    metrics.listeners.append(ear)
    settings = ServerSettings(models_dir=str(tmp_path), defaults=ModelConfig(device="cpu"))
    engine = Engine(settings, metrics)
    await engine.start()
    try:
        await ask(engine, "measure")
    finally:
        await engine.stop(0)
    ((name, version, point),) = ear.heard
    assert (name, version) == ("raw", "1")
    assert (point.name, point.value, point.kind) == ("Beats", 3, "counter")
    assert point.dimensions == {"Level": "Model"}


async def test_requests_join_and_leave_a_continuous_batch(tmp_path: Path) -> None:
    options = {"continuous": True}
    async with running(tmp_path, options, batch_size=4, continuous_batching=True) as engine:
        long = await ask(engine, "10", name="long")
        short = await ask(engine, "2", name="short")
        assert b"".join(await parts_of(short)) == b"2 2 end"
        told = b"".join(await parts_of(long)).split()
        assert told[-1] == b"end"
        assert len(told) == 11
        assert told[0] == b"1"
        assert b"2" in told
        assert (await ask(engine, "steps")).body == b"12"


async def test_continuous_batch_is_not_larger_than_the_model_takes(tmp_path: Path) -> None:
    options = {"continuous": True}
    async with running(tmp_path, options, batch_size=2, continuous_batching=True) as engine:
        replies = await asyncio.gather(*(ask(engine, "3", name=str(i)) for i in range(5)))
        told = b" ".join([b"".join(await parts_of(reply)) for reply in replies])
        assert set(told.replace(b"end", b"").split()) <= {b"1", b"2"}


async def test_client_who_leaves_a_continuous_batch_is_worked_for_no_more(tmp_path: Path) -> None:
    options = {"continuous": True}
    async with running(tmp_path, options, batch_size=4, continuous_batching=True) as engine:
        reply = await ask(engine, "1000", name="gone")
        assert reply.rest is not None
        await reply.rest.aclose()
        await asyncio.sleep(0.2)
        first = int((await ask(engine, "steps")).body)
        await asyncio.sleep(0.2)
        assert int((await ask(engine, "steps")).body) == first
        assert first < 100


async def test_failure_in_a_continuous_batch_is_its_own(tmp_path: Path) -> None:
    options = {"continuous": True}
    async with running(tmp_path, options, batch_size=4, continuous_batching=True) as engine:
        results = await asyncio.gather(
            ask(engine, "0", name="bad"), ask(engine, "2", name="good"), return_exceptions=True
        )
        assert isinstance(results[0], InferenceFailed)
        assert isinstance(results[1], RawReply)


def mark(name: str, **marks: bool) -> dict[str, str]:
    headers = {f"ts_request_sequence_{key}": "true" for key, value in marks.items() if value}
    return {"ts_request_sequence_id": name, **headers}


async def test_sequence_stays_with_one_worker_and_in_order(tmp_path: Path) -> None:
    async with running(tmp_path, min_workers=2, batch_size=4, sequence_batching=True) as engine:
        await engine.scale("raw", None, 2, 2, wait=True)
        names = ["a", "b", "c"] * 5
        replies = await asyncio.gather(*(ask(engine, "count", mark(name)) for name in names))
        told: dict[str, list[tuple[int, str]]] = {}
        for name, reply in zip(names, replies, strict=True):
            number, pid = reply.body.decode().split()
            told.setdefault(name, []).append((int(number), pid))
        for numbers in told.values():
            assert [number for number, _ in numbers] == [1, 2, 3, 4, 5]
            assert len({pid for _, pid in numbers}) == 1
        assert len({numbers[0][1] for numbers in told.values()}) == 2


async def test_sequences_are_as_many_as_allowed_until_one_ends(tmp_path: Path) -> None:
    async with running(tmp_path, sequence_batching=True, max_sequences=1) as engine:
        await ask(engine, "count", mark("a", start=True))
        with pytest.raises(Overloaded):
            await ask(engine, "count", mark("b", start=True))
        await ask(engine, "count", mark("a", end=True))
        await ask(engine, "count", mark("b", start=True))
        assert (await ask(engine, "echo")).status == 202, "without a sequence"


async def test_sequence_whose_worker_died_is_told_so(tmp_path: Path) -> None:
    async with running(tmp_path, sequence_batching=True) as engine:
        await ask(engine, "count", mark("a"))
        with pytest.raises(WorkerDied, match="exit code 5"):
            await ask(engine, "die")
        with pytest.raises(WorkerDied, match="begin it anew"):
            await ask(engine, "count", mark("a"))
        assert (await ask(engine, "count", mark("a", start=True))).body.startswith(b"1 ")


async def test_model_that_lets_nobody_wait_refuses_while_its_workers_are_busy(
    tmp_path: Path,
) -> None:
    async with running(tmp_path, use_job_ticket=True) as engine:
        busy = asyncio.create_task(ask(engine, "size"))
        await asyncio.sleep(0.01)
        with pytest.raises(Overloaded, match="every worker is busy"):
            await ask(engine, "echo")
        await busy
        assert (await ask(engine, "echo")).status == 202
