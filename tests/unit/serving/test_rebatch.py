"""Batches may be made otherwise while the same workers go on."""

import asyncio
import os
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import numpy as np
import pytest

from serving.admission import RegisterRequest
from serving.audit.log import AuditLog
from serving.audit.settings import AuditSettings
from serving.engine import Engine
from serving.errors import BadInput, Conflict
from serving.management import Management
from serving.model_config import ModelConfig
from serving.observe.metrics import ServerMetrics
from serving.orders import Batches
from serving.settings import ServerSettings
from tests.support_archives import pack

COUNT = """
import os
import numpy as np


class Count:
    def load(self, context):
        pass

    def decode(self, body):
        return {}

    def encode(self, outputs):
        return {}

    def infer(self, batch):
        return [{"together": np.asarray(len(batch)), "pid": np.asarray(os.getpid())} for _ in batch]
"""


@asynccontextmanager
async def serving(folder: Path, config: ModelConfig) -> AsyncIterator[tuple[Engine, Management]]:
    """The model `count`, and beside it the archive `told`, whose handler is told the size."""
    (folder / "count").mkdir()
    (folder / "count" / "manifest.json").write_text(
        '{"name": "count", "handler": "handler.py:Count"}'
    )
    (folder / "count" / "handler.py").write_text(COUNT)
    pack(
        folder / "told.mar",
        {"handler.py": "def handle(data, context):\n    return data and ['ok'] * len(data)\n"},
        modelName="told",
    )
    settings = ServerSettings(models_dir=str(folder), defaults=config, enable_model_api=True)
    engine = Engine(settings, ServerMetrics())
    management = Management(engine, settings, AuditLog(AuditSettings()))
    try:
        for url in ("count", "told.mar"):
            await management.load(RegisterRequest(url=url))
        yield engine, management
    finally:
        await engine.stop(0)


async def ask_at_once(engine: Engine, count: int) -> list[tuple[int, int]]:
    """How many were answered together, by which process; of each answer."""
    endpoint = engine.registry.find("count")
    answers = await asyncio.gather(
        *(endpoint.infer({"x": np.zeros(1, np.float32)}) for _ in range(count))
    )
    return [(int(answer["together"]), int(answer["pid"])) for answer in answers]


@pytest.mark.parametrize("is_sequential", [False, True])
def test_batches_are_of_the_new_size_and_made_by_the_same_worker(
    tmp_path: Path, is_sequential: bool
) -> None:
    # Batches leave when they are full: nobody waits as long as this.
    config = ModelConfig(
        batch_size=2,
        max_batch_delay_ms=60_000,
        batch_wait="always",
        sequence_batching=is_sequential,
    )

    async def main() -> None:
        async with serving(tmp_path, config) as (engine, management):
            before = await ask_at_once(engine, 4)
            assert [together for together, _ in before] == [2] * 4
            status = await management.rebatch("count", None, Batches(4, None))
            assert status.code == 200
            after = await ask_at_once(engine, 4)
            assert [together for together, _ in after] == [4] * 4
            assert {pid for _, pid in after} == {pid for _, pid in before} != {os.getpid()}
            await management.rebatch("count", None, Batches(None, 0))
            (described,) = await management.catalogue.describe("count", None)
            assert (described.batch_size, described.max_batch_delay) == (4, 0)
            assert engine.registry.find("count").config.batch_size == 4

    asyncio.run(main())


def test_size_that_a_handler_was_told_at_its_start_is_not_changed_but_the_delay_is(
    tmp_path: Path,
) -> None:
    async def main() -> None:
        async with serving(tmp_path, ModelConfig(batch_size=2)) as (_, management):
            with pytest.raises(Conflict, match="register it anew"):
                await management.rebatch("told", None, Batches(4, 9))
            await management.rebatch("told", None, Batches(2, 9))
            (described,) = await management.catalogue.describe("told", None)
            assert (described.batch_size, described.max_batch_delay) == (2, 9)
            for batches in (Batches(0, None), Batches(None, -1)):
                with pytest.raises(BadInput):
                    await management.rebatch("told", None, batches)

    asyncio.run(main())
