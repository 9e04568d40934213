"""A served model that keeps an SLO: its refusals, what the metrics tell, and its workers."""

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import numpy as np
import pytest

from serving.admission import Admission, RegisterRequest
from serving.engine import Engine
from serving.errors import BadInput, WouldBeLate
from serving.http.problems import problem_of
from serving.model_config import ModelConfig
from serving.observe.metrics import ServerMetrics
from serving.protocol.exchange import RawRequest
from serving.protocol.tensors import Tensors
from serving.registry.endpoint import Endpoint
from serving.settings import ServerSettings

NAP = """
import time

import numpy as np

class Nap:
    def load(self, context):
        pass

    def decode(self, body):
        time.sleep(0.05)
        return {"seconds": np.asarray(float(body), np.float32)}

    def encode(self, outputs):
        return float(outputs["seconds"])

    def infer(self, batch):
        time.sleep(sum(float(item["seconds"]) for item in batch))
        return list(batch)
"""


def nap(seconds: float) -> Tensors:
    return {"seconds": np.asarray(seconds, np.float32)}


def write_nap(folder: Path) -> None:
    (folder / "nap").mkdir()
    (folder / "nap" / "manifest.json").write_text(
        json.dumps({"name": "nap", "version": "1", "handler": "handler.py:Nap"})
    )
    (folder / "nap" / "handler.py").write_text(NAP)


@asynccontextmanager
async def serving(
    folder: Path, config: ModelConfig
) -> AsyncIterator[tuple[Endpoint, ServerMetrics]]:
    write_nap(folder)
    metrics = ServerMetrics()
    engine = Engine(ServerSettings(models_dir=str(folder), defaults=config), metrics)
    await engine.start()
    try:
        yield engine.registry.find("nap"), metrics
    finally:
        await engine.stop(0)


def test_who_would_be_late_is_refused_at_once_and_counted(tmp_path: Path) -> None:
    config = ModelConfig(slo_p99_ms=400, batch_size=4, max_batch_delay_ms=0)

    async def main() -> None:
        async with serving(tmp_path, config) as (endpoint, metrics):
            for _ in range(3):
                await endpoint.infer(nap(0.001))
            long = asyncio.create_task(endpoint.infer(nap(1.2)))
            # It should have been done long ago, and who knows when it will be.
            await asyncio.sleep(0.6)
            with pytest.raises(WouldBeLate) as refused:
                await endpoint.infer(nap(0.001))
            await long
            problem = problem_of(refused.value)
            assert (problem.status, problem.code) == (429, "slo")
            assert problem.retry_after_s == 1
            labels = 'model_name="nap",model_version="1"'
            lines = metrics.as_text().decode().splitlines()
            for line in (
                f'serving_shed_total{{{labels},reason="slo"}} 1.0',
                f'serving_requests_total{{{labels},result="slo"}} 1.0',
                f"serving_slo_seconds{{{labels}}} 0.4",
                f"serving_slo_late_total{{{labels}}} 1.0",
                f"serving_tuned_delay_seconds{{{labels}}} 0.0",
            ):
                assert line in lines
            parts = [line for line in lines if line.startswith("serving_batch_cost_seconds{")]
            assert len(parts) == 2

    asyncio.run(main())


def test_worker_is_added_before_the_slo_would_be_broken(tmp_path: Path) -> None:
    # Nobody waits for a minute where two seconds are the most; by that alone none would be added.
    config = ModelConfig(slo_p99_ms=2000, max_workers=2, scale_up_ms=60_000, batch_size=1)

    async def main() -> None:
        async with serving(tmp_path, config) as (endpoint, metrics):
            asked = [asyncio.create_task(endpoint.infer(nap(0.8))) for _ in range(2)]
            await asyncio.gather(*asked, return_exceptions=True)
            for _ in range(400):
                if 'serving_workers{model_name="nap",model_version="1"} 2' in (
                    metrics.as_text().decode()
                ):
                    return
                await asyncio.sleep(0.05)
            raise AssertionError("no worker was added")

    asyncio.run(main())


def test_what_is_decoded_beside_the_workers_is_a_part_of_the_time(tmp_path: Path) -> None:
    config = ModelConfig(slo_p99_ms=10_000, max_batch_delay_ms=20_000, decode_workers=1)

    async def main() -> None:
        async with serving(tmp_path, config) as (endpoint, metrics):
            name = 'serving_tuned_delay_seconds{model_name="nap",model_version="1"} '
            for _ in range(2):
                reply = await endpoint.ask(RawRequest({"body": b"0.001"}))
                assert float(reply.body) == pytest.approx(0.001)
            tuner = endpoint._queue.tuner
            assert tuner.due(100.0, 200.0) <= 110.0 - 0.05
            (line,) = [
                line for line in metrics.as_text().decode().splitlines() if line.startswith(name)
            ]
            assert 0 < float(line.removeprefix(name)) < 10

    asyncio.run(main())


@pytest.mark.parametrize(("said", "kept"), [(120, 120.0), (0, None), (None, 50.0)])
def test_registration_says_its_slo(tmp_path: Path, said: int | None, kept: float | None) -> None:
    write_nap(tmp_path)
    settings = ServerSettings(models_dir=str(tmp_path), defaults=ModelConfig(slo_p99_ms=50))
    request = RegisterRequest(url="nap", slo_p99_ms=said)
    admitted = asyncio.run(Admission(settings).admit(request))
    assert admitted.config.slo_p99_ms == kept


def test_registration_with_an_slo_that_is_no_time_is_refused(tmp_path: Path) -> None:
    write_nap(tmp_path)
    admission = Admission(ServerSettings(models_dir=str(tmp_path)))
    with pytest.raises(BadInput, match="slo_p99_ms"):
        asyncio.run(admission.admit(RegisterRequest(url="nap", slo_p99_ms=-5)))
