"""Decoding and encoding in processes of their own."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import pytest

from serving.engine import Engine
from serving.errors import BadInput, DeadlineExceeded, InferenceFailed, InvalidModel, WorkerDied
from serving.model_config import ModelConfig
from serving.observe.metrics import ServerMetrics
from serving.protocol.exchange import RawRequest
from serving.settings import ServerSettings

HANDLER = """
import os, time
import numpy as np

class Coded:
    def load(self, context):
        self.factor = 2
        self.gate = context.model_dir + "/gate"
    def prepare(self, context):
        self.name = context.model_name
    def decode(self, body):
        if body == b"die":
            os._exit(6)
        if body == b"slow":
            time.sleep(1)
            body = b"1"
        if body == b"nap":
            return {"x": np.array([1.0]), "decoder": np.array(os.getpid()), "nap": np.zeros(1)}
        return {"x": np.array([float(body)]), "decoder": np.array(os.getpid())}
    def infer(self, batch):
        if any("nap" in item for item in batch):
            while not os.path.exists(self.gate):
                time.sleep(0.01)
        if any(item["x"][0] == 13 for item in batch):
            raise ArithmeticError("13")
        pid = np.array(os.getpid())
        return [{"y": item["x"] * self.factor, "worker": pid, **item} for item in batch]
    def encode(self, outputs):
        if outputs["y"][0] == 8:
            raise KeyError("eight")
        numbers = {name: int(outputs[name]) for name in ("decoder", "worker")}
        return {"y": float(outputs["y"][0]), "encoder": os.getpid(), "name": self.name, **numbers}
"""


@asynccontextmanager
async def running(
    folder: Path,
    handler: str = HANDLER,
    decode_workers: int = 2,
    metrics: ServerMetrics | None = None,
    **fields: Any,
) -> AsyncIterator[Engine]:
    (folder / "coded").mkdir()
    (folder / "coded" / "manifest.json").write_text('{"name": "coded", "handler": "c.py:Coded"}')
    (folder / "coded" / "c.py").write_text(handler)
    config = ModelConfig(device="cpu", decode_workers=decode_workers, **fields)
    settings = ServerSettings(models_dir=str(folder), defaults=config)
    engine = Engine(settings, metrics or ServerMetrics())
    await engine.start()
    try:
        yield engine
    finally:
        await engine.stop(grace_s=0)


async def ask(engine: Engine, body: str, timeout_s: float | None = None) -> dict[str, Any]:
    request = RawRequest({"body": body.encode()})
    reply = await engine.ask("coded", request, timeout_s=timeout_s)
    assert reply.content_type == "application/json"
    answer: dict[str, Any] = msgspec.json.decode(reply.body)
    return answer


async def test_bodies_are_decoded_and_answers_encoded_apart_from_the_model(tmp_path: Path) -> None:
    async with running(tmp_path, batch_size=4) as engine:
        await asyncio.sleep(0.5)
        answers = await asyncio.gather(*(ask(engine, str(n)) for n in range(4, 12) if n != 4))
        assert [answer["y"] for answer in answers] == [10, 12, 14, 16, 18, 20, 22]
        (worker,) = {answer["worker"] for answer in answers}
        helpers = {answer[kind] for answer in answers for kind in ("decoder", "encoder")}
        assert worker not in helpers
        assert 1 <= len(helpers) <= 2
        assert {answer["name"] for answer in answers} == {"coded"}


async def test_time_of_decoding_and_encoding_apart_is_counted(tmp_path: Path) -> None:
    metrics = ServerMetrics()
    async with running(tmp_path, metrics=metrics) as engine:
        await ask(engine, "5")
    lines = metrics.as_text().decode().splitlines()
    for part in ("preprocess", "postprocess"):
        # Once beside the worker, and once by it, which reads and writes the tensors.
        name = f'serving_{part}_seconds_count{{model_name="coded",model_version="1"}}'
        assert f"{name} 2.0" in lines


async def test_tensors_go_to_the_model_directly(tmp_path: Path) -> None:
    async with running(tmp_path) as engine:
        outputs = await engine.infer("coded", {"x": np.array([3.0])})
        assert outputs["y"].tolist() == [6.0]


@pytest.mark.parametrize(
    ("body", "kind", "text"),
    [
        ("text", BadInput, "could not convert"),
        ("13", InferenceFailed, "ArithmeticError"),
        ("4", InferenceFailed, "KeyError: 'eight'"),
        ("die", WorkerDied, "exit code 6"),
    ],
    ids=["undecodable", "infer", "encode", "decoder dies"],
)
async def test_bad_item_fails_alone(
    tmp_path: Path, body: str, kind: type[Exception], text: str
) -> None:
    async with running(tmp_path, batch_size=4) as engine:
        asked = (ask(engine, each) for each in ("1", body, "2"))
        first, bad, last = await asyncio.gather(*asked, return_exceptions=True)
        assert isinstance(first, dict)
        assert isinstance(last, dict)
        assert isinstance(bad, kind)
        assert text in str(bad)
        assert (await ask(engine, "5"))["y"] == 10


async def test_decoding_counts_against_the_clients_time(tmp_path: Path) -> None:
    async with running(tmp_path) as engine:
        with pytest.raises(DeadlineExceeded):
            await ask(engine, "slow", timeout_s=0.2)
        assert (await ask(engine, "5"))["y"] == 10


async def test_reload_replaces_them_too(tmp_path: Path) -> None:
    async with running(tmp_path, decode_workers=1) as engine:
        before = await ask(engine, "1")
        code = HANDLER.replace('"y": float(', '"y": 100 + float(')
        (tmp_path / "coded" / "c.py").write_text(code)
        await engine.reload("coded")
        after = await ask(engine, "1")
        assert (before["y"], after["y"]) == (2, 102)
        assert after["encoder"] != before["encoder"]


async def test_request_that_was_decoded_before_a_reload_is_answered(tmp_path: Path) -> None:
    async with running(tmp_path, decode_workers=1) as engine:
        work = asyncio.create_task(ask(engine, "nap"))
        await asyncio.sleep(0.2)
        await engine.reload("coded")
        assert not work.done()
        (tmp_path / "coded" / "gate").touch()
        assert (await work)["y"] == 2


async def test_model_is_not_started_without_them(tmp_path: Path) -> None:
    code = HANDLER.replace("self.name = context.model_name", "raise ValueError('not today')")
    with pytest.raises(InvalidModel, match="not today"):
        async with running(tmp_path, code):
            raise AssertionError("it must not start")
