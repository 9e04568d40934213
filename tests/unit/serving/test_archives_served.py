"""Archives of TorchServe's kind in worker processes, asked through the engine."""

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from serving.archive.archive import Registration, open_archive
from serving.engine import Engine
from serving.errors import InferenceFailed, InvalidModel
from serving.model_config import ModelConfig
from serving.observe.metrics import ServerMetrics
from serving.protocol.exchange import RawRequest
from serving.settings import ServerSettings
from tests.support_archives import pack
from tests.support_networks import save_onnx
from tests.support_wheels import tiny_wheel


@asynccontextmanager
async def served(
    path: Path, registration: Registration | None = None, **config: Any
) -> AsyncIterator[Engine]:
    """One archive, served by one worker."""
    stored = open_archive(path, path.parent / "work", registration=registration)
    folder = path.parent / "none"
    folder.mkdir()
    engine = Engine(ServerSettings(models_dir=str(folder)), ServerMetrics())
    await engine.start()
    try:
        said = {"device": "cpu", **stored.config, **config}
        await engine.register(stored, ModelConfig(**said), wait=True)
        yield engine
    finally:
        await engine.stop(grace_s=0)


def request(body: bytes, **headers: str) -> RawRequest:
    return RawRequest({"body": body}, headers=headers, request_id=f"id-{body.decode()}")


async def text(engine: Engine, asked: RawRequest) -> str:
    return (await engine.ask("m", asked)).body.decode()


async def test_a_worker_is_at_home_in_the_archive_and_loads_no_torch(tmp_path: Path) -> None:
    code = """
import os, sys
import helper_of_m
from ts.context import Context

class Home:
    def initialize(self, context: Context):
        self.folder = context.system_properties["model_dir"]
    def handle(self, data, context):
        return [[os.getcwd() == self.folder, helper_of_m.NAME, "torch" in sys.modules]]
"""
    path = pack(tmp_path / "m.mar", {"handler.py": code, "helper_of_m.py": "NAME = 'near'\n"})
    async with served(path) as engine:
        assert json.loads(await text(engine, request(b"1"))) == [True, "near", False]


async def test_a_bad_request_fails_alone_in_its_batch(tmp_path: Path) -> None:
    code = """
def handle(data, context):
    if data is None:
        return
    if any(row["body"] == b"bad" for row in data):
        raise ValueError("it is bad")
    return [f"{row['body'].decode()} of {len(data)}" for row in data]
"""
    path = pack(tmp_path / "m.mar", {"handler.py": code})
    async with served(path, batch_size=3, max_batch_delay_ms=2000, batch_wait="always") as engine:
        asked = [engine.ask("m", request(body)) for body in (b"a", b"bad", b"c")]
        first, bad, last = await asyncio.gather(*asked, return_exceptions=True)
    assert isinstance(bad, InferenceFailed)
    assert str(bad) == "Prediction failed: ValueError: it is bad"
    assert not isinstance(first, BaseException)
    assert not isinstance(last, BaseException)
    assert (first.body, last.body) == (b"a of 1", b"c of 1")


async def test_a_streamed_reply_comes_in_parts(tmp_path: Path) -> None:
    code = """
from ts.handler_utils.utils import send_intermediate_predict_response

def handle(data, context):
    if data is None:
        return
    for part in ("one ", "two "):
        send_intermediate_predict_response([part], context.request_ids, "", 200, context)
    return ["three"]
"""
    async with served(pack(tmp_path / "m.mar", {"handler.py": code})) as engine:
        reply = await engine.ask("m", request(b"1"))
        assert reply.rest is not None
        parts = [reply.body, *[part async for part in reply.rest]]
    assert b"".join(parts) == b"one two three"
    assert ("ts_stream_next", "true") in reply.headers


