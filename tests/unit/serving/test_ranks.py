"""Workers of several processes: all take part, the first answers, and none outlives another."""

import asyncio
import os
import signal
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import psutil
import pytest

from serving.archive.manifest import Manifest
from serving.archive.stored import StoredModel
from serving.errors import InvalidModel, ServingError
from serving.handlers.handler import HandlerContext
from serving.model_config import ModelConfig
from serving.protocol.exchange import RawReply, RawRequest
from serving.registry.plan import pool_spec
from serving.workers.launch import WorkerSpec
from serving.workers.messages import Load
from serving.workers.pool import WorkerPool
from serving.workers.pool_spec import PoolSpec
from serving.workers.ranks import _gpus, _load_of

HANDLER = """
import os, sys, time
from pathlib import Path
from serving.protocol.exchange import RawReply

class Shared:
    def load(self, context):
        self.rank = os.environ["RANK"]
        if Path("broken").exists() and self.rank == "2":
            sys.exit(7)
        self.notes = Path(f"rank{self.rank}")
        place = [os.environ[name] for name in ("LOCAL_RANK", "WORLD_SIZE", "LOCAL_WORLD_SIZE")]
        self.notes.write_text(" ".join(place) + f" {context.device}\\n")
    def answer(self, requests, send):
        with self.notes.open("a") as file:
            for request in requests:
                file.write(request.fields["body"].decode() + "\\n")
        send(0, b"part ")
        return [RawReply(f"{self.rank} {os.getpid()}".encode()) for _ in requests]
"""

ADDING = """
import os, torch
from serving.protocol.exchange import RawReply

class Adding:
    def load(self, context):
        torch.distributed.init_process_group("gloo")
    def answer(self, requests, send):
        number = torch.tensor([float(requests[0].fields["body"])])
        torch.distributed.all_reduce(number)
        return [RawReply(str(number.item()).encode()) for _ in requests]
"""


@asynccontextmanager
async def running(
    folder: Path, handler: str, name: str, *, processes: int = 3, takes_batches: bool = True
) -> AsyncIterator[WorkerPool]:
    (folder / "shared.py").write_text(handler)
    context = HandlerContext(model_dir=str(folder), model_name="shared", model_version="1")
    load = Load(
        handler=f"shared.py:{name}",
        context=context,
        processes=processes,
        takes_batches=takes_batches,
    )
    spec = PoolSpec(
        model="shared version 1",
        worker=WorkerSpec(load=load, is_at_home=True),
        min_workers=1,
        max_workers=1,
        startup_timeout_s=60,
        response_timeout_s=30,
    )
    pool = WorkerPool(spec, lambda: None)
    try:
        await pool.start()
        yield pool
    finally:
        await pool.stop(grace_s=0.5)


async def ask(pool: WorkerPool, body: bytes) -> bytes:
    answer = await pool.run([RawRequest({"body": body})], on_chunk=lambda at, part: True)
    (reply,) = answer.outcomes
    if isinstance(reply, ServingError):
        raise reply
    assert isinstance(reply, RawReply)
    return reply.body


async def until_there(path: Path, lines: list[str]) -> None:
    async with asyncio.timeout(10):
        while path.read_text().splitlines()[1:] != lines:
            await asyncio.sleep(0.01)


async def test_every_process_gets_every_batch_and_the_first_answers(tmp_path: Path) -> None:
    async with running(tmp_path, HANDLER, "Shared") as pool:
        for body in (b"one", b"two"):
            assert (await ask(pool, body)).startswith(b"0 ")
        for rank in range(3):
            notes = tmp_path / f"rank{rank}"
            await until_there(notes, ["one", "two"])
            assert notes.read_text().splitlines()[0] == f"{rank} 3 3 cpu"


async def test_of_a_pipeline_only_the_first_process_gets_batches(tmp_path: Path) -> None:
    async with running(tmp_path, HANDLER, "Shared", takes_batches=False) as pool:
        for body in (b"one", b"two", b"three"):
            await ask(pool, body)
        await until_there(tmp_path / "rank0", ["one", "two", "three"])
        assert (tmp_path / "rank1").read_text().splitlines()[1:] == []


async def test_when_one_process_is_killed_all_are_replaced(tmp_path: Path) -> None:
    async with running(tmp_path, HANDLER, "Shared") as pool:
        _, first = (await ask(pool, b"one")).split()
        ranks = psutil.Process(int(first)).children()
        assert len(ranks) == 2
        os.kill(ranks[0].pid, signal.SIGKILL)
        async with asyncio.timeout(20):
            while pool.restarts < 1 or not pool.ready:
                await asyncio.sleep(0.02)
            while ranks[1].is_running():
                await asyncio.sleep(0.02)
        rank, second = (await ask(pool, b"two")).split()
        assert rank == b"0"
        assert second != first


async def test_when_one_process_cannot_load_the_model_it_is_not_served(tmp_path: Path) -> None:
    (tmp_path / "broken").touch()
    with pytest.raises(InvalidModel, match="process 2 of the worker is gone"):
        async with running(tmp_path, HANDLER, "Shared"):
            pass


@pytest.mark.slow  # torch is imported twice
async def test_the_processes_compute_together_through_torch(tmp_path: Path) -> None:
    pytest.importorskip("torch")
    async with running(tmp_path, ADDING, "Adding", processes=2) as pool:
        assert await ask(pool, b"21") == b"42.0"


def test_on_gpus_each_process_has_its_own(monkeypatch: pytest.MonkeyPatch) -> None:
    context = HandlerContext(model_dir="", device="cuda:2", gpu_id=2)
    load = Load(handler="", context=context, processes=2)
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", "")
    assert _gpus(load) == {"CUDA_VISIBLE_DEVICES": "2,3"}
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", "4,5,6,7")
    assert _gpus(load) == {"CUDA_VISIBLE_DEVICES": "6,7"}
    assert [_load_of(rank, load).context.device for rank in (0, 1)] == ["cuda:0", "cuda:1"]


def test_the_workers_of_a_model_take_gpus_in_turn_as_many_as_they_have_processes() -> None:
    load = Load(handler="", context=HandlerContext(model_dir=""), processes=2)
    spec = PoolSpec(
        model="",
        worker=WorkerSpec(load=load),
        min_workers=2,
        max_workers=2,
        startup_timeout_s=1,
        response_timeout_s=1,
        device_ids=(0, 1, 2, 3),
    )
    assert [spec.worker_at(place).load.context.gpu_id for place in (0, 1, 2)] == [0, 2, 0]


def test_continuous_batches_are_not_shared_by_processes(tmp_path: Path) -> None:
    manifest = Manifest(name="m", version="1", handler="h.py:H")
    config = ModelConfig(processes=2, continuous_batching=True)
    with pytest.raises(InvalidModel, match="need processes = 1"):
        pool_spec(StoredModel(folder=tmp_path, manifest=manifest), config)
