"""By which interpreter, where and with which environment a worker's process runs."""

import asyncio
import json
import os
import signal
import sys
import venv
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from serving.archive.manifest import Manifest
from serving.archive.stored import StoredModel
from serving.errors import NoWorker
from serving.handlers.handler import HandlerContext
from serving.hardware import usable_cores
from serving.model_config import ModelConfig
from serving.protocol.exchange import RawReply, RawRequest
from serving.registry.plan import batch_limits, pool_spec
from serving.workers.launch import WorkerSpec
from serving.workers.messages import Load
from serving.workers.pool import WorkerPool
from serving.workers.pool_spec import PoolSpec

HANDLER = """
import gc, json, os, sys
from serving.protocol.exchange import RawReply

class Teller:
    def load(self, context):
        self.loaded = ["what", "the", "model", "holds"]
    def answer(self, requests, send):
        import psutil
        told = {
            "cwd": os.getcwd(), "python": sys.executable, "psutil": psutil.__file__,
            "environment": dict(os.environ),
            "is_scanned": any(found is self.loaded for found in gc.get_objects()),
        }
        try:
            import neighbour
            told["neighbour"] = neighbour.__file__
        except ImportError:
            pass
        return [RawReply(json.dumps(told).encode()) for _ in requests]
"""


def pool_of(
    folder: Path, pin_cores: bool = False, threads: int = 3, workers: int = 1, **fields: Any
) -> WorkerPool:
    folder.mkdir(exist_ok=True)
    if not (folder / "teller.py").exists():
        (folder / "teller.py").write_text(HANDLER)
    (folder / "neighbour.py").touch()
    context = HandlerContext(model_dir=str(folder), threads=threads)
    spec = PoolSpec(
        model="teller version 1",
        worker=WorkerSpec(load=Load(handler="teller.py:Teller", context=context), **fields),
        min_workers=workers,
        max_workers=workers,
        startup_timeout_s=30,
        response_timeout_s=30,
        max_retry_timeout_s=0.5,
        pin_cores=pin_cores,
    )
    return WorkerPool(spec, lambda: None)


async def told_by(folder: Path, **fields: Any) -> dict[str, Any]:
    pool = pool_of(folder, **fields)
    await pool.start()
    try:
        (reply,) = (await pool.run([RawRequest({})])).outcomes
    finally:
        await pool.stop(0.5)
    assert isinstance(reply, RawReply)
    told: dict[str, Any] = json.loads(reply.body)
    return told


async def test_worker_runs_where_and_as_the_server_does(tmp_path: Path) -> None:
    told = await told_by(tmp_path)
    assert told["cwd"] == str(Path.cwd())
    assert told["python"] == sys.executable
    assert "neighbour" not in told
    threads = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")
    assert [told["environment"][name] for name in threads] == ["3"] * 3
    assert told["environment"]["OMP_WAIT_POLICY"] == "PASSIVE"
    assert told["environment"]["THP_MEM_ALLOC_ENABLE"] == "1"


async def test_what_is_loaded_is_not_looked_at_when_garbage_is_collected(tmp_path: Path) -> None:
    assert not (await told_by(tmp_path))["is_scanned"]


async def test_who_wants_threads_to_spin_may_say_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OMP_WAIT_POLICY", "ACTIVE")
    told = await told_by(tmp_path)
    assert told["environment"]["OMP_WAIT_POLICY"] == "ACTIVE"


async def test_handler_of_an_archive_is_at_home_in_it(tmp_path: Path) -> None:
    told = await told_by(tmp_path, is_at_home=True)
    assert told["cwd"] == str(tmp_path)
    assert told["neighbour"] == str(tmp_path / "neighbour.py")


async def test_model_with_packages_of_its_own_gets_those_before_the_servers(
    tmp_path: Path,
) -> None:
    venv.create(tmp_path / "venv", with_pip=False)
    (packages,) = (tmp_path / "venv").glob("lib/python*/site-packages")
    (packages / "psutil.py").write_text("")
    python = tmp_path / "venv" / "bin" / "python"
    told = await told_by(tmp_path / "model", python=str(python), is_at_home=True)
    assert told["python"] == str(python)
    assert told["psutil"] == str(packages / "psutil.py")
    assert told["neighbour"] == str(tmp_path / "model" / "neighbour.py")


async def test_worker_gets_only_the_environment_that_is_allowed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("MODEL_KEY", "MODEL_SECRET", "OTHER"):
        monkeypatch.setenv(name, "x")
    told = await told_by(
        tmp_path,
        environment_allow=("MODEL_*", "PATH"),
        environment_deny=".*SECRET",
    )
    names = told["environment"].keys()
    assert "MODEL_KEY" in names
    assert not names & {"MODEL_SECRET", "OTHER", "HOME"}