async def test_with_continuous_batching_a_short_request_overtakes_a_long_one(
    tmp_path: Path,
) -> None:
    code = """
import time
counts = {}
def handle(data, context):
    if data is None:
        return
    time.sleep(0.02)
    for i, row in enumerate(data):
        counts[context.get_request_id(i)] = counts.get(context.get_request_id(i), 0) + 1
    done = [counts[context.get_request_id(i)] for i in range(len(data))]
    wanted = [int(row["body"]) for row in data]
    context.stopping_criteria = [lambda _, i=i: done[i] >= wanted[i] for i in range(len(data))]
    return [f"{n}/{len(data)} " for n in done]
"""
    path = pack(
        tmp_path / "m.mar",
        {"handler.py": code, "model-config.yaml": "continuousBatching: true\nbatchSize: 4\n"},
        configFile="model-config.yaml",
    )
    ended: list[str] = []

    async def whole(engine: Engine, body: bytes) -> str:
        reply = await engine.ask("m", request(body))
        parts = [reply.body]
        if reply.rest is not None:
            parts += [part async for part in reply.rest]
        ended.append(body.decode())
        return b"".join(parts).decode()

    async with served(path) as engine:
        long_one = asyncio.create_task(whole(engine, b"30"))
        await asyncio.sleep(0.1)
        short = await whole(engine, b"3")
        long = await long_one
    assert ended == ["3", "30"]
    assert [part.split("/")[0] for part in short.split()] == ["1", "2", "3"]
    assert len(long.split()) == 30
    assert "/2" in short  # it ran beside the long one


async def test_a_sequence_is_told_to_its_handler(tmp_path: Path) -> None:
    code = """
sums = {}
def handle(data, context):
    if data is None:
        return
    answers = []
    for i, row in enumerate(data):
        name = context.get_sequence_id(i)
        if context.get_request_header(i, context.header_key_sequence_start) == "true":
            sums[name] = 0
        sums[name] += int(row["body"])
        answers.append(f"{name} {sums[name]}")
    return answers
"""
    path = pack(tmp_path / "m.mar", {"handler.py": code})
    async with served(path, sequence_batching=True) as engine:
        answers = []
        for name, body, start in (
            ("a", b"1", "true"),
            ("b", b"10", "true"),
            ("a", b"2", "false"),
            ("b", b"20", "false"),
        ):
            headers = {"ts_request_sequence_id": name, "ts_request_sequence_start": start}
            answers.append(await text(engine, request(body, **headers)))
    assert answers == ["a 1", "b 10", "a 3", "b 30"]


async def test_a_model_has_its_own_packages(tmp_path: Path) -> None:
    files: dict[str, str | bytes] = {
        "handler.py": "import tinydep\ndef handle(d, c):\n    return d and [str(tinydep.VALUE)]\n",
        "requirements.txt": "--no-index\n--find-links .\ntinydep==1.0\n",
        "tinydep-1.0-py3-none-any.whl": tiny_wheel(),
    }
    path = pack(tmp_path / "m.mar", files, requirementsFile="requirements.txt")
    async with served(path, Registration(is_installing=True)) as engine:
        assert await text(engine, request(b"1")) == "7"


async def test_a_handler_that_cannot_be_initialised_says_why(tmp_path: Path) -> None:
    code = "def handle(data, context):\n    raise OSError('the weights are elsewhere')\n"
    with pytest.raises(InvalidModel, match="the weights are elsewhere"):
        async with served(pack(tmp_path / "m.mar", {"handler.py": code})):
            pass


async def test_a_bare_file_answers_tensors_and_bodies(tmp_path: Path) -> None:
    path = save_onnx(tmp_path / "m.onnx")
    async with served(path, batch_size=4) as engine:
        outputs = await engine.infer("m", {"x": np.array([1, 1], np.float32)})
        assert outputs["sum"].tolist() == [3.5]
        assert json.loads(await text(engine, request(b"[0, 1]"))) == {
            "sum": [2.5],
            "twice": [0.0, 2.0],
        }
