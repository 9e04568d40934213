"""Models that come, grow, change and go while the server runs."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path
from typing import Literal

import pytest

from serving.engine import Engine
from serving.errors import (
    BadInput,
    Conflict,
    InvalidModel,
    LoadOutOfMemory,
    ModelNotFound,
    NoWorker,
    ServerUnavailable,
    VersionInUse,
    VersionNotFound,
)
from serving.model_config import ModelConfig
from serving.observe.metrics import ServerMetrics
from serving.protocol.exchange import RawReply, RawRequest
from serving.registry.repository import find_models
from serving.settings import ServerSettings
from serving.workers.messages import Outcome

HANDLER = """
import os, time
from serving.protocol.exchange import RawReply

class Tag:
    def load(self, context):
        self.tag = "TAG"
        if self.tag == "bad":
            raise ValueError("bad weights")
        if self.tag == "huge":
            raise MemoryError
    def answer(self, requests, send):
        for request in requests:
            time.sleep(float(request.fields.get("seconds", b"0")))
        return [RawReply(f"{self.tag} {os.getpid()}".encode()) for _ in requests]
"""
CPU = ModelConfig(device="cpu")


def put(folder: Path, version: str, tag: str) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    manifest = f'{{"name": "tag", "version": "{version}", "handler": "tag.py:Tag"}}'
    (folder / "manifest.json").write_text(manifest)
    (folder / "tag.py").write_text(HANDLER.replace("TAG", tag))
    return folder


@asynccontextmanager
async def running(
    folder: Path,
    compat: Literal["better", "torchserve"] = "better",
    metrics: ServerMetrics | None = None,
) -> AsyncIterator[Engine]:
    folder.mkdir(exist_ok=True)
    settings = ServerSettings(models_dir=str(folder), defaults=CPU, compat=compat)
    engine = Engine(settings, metrics or ServerMetrics())
    await engine.start()
    try:
        yield engine
    finally:
        await engine.stop(grace_s=0)


async def register(engine: Engine, folder: Path, config: ModelConfig = CPU) -> None:
    (stored,) = find_models(folder)
    await engine.register(stored, config, wait=True)


async def ask(engine: Engine, seconds: float = 0, version: str | None = None) -> tuple[str, int]:
    request = RawRequest({"seconds": str(seconds).encode()})
    tag, pid = (await engine.ask("tag", request, version=version)).body.split()
    return tag.decode(), int(pid)


async def test_model_is_registered_while_the_server_runs(tmp_path: Path) -> None:
    async with running(tmp_path / "none") as engine:
        put(tmp_path / "more" / "tag", "1", "first")
        assert engine.is_ready
        await register(engine, tmp_path / "more", ModelConfig(device="cpu", min_workers=2))
        endpoint = engine.registry.find("tag")
        assert endpoint.is_raw
        assert len(endpoint.describe().workers) == 2
        assert (await ask(engine))[0] == "first"
        with pytest.raises(Conflict, match="version 1 is already registered"):
            await register(engine, tmp_path / "more")
        assert engine.is_ready


@pytest.mark.parametrize(
    ("tag", "kind"), [("bad", InvalidModel), ("huge", LoadOutOfMemory)], ids=["raises", "memory"]
)
async def test_model_that_cannot_be_loaded_is_not_listed(
    tmp_path: Path, tag: str, kind: type[InvalidModel]
) -> None:
    put(tmp_path / "more" / "tag", "1", tag)
    async with running(tmp_path / "none") as engine:
        with pytest.raises(kind):
            await register(engine, tmp_path / "more")
        assert engine.registry.names == []
        assert engine.is_ready


async def test_only_what_is_served_has_metrics(tmp_path: Path) -> None:
    metrics, asleep = ServerMetrics(), ModelConfig(device="cpu", min_workers=0)
    async with running(tmp_path / "none", metrics=metrics) as engine:
        put(tmp_path / "bad" / "tag", "1", "bad")
        with pytest.raises(InvalidModel):
            await register(engine, tmp_path / "bad")
        assert "tag" not in metrics.as_text().decode()
        with pytest.raises(InvalidModel, match="offers no int8"):
            await register(engine, tmp_path / "bad", ModelConfig(device="cpu", precision="int8"))
        assert "tag" not in metrics.as_text().decode()

        put(tmp_path / "more" / "tag", "2", "good")
        await register(engine, tmp_path / "more")
        with pytest.raises(Conflict):
            await register(engine, tmp_path / "more", asleep)
        workers = 'serving_workers{model_name="tag",model_version="2"} 1.0'
        assert workers in metrics.as_text().decode()

        await engine.unregister("tag")
        assert "tag" not in metrics.as_text().decode()


async def test_version_that_comes_back_while_it_is_leaving_keeps_its_metrics(
    tmp_path: Path,
) -> None:
    metrics, asleep = ServerMetrics(), ModelConfig(device="cpu", min_workers=0)
    put(tmp_path / "more" / "tag", "1", "a")
    async with running(tmp_path / "none", metrics=metrics) as engine:
        await register(engine, tmp_path / "more")
        asked = asyncio.create_task(ask(engine, 0.2))
        await asyncio.sleep(0.05)
        leaving = asyncio.create_task(engine.unregister("tag"))
        await asyncio.sleep(0)
        await register(engine, tmp_path / "more", asleep)
        await leaving
        assert (await asked)[0] == "a"
        text = metrics.as_text().decode()
        assert 'serving_workers{model_name="tag",model_version="1"} 0.0' in text
        assert 'serving_requests_total{model_name="tag",model_version="1",result="ok"} 1.0' in text


async def test_model_is_listed_but_harmless_while_it_loads_in_the_background(
    tmp_path: Path,
) -> None:
    put(tmp_path / "more" / "tag", "1", "bad")
    async with running(tmp_path / "none") as engine:
        (stored,) = find_models(tmp_path / "more")
        await engine.register(stored, CPU, wait=False)
        assert engine.registry.names == ["tag"]
        assert engine.is_ready
        with pytest.raises(NoWorker, match="not loaded yet"):
            await ask(engine)
        async with asyncio.timeout(20):
            while engine.registry.names:
                await asyncio.sleep(0.02)


async def test_model_without_workers_waits_to_be_scaled(tmp_path: Path) -> None:
    put(tmp_path / "more" / "tag", "1", "first")
    async with running(tmp_path / "none") as engine:
        await register(engine, tmp_path / "more", ModelConfig(device="cpu", min_workers=0))
        assert engine.is_ready
        with pytest.raises(NoWorker, match="was given none"):
            await ask(engine)
        assert await engine.scale("tag", None, 2, 2, wait=True) == 2
        assert (await ask(engine))[0] == "first"


async def test_no_request_gets_more_workers_than_the_settings_allow(tmp_path: Path) -> None:
    put(tmp_path / "more" / "tag", "1", "first")
    async with running(tmp_path / "none") as engine:
        with pytest.raises(BadInput, match=r"at most 64 workers \(most_workers\), not 65"):
            await register(engine, tmp_path / "more", ModelConfig(device="cpu", min_workers=65))
        assert engine.registry.names == []
        await register(engine, tmp_path / "more")
        with pytest.raises(BadInput, match="at most 64"):
            await engine.scale("tag", None, 1, 10**9, wait=False)
        assert len(engine.registry.find("tag").describe().workers) == 1


async def test_worker_that_is_too_many_finishes_its_work_before_it_goes(tmp_path: Path) -> None:
    put(tmp_path / "tag", "1", "first")
    async with running(tmp_path) as engine:
        await engine.scale("tag", None, 2, 2, wait=True)
        work = [asyncio.create_task(ask(engine, 0.5)) for _ in range(2)]
        await asyncio.sleep(0.1)
        assert await engine.scale("tag", None, 1, 1, wait=False) == 1
        pids = {pid for _, pid in await asyncio.gather(*work)}
        assert len(pids) == 2
        async with asyncio.timeout(10):
            while len(engine.registry.find("tag").describe().workers) > 1:
                await asyncio.sleep(0.02)
        assert (await ask(engine))[1] in pids


async def test_scaling_to_what_cannot_be_started_is_told(tmp_path: Path) -> None:
    folder = put(tmp_path / "tag", "1", "first")
    async with running(tmp_path) as engine:
        put(folder, "1", "bad")
        with pytest.raises(InvalidModel, match="bad weights"):
            await engine.scale("tag", None, 2, 2, wait=True)
        assert (await ask(engine))[0] == "first"


async def test_version_that_goes_answers_what_it_was_asked(tmp_path: Path) -> None:
    put(tmp_path / "tag", "1", "first")
    async with running(tmp_path) as engine:
        (_, pid) = await ask(engine)
        work = [asyncio.create_task(ask(engine, 0.2)) for _ in range(4)]
        await asyncio.sleep(0.05)
        await engine.unregister("tag")
        assert await asyncio.gather(*work) == [("first", pid)] * 4
        with pytest.raises(ModelNotFound):
            await ask(engine)
        with pytest.raises(ModelNotFound):
            await engine.unregister("tag")


async def test_default_version_goes_last(tmp_path: Path) -> None:
    put(tmp_path / "a", "1", "first")
    put(tmp_path / "b", "2", "second")
    async with running(tmp_path) as engine:
        assert (await ask(engine))[0] == "second"
        with pytest.raises(VersionInUse):
            await engine.unregister("tag", "2")
        engine.set_default("tag", "1")
        assert (await ask(engine))[0] == "first"
        await engine.unregister("tag", "2")
        with pytest.raises(VersionNotFound):
            await ask(engine, version="2")
        with pytest.raises(VersionNotFound):
            engine.set_default("tag", "2")


async def test_all_versions_go_together(tmp_path: Path) -> None:
    put(tmp_path / "a", "1", "first")
    put(tmp_path / "b", "2", "second")
    async with running(tmp_path) as engine:
        await engine.unregister_all("tag")
        assert engine.registry.endpoints == []


async def test_first_version_stays_the_default_as_in_torchserve(tmp_path: Path) -> None:
    put(tmp_path / "models" / "a", "1", "first")
    put(tmp_path / "more" / "b", "2", "second")
    async with running(tmp_path / "models", "torchserve") as engine:
        await register(engine, tmp_path / "more")
        assert (await ask(engine))[0] == "first"


async def test_no_request_fails_while_a_model_is_reloaded(tmp_path: Path) -> None:
    folder = put(tmp_path / "tag", "1", "first")
    async with running(tmp_path) as engine:
        old = await ask(engine)
        put(folder, "1", "second")
        tags: list[str] = []

        async def client() -> None:
            while not tags or tags[-1] != "second":
                tags.append((await ask(engine, 0.005))[0])

        slow = asyncio.create_task(ask(engine, 1.0))
        await asyncio.sleep(0.05)
        clients = [asyncio.create_task(client()) for _ in range(4)]
        await engine.reload("tag")
        await asyncio.gather(*clients)
        assert await slow == old
        assert tags.count("second") >= 1
        assert len(engine.registry.find("tag").describe().workers) == 1


async def test_workers_of_before_take_nothing_more_from_the_moment_of_a_reload(
    tmp_path: Path,
) -> None:
    folder = put(tmp_path / "tag", "1", "first")
    async with running(tmp_path) as engine:
        await ask(engine)
        put(folder, "1", "second")
        await engine.reload("tag")
        # Nobody else has come to work since: who leaves may be counted on as little as ever.
        outcomes: list[Outcome] = []
        for _ in range(4):
            engine.registry.find("tag").post(RawRequest({"seconds": b"0.01"}), outcomes.append)
        async with asyncio.timeout(10):
            while len(outcomes) < 4:
                await asyncio.sleep(0.01)
        bodies = [outcome.body for outcome in outcomes if isinstance(outcome, RawReply)]
        assert [body.split()[0] for body in bodies] == [b"second"] * 4


async def test_reload_that_fails_leaves_what_was_served(tmp_path: Path) -> None:
    folder = put(tmp_path / "tag", "1", "first")
    async with running(tmp_path) as engine:
        old = await ask(engine)
        put(folder, "1", "bad")
        with pytest.raises(InvalidModel, match="bad weights"):
            await engine.reload("tag")
        assert await ask(engine) == old
        put(folder, "2", "second")
        with pytest.raises(Conflict, match="holds tag version 2 now, not tag version 1"):
            await engine.reload("tag")
        assert await ask(engine) == old


async def test_reload_keeps_the_number_of_workers(tmp_path: Path) -> None:
    put(tmp_path / "tag", "1", "first")
    async with running(tmp_path) as engine:
        await engine.scale("tag", None, 2, 3, wait=True)
        await engine.reload("tag")
        description = engine.registry.find("tag").describe()
        assert (description.min_workers, description.max_workers) == (2, 3)
        async with asyncio.timeout(20):
            while len(engine.registry.find("tag").describe().workers) < 2:
                await asyncio.sleep(0.02)


async def test_server_that_stops_tells_those_who_wait(tmp_path: Path) -> None:
    put(tmp_path / "tag", "1", "first")
    async with running(tmp_path) as engine:
        work = [asyncio.create_task(ask(engine, 30)) for _ in range(2)]
        await asyncio.sleep(0.1)
        await engine.stop(0)
        for each in work:
            with pytest.raises(ServerUnavailable, match="stopping"):
                await each


async def test_settings_of_a_version_go_before_the_models_and_those_before_the_archives(
    tmp_path: Path,
) -> None:
    for version in ("1", "2"):
        put(tmp_path / version, version, "tag")
    by_name = {"tag": ModelConfig(queue_size=11), "tag:2": ModelConfig(queue_size=22)}
    asked_for = [replace(model, config={"queue_size": 33}) for model in find_models(tmp_path)]
    sizes = []
    for models in (by_name, {}):
        settings = ServerSettings(models_dir=str(tmp_path / "none"), models=models)
        engine = Engine(settings, ServerMetrics())
        for model in asked_for:
            endpoint = await engine.register(model, wait=False)
            sizes.append(endpoint.config.queue_size)
        await engine.stop(0)
    assert sizes == [11, 22, 33, 33]


async def test_model_is_scaled_also_while_it_is_reloaded(tmp_path: Path) -> None:
    put(tmp_path / "tag", "1", "first")
    async with running(tmp_path) as engine:
        reloading = asyncio.create_task(engine.reload("tag"))
        await asyncio.sleep(0.05)
        assert not reloading.done()
        await engine.scale("tag", None, 2, 2, wait=False)
        await reloading
        assert engine.registry.find("tag").describe().min_workers == 2
        async with asyncio.timeout(20):
            while len(engine.registry.find("tag").describe().workers) != 2:
                await asyncio.sleep(0.02)


async def test_model_is_registered_though_who_asked_for_it_is_gone(tmp_path: Path) -> None:
    put(tmp_path / "more" / "tag", "1", "first")
    async with running(tmp_path / "none") as engine:
        asking = asyncio.create_task(register(engine, tmp_path / "more"))
        await asyncio.sleep(0.05)
        asking.cancel()
        await asyncio.wait([asking])
        async with asyncio.timeout(20):
            while not engine.registry.find("tag").is_ready:
                await asyncio.sleep(0.02)
        assert (await ask(engine))[0] == "first"
