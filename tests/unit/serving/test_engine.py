import asyncio
import math
import os
import signal
import threading
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import numpy as np
import pytest

from serving.client import Client
from serving.engine import Engine
from serving.errors import (
    BadInput,
    DeadlineExceeded,
    InferenceFailed,
    InvalidModel,
    ModelNotFound,
    NoWorker,
    OutOfMemory,
    Overloaded,
    WorkerDied,
)
from serving.local import LocalPredictor
from serving.model_config import ModelConfig
from serving.observe.metrics import ServerMetrics
from serving.protocol.exchange import RawRequest
from serving.settings import ServerSettings
from serving.workers.pool_spec import backoff_s
from tests.support_contract import seconds
from tests.support_serve import is_running


def settings_for(folder: Path, **fields: int | float) -> ServerSettings:
    config = ModelConfig(device="cpu", **fields)  # type: ignore[arg-type]
    return ServerSettings(models_dir=str(folder), defaults=config)


@asynccontextmanager
async def running(settings: ServerSettings) -> AsyncIterator[Engine]:
    engine = Engine(settings, ServerMetrics())
    await engine.start()
    try:
        yield engine
    finally:
        await engine.stop(grace_s=0)


async def pid_of(engine: Engine, value: float = 0) -> int:
    return int((await engine.infer("fragile", seconds(value)))["pid"])


def test_constructing_objects_starts_nothing(tmp_path: Path) -> None:
    threads = threading.active_count()
    Engine(ServerSettings(models_dir=str(tmp_path / "nowhere")), ServerMetrics())
    LocalPredictor(tmp_path / "nowhere")
    Client("http://127.0.0.1:9").close()
    assert threading.active_count() == threads


async def test_engine_runs_bodies_and_tensors_in_another_process(models_dir: Path) -> None:
    engine = Engine(settings_for(models_dir), ServerMetrics())
    assert not engine.is_ready
    await engine.start()
    try:
        assert engine.is_ready
        reply = await engine.ask("echo", RawRequest({"data": b"hello"}))
        assert reply.body == b'{"text":"hello","length":5}'
        pid = await pid_of(engine)
        assert pid != os.getpid()
        with pytest.raises(ModelNotFound):
            await engine.infer("dog", {})
        with pytest.raises(BadInput, match="takes"):
            await engine.infer("fragile", {"minutes": np.zeros(1)})
        with pytest.raises(InferenceFailed, match="not a number"):
            await engine.infer("fragile", seconds(math.nan))
        with pytest.raises(OutOfMemory):
            await engine.infer("fragile", seconds(-1))
        engine.drain()
        assert not engine.is_ready
        assert await pid_of(engine) == pid
    finally:
        await engine.stop(grace_s=1)
    assert not is_running(pid)


async def test_model_that_cannot_be_loaded_stops_the_start(
    models_dir: Path, tmp_path: Path
) -> None:
    (tmp_path / "echo").symlink_to(models_dir / "echo")
    broken = tmp_path / "broken"
    broken.mkdir()
    (broken / "manifest.json").write_text('{"name": "broken", "handler": "handler.py:No"}')
    engine = Engine(settings_for(tmp_path), ServerMetrics())
    with pytest.raises(InvalidModel, match=r"broken 1 \(handler\.py:No\) cannot be loaded"):
        await engine.start()
    assert not engine.is_ready
    assert engine.registry.find("echo").describe().workers == ()


async def test_worker_that_dies_while_it_loads_stops_the_start(tmp_path: Path) -> None:
    (tmp_path / "m").mkdir()
    (tmp_path / "m" / "manifest.json").write_text('{"name": "m", "handler": "handler.py:M"}')
    (tmp_path / "m" / "handler.py").write_text("import os\nos._exit(7)\n")
    with pytest.raises(InvalidModel, match="ended with exit code 7"):
        await Engine(settings_for(tmp_path), ServerMetrics()).start()


async def test_model_that_loads_too_long_stops_the_start(tmp_path: Path) -> None:
    (tmp_path / "m").mkdir()
    (tmp_path / "m" / "manifest.json").write_text('{"name": "m", "handler": "handler.py:M"}')
    (tmp_path / "m" / "handler.py").write_text("import time\ntime.sleep(60)\n")
    with pytest.raises(InvalidModel, match=r"did not load within 0\.2 s"):
        await Engine(settings_for(tmp_path, startup_timeout_s=0.2), ServerMetrics()).start()


async def test_full_queue_and_deadline_are_told_apart(models_dir: Path) -> None:
    async with running(settings_for(models_dir, queue_size=1, batch_size=1)) as engine:
        running_one = asyncio.create_task(pid_of(engine, 0.5))
        await asyncio.sleep(0.05)
        waiting = asyncio.create_task(engine.infer("fragile", seconds(0), timeout_s=0.1))
        await asyncio.sleep(0.01)
        with pytest.raises(Overloaded):
            await pid_of(engine)
        with pytest.raises(DeadlineExceeded):
            await waiting
        await running_one


async def test_worker_that_gives_no_answer_is_replaced(models_dir: Path) -> None:
    async with running(settings_for(models_dir, response_timeout_s=0.3)) as engine:
        first = await pid_of(engine)
        with pytest.raises(WorkerDied, match=r"no answer within 0\.3 s"):
            await pid_of(engine, 30)
        assert await pid_of(engine) != first


async def test_workers_are_added_while_requests_wait(models_dir: Path) -> None:
    config = settings_for(models_dir, max_workers=2, batch_size=1)
    async with running(config) as engine:
        pids: list[int] = []
        async with asyncio.timeout(30):
            while len(set(pids)) < 2:
                pids += await asyncio.gather(*(pid_of(engine, 0.1) for _ in range(6)))
        description = engine.registry.find("fragile").describe()
        assert [worker.pid for worker in description.workers] == list(dict.fromkeys(pids))


async def test_model_whose_workers_keep_dying_is_told_to_be_away(models_dir: Path) -> None:
    async with running(settings_for(models_dir)) as engine:
        for _ in range(2):
            with pytest.raises(WorkerDied, match="ended with exit code 3"):
                await pid_of(engine, -2)
        with pytest.raises(NoWorker) as caught:
            await pid_of(engine)
        assert caught.value.retry_after_s >= 1
        assert not engine.registry.find("fragile").is_ready
        assert engine.registry.find("echo").is_ready


def test_backoff_doubles_up_to_half_a_minute() -> None:
    assert [backoff_s(failures) for failures in (0, 1, 2, 3, 4, 20)] == [0, 0, 0.5, 1, 2, 30]


async def test_idle_worker_that_is_killed_is_replaced_unasked(models_dir: Path) -> None:
    async with running(settings_for(models_dir)) as engine:
        first = await pid_of(engine)
        os.kill(first, signal.SIGKILL)
        endpoint = engine.registry.find("fragile")
        while any(worker.pid == first for worker in endpoint.describe().workers):
            await asyncio.sleep(0.01)
        assert await pid_of(engine) != first
