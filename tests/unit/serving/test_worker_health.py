"""Workers that are halted, hang, grow or die: they are noticed, and it is said why."""

import asyncio
import logging
import os
import signal
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from serving.errors import InvalidModel, LoadOutOfMemory, OutOfMemory, ServingError, WorkerDied
from serving.handlers.handler import HandlerContext
from serving.protocol.exchange import RawReply, RawRequest
from serving.workers import health
from serving.workers.launch import WorkerSpec
from serving.workers.messages import Load
from serving.workers.pool import WorkerPool
from serving.workers.pool_spec import PoolSpec

HANDLER = """
import ctypes, os, sys, threading, time
from serving.protocol.exchange import RawReply

class Wild:
    def load(self, context): ...
    def answer(self, requests, send):
        words = requests[0].fields["body"].decode().split()
        if words[0] == "sleep":
            time.sleep(float(words[1]))
        if words[0] == "grow":
            self.hoard = bytearray(int(words[1]) << 20)
            time.sleep(20)
        if words[0] == "die":
            print("this is the end", file=sys.stderr)
            os._exit(9)
        if words[0] == "hang":
            # Unlike CDLL, PyDLL keeps the interpreter's lock: nothing in this process moves.
            threading.Timer(0.1, ctypes.PyDLL(None).sleep, [30]).start()
        if words[0] == "say":
            print("ERROR heard" if words[1] == "loud" else words[1])
        return [RawReply(str(os.getpid()).encode()) for _ in requests]
"""


@asynccontextmanager
async def running(
    folder: Path, handler: str = HANDLER, **fields: int | None
) -> AsyncIterator[WorkerPool]:
    (folder / "wild.py").write_text(handler)
    context = HandlerContext(model_dir=str(folder), model_name="wild", model_version="1")
    spec = WorkerSpec(load=Load(handler="wild.py:Wild", context=context), **fields)  # type: ignore[arg-type]
    pool = WorkerPool(
        PoolSpec(
            model="wild version 1",
            worker=spec,
            min_workers=1,
            max_workers=1,
            startup_timeout_s=30,
            response_timeout_s=30,
        ),
        lambda: None,
    )
    await pool.start()
    try:
        yield pool
    finally:
        await pool.stop(grace_s=0.5)


async def tell(pool: WorkerPool, words: str) -> int:
    answer = await pool.run([RawRequest({"body": words.encode()})])
    (reply,) = answer.outcomes
    if isinstance(reply, ServingError):
        raise reply
    assert isinstance(reply, RawReply)
    return int(reply.body)


async def next_worker(pool: WorkerPool) -> int:
    while not pool.ready:
        await asyncio.sleep(0.02)
    return await tell(pool, "go")


@pytest.mark.parametrize("is_busy", [True, False], ids=["at work", "idle"])
async def test_halted_worker_is_replaced_long_before_its_time_is_over(
    tmp_path: Path, is_busy: bool
) -> None:
    async with running(tmp_path) as pool:
        first = await tell(pool, "go")
        work = asyncio.create_task(tell(pool, "sleep 20")) if is_busy else None
        await asyncio.sleep(0.1)
        os.kill(first, signal.SIGSTOP)
        async with asyncio.timeout(10):
            if work is not None:
                with pytest.raises(WorkerDied, match="halted by a signal"):
                    await work
            while pool.ready:
                await asyncio.sleep(0.02)
            assert await next_worker(pool) != first


async def test_worker_that_takes_too_much_memory_is_replaced_and_its_item_told(
    tmp_path: Path,
) -> None:
    async with running(tmp_path, memory_limit=150 << 20) as pool:
        first = await tell(pool, "go")
        with pytest.raises(OutOfMemory, match=r"it held \d+ MiB of memory, 150 are allowed"):
            await tell(pool, "grow 400")
        assert await next_worker(pool) != first


async def test_idle_worker_that_does_not_answer_is_replaced(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(health, "_PING_EVERY_S", 0.3)
    monkeypatch.setattr(health, "_PONG_WITHIN_S", 1.5)
    async with running(tmp_path) as pool:
        (worker,) = pool.workers
        await asyncio.sleep(2.5)
        assert pool.workers == [worker], "it answers, so it stays"
        await tell(pool, "hang")
        async with asyncio.timeout(10):
            await worker.wait_closed()
        assert worker.ending() == "was ended: it was idle and did not answer"


async def test_error_tells_what_the_dead_worker_said_last(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO, "serving.workers.output")
    async with running(tmp_path) as pool:
        with pytest.raises(WorkerDied, match=r"exit code 9 .*; it last said: this is the end"):
            await tell(pool, "die")
        await next_worker(pool)
    assert "wild 1 worker 1: this is the end" in caplog.text


async def test_worker_that_dies_while_it_loads_leaves_its_last_words(tmp_path: Path) -> None:
    code = "import os\nprint('no GPU today', flush=True)\nos._exit(4)\n"
    with pytest.raises(InvalidModel, match=r"exit code 4 .*; it last said: no GPU today"):
        async with running(tmp_path, code):
            raise AssertionError("it must not start")


async def test_model_that_needs_too_much_memory_to_load_is_told_apart(tmp_path: Path) -> None:
    code = HANDLER.replace("def load(self, context): ...", "def load(self, context): 1/0")
    with pytest.raises(LoadOutOfMemory, match="MemoryError"):
        async with running(tmp_path, code.replace("1/0", "raise MemoryError")):
            raise AssertionError("it must not start")


async def test_what_a_worker_prints_is_in_the_log_at_its_level(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO, "serving.workers.output")
    async with running(tmp_path) as pool:
        await tell(pool, "say hello")
        await tell(pool, "say loud")
    lines = [(record.levelname, record.getMessage()) for record in caplog.records]
    assert ("INFO", "wild 1 worker 1: hello") in lines
    assert ("ERROR", "wild 1 worker 1: heard") in lines


async def test_traceback_of_a_failing_handler_is_in_the_log(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    async with running(tmp_path) as pool:
        with pytest.raises(ServingError, match="KeyError: 'body'"):
            answer = await pool.run([RawRequest({})])
            (error,) = answer.outcomes
            assert isinstance(error, ServingError)
            raise error
        await tell(pool, "go")
    assert 'words = requests[0].fields["body"]' in caplog.text