async def test_pool_gives_up_a_worker_that_cannot_be_started_for_too_long(tmp_path: Path) -> None:
    pool = pool_of(tmp_path)
    await pool.start()
    try:
        (worker,) = pool.workers
        (tmp_path / "teller.py").write_text("raise ValueError('broken meanwhile')\n")
        os.kill(worker.pid, signal.SIGKILL)
        async with asyncio.timeout(20):
            while pool.places:
                await asyncio.sleep(0.02)
        assert not pool.is_hopeful
        assert "broken meanwhile" in str(pool.unavailable())
        with pytest.raises(NoWorker):
            await pool.run([RawRequest({})])
        (tmp_path / "teller.py").write_text(HANDLER)
        assert await pool.scale(1, 1, wait=True) == 1, "scaling tries again"
    finally:
        await pool.stop(0.5)


def stored(handler: str = "handler.py:H", **fields: Any) -> StoredModel:
    return StoredModel(Path("folder"), Manifest(name="m", handler=handler), **fields)


def test_threads_are_the_cores_shared_out_among_the_workers() -> None:
    def threads(**fields: Any) -> int:
        return pool_spec(stored(), ModelConfig(**fields)).worker.load.context.threads

    cores = usable_cores()
    assert threads(min_workers=1) == cores
    assert threads(min_workers=1, max_workers=2) == max(cores // 2, 1)
    assert threads(min_workers=64) == 1
    assert threads(min_workers=2, threads=5) == 5


@pytest.mark.skipif(not hasattr(os, "sched_setaffinity"), reason="needs Linux' affinity")
async def test_workers_stay_on_cores_of_their_own_where_that_is_asked_for(tmp_path: Path) -> None:
    cores = sorted(os.sched_getaffinity(0))
    pool = pool_of(tmp_path, pin_cores=True, threads=1, workers=2)
    await pool.start(2)
    try:
        places = [os.sched_getaffinity(worker.pid) for worker in pool.workers]
    finally:
        await pool.stop(0.5)
    assert sorted(map(len, places)) == [1, 1]
    assert set.union(*places) == set(cores[:2])
    assert sorted(os.sched_getaffinity(0)) == cores, "the server stays where it was"


def test_archive_and_configuration_become_a_plan() -> None:
    model = stored("serving.handlers.torchserve:X", options={"a": {"b": [1]}}, python=Path("/v/py"))
    config = ModelConfig(
        device="cuda:2",
        batch_size=8,
        memory_limit_mb=100,
        preferred_batch_sizes=(2, 4),
        batch_wait="always",
        max_batch_delay_ms=20,
    )
    spec = pool_spec(model, config)
    context = spec.worker.load.context
    assert (context.model_name, context.model_version, context.batch_size) == ("m", "1", 8)
    assert (context.device, context.gpu_id, context.options) == ("cuda:2", 2, {"a": {"b": [1]}})
    assert (spec.worker.python, spec.worker.is_at_home) == ("/v/py", True)
    assert spec.worker.memory_limit == 100 * 1024 * 1024
    limits = batch_limits(model.manifest, config)
    assert (limits.size, limits.delay_s, limits.wait) == (8, 0.02, "always")
    assert limits.preferred_sizes == (2, 4)
    assert not pool_spec(stored(), ModelConfig(device="cpu")).worker.is_at_home


def test_continuous_batches_are_slots_of_a_worker() -> None:
    config = ModelConfig(device="cpu", batch_size=8, continuous_batching=True)
    assert pool_spec(stored(), config).slots == 8
    assert batch_limits(stored().manifest, config).size == 1


def test_workers_take_the_gpus_in_turn() -> None:
    context = HandlerContext(model_dir="x", device="cuda:0", gpu_id=0)
    spec = WorkerSpec(load=Load(handler="h.py:H", context=context))
    moved: Sequence[HandlerContext] = [spec.on_gpu(index).load.context for index in (0, 3)]
    assert [(c.device, c.gpu_id) for c in moved] == [("cuda:0", 0), ("cuda:3", 3)]


def test_workers_take_every_gpu_where_nobody_says_which(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("serving.registry.plan.count_gpus", lambda: 2)
    assert pool_spec(stored(), ModelConfig()).device_ids == (0, 1)
    assert pool_spec(stored(), ModelConfig(device="cuda:1")).device_ids == ()
    assert pool_spec(stored(), ModelConfig(device="cpu")).device_ids == ()
    assert pool_spec(stored(), ModelConfig(device_ids=(1,))).device_ids == (1,)
