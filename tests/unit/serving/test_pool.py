import asyncio
import os
import signal
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from serving.errors import InvalidModel, NoWorker
from serving.handlers.handler import HandlerContext
from serving.workers.channel import channel_pair
from serving.workers.launch import WorkerSpec
from serving.workers.messages import Load
from serving.workers.pool import WorkerPool
from serving.workers.pool_spec import PoolSpec
from serving.workers.process import Worker
from tests.support_contract import seconds


def load_from(folder: Path, handler: str) -> WorkerSpec:
    context = HandlerContext(model_dir=str(folder), threads=1)
    return WorkerSpec(load=Load(handler=handler, context=context))


def load_fragile(models_dir: Path) -> WorkerSpec:
    return load_from(models_dir / "fragile", "handler.py:Fragile")


@asynccontextmanager
async def running_pool(
    models_dir: Path, max_workers: int, on_change: Callable[[], None] = lambda: None
) -> AsyncIterator[WorkerPool]:
    spec = PoolSpec(
        model="fragile",
        worker=load_fragile(models_dir),
        min_workers=1,
        max_workers=max_workers,
        startup_timeout_s=30,
        response_timeout_s=30,
        surplus_s=0.2,
    )
    pool = WorkerPool(spec, on_change)
    await pool.start()
    try:
        yield pool
    finally:
        await pool.stop(grace_s=1)


async def test_surplus_worker_leaves_when_it_is_no_longer_needed(models_dir: Path) -> None:
    changed = asyncio.Event()
    async with running_pool(models_dir, 2, changed.set) as pool:
        counts = [pool.ready]
        pool.grow()
        pool.grow()  # one is just starting: no second one
        while counts[-2:] != [2, 1]:
            changed.clear()
            await changed.wait()
            counts.append(pool.ready)
        assert max(counts) == 2
        assert pool.is_hopeful
        assert pool.restarts == 0


async def test_pool_does_not_grow_beyond_its_limit(models_dir: Path) -> None:
    async with running_pool(models_dir, 1) as pool:
        pool.grow()
        await asyncio.sleep(0)
        assert len(pool.workers) == 1


async def test_busy_pool_has_nobody_to_lend(models_dir: Path) -> None:
    async with running_pool(models_dir, 1) as pool:
        busy = asyncio.create_task(pool.run([seconds(0.2)]))
        await asyncio.sleep(0)
        with pytest.raises(NoWorker):
            await pool.run([seconds(0)])
        await busy


async def test_cancelled_batch_costs_its_worker_and_no_more(models_dir: Path) -> None:
    async with running_pool(models_dir, 1) as pool:
        (first,) = pool.workers
        batch = asyncio.create_task(pool.run([seconds(30)]))
        await asyncio.sleep(0.05)
        batch.cancel()
        await asyncio.wait([batch])
        assert pool.ready == 0
        await first.wait_closed()
        while not pool.ready:
            await asyncio.sleep(0.01)
        assert len((await pool.run([seconds(0)])).outcomes) == 1


async def test_stopped_workers_end_even_while_they_work(models_dir: Path) -> None:
    async with running_pool(models_dir, 1) as pool:
        (worker,) = pool.workers
        batch = asyncio.create_task(pool.run([seconds(30)]))
        await asyncio.sleep(0.05)
        started = asyncio.get_running_loop().time()
        await pool.stop(grace_s=0.1)
        assert asyncio.get_running_loop().time() - started < 2
        assert worker.is_closed
        await asyncio.wait([batch])
        assert batch.exception() is not None


async def test_stop_that_is_given_up_ends_and_buries_the_worker_nevertheless(
    models_dir: Path,
) -> None:
    async with running_pool(models_dir, 1) as pool:
        (worker,) = pool.workers
        stopping = asyncio.create_task(pool.stop(grace_s=0.5))
        await asyncio.sleep(0)
        stopping.cancel()
        await asyncio.wait([stopping])
        async with asyncio.timeout(10):
            await worker.wait_closed()
    with pytest.raises(ChildProcessError):
        os.waitpid(worker.pid, os.WNOHANG)


async def test_start_that_is_cancelled_leaves_no_process(models_dir: Path) -> None:
    worker = Worker(1, load_fragile(models_dir))
    starting = asyncio.create_task(worker.start(timeout_s=30))
    while not worker.pid:
        await asyncio.sleep(0)
    starting.cancel()
    await asyncio.wait([starting])
    with pytest.raises(ProcessLookupError):
        os.kill(worker.pid, 0)


async def test_worker_killed_while_it_loads_says_how(tmp_path: Path) -> None:
    (tmp_path / "handler.py").write_text("import time\ntime.sleep(60)\n")
    worker = Worker(1, load_from(tmp_path, "handler.py:H"))
    starting = asyncio.create_task(worker.start(timeout_s=30))
    while not worker.pid:
        await asyncio.sleep(0)
    os.kill(worker.pid, signal.SIGKILL)
    with pytest.raises(InvalidModel, match="was killed by signal 9 while it loaded"):
        await starting


async def test_worker_that_is_gone_before_it_is_told_was_not_at_work(models_dir: Path) -> None:
    worker = Worker(1, load_fragile(models_dir))
    with pytest.raises(NoWorker, match="gone before it began"):
        await worker.run([seconds(0)], timeout_s=1)


async def test_process_that_cannot_be_started_is_told(
    models_dir: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sys.executable", "/nowhere/python")
    with pytest.raises(InvalidModel, match=r"can be started: .*No such file"):
        await Worker(1, load_fragile(models_dir)).start(timeout_s=30)


def test_channel_ends_are_not_inherited_by_accident() -> None:
    ours, theirs = channel_pair()
    with ours, theirs:
        assert not ours.get_inheritable()
        assert not theirs.get_inheritable()
