"""Ensembles whose steps ask a model that is being released."""

import asyncio
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest

from serving.model_config import ModelConfig
from serving.observe.origin import ORIGIN, Origin
from serving.protocol.asker import Client
from serving.releases.plan import SplitPlan, Sticky
from serving.workers.messages import Item
from serving.workers.runs import OnAnswer, OnChunk
from serving.workflow import ensemble_pool
from serving.workflow.ensembles import serve_ensemble
from tests.unit.serving.releases.conftest import ITEM, House

ENSEMBLE = """
name = "e"
inputs = [{name = "x", datatype = "FP32", shape = [1]}]
outputs = [{name = "y", datatype = "FP32", shape = [1], value = "one.x"}]
[[steps]]
name = "one"
model = "m"
inputs = {x = "x"}
"""
SPLIT = SplitPlan(
    model="m",
    stable="1.0",
    weights={"1.0": 1, "1.1": 1},
    sticky=Sticky(by="header", name="x-user"),
)


async def test_items_of_one_batch_are_answered_by_the_versions_of_their_own_clients(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ensemble_pool, "_CAPACITY", 1)
    sizes: list[int] = []
    post = ensemble_pool.EnsemblePool.post

    def noted(
        self: ensemble_pool.EnsemblePool,
        items: Sequence[Item],
        on_answer: OnAnswer,
        on_chunk: OnChunk | None = None,
    ) -> object:
        sizes.append(len(items))
        return post(self, items, on_answer, on_chunk)

    monkeypatch.setattr(ensemble_pool.EnsemblePool, "post", noted)
    house = House(tmp_path, models={"e": ModelConfig(batch_size=8)})
    await house.add("1.0", lambda _: {"x": np.full(1, 1.0, np.float32)})
    await house.add("1.1", lambda _: {"x": np.full(1, 1.1, np.float32)})
    (tmp_path / "e").mkdir()
    (tmp_path / "e" / "ensemble.toml").write_text(ENSEMBLE)
    await serve_ensemble(house.engine, tmp_path / "e")
    await house.releases.begin(SPLIT, by="management")

    async def within(client: Client) -> str:
        ORIGIN.set(Origin("r", None, (client,)))
        return f"{(await house.engine.infer('e', ITEM))['y'][0]:.1f}"

    clients = [Client({"x-user": str(number)}) for number in range(40)]
    answered = await asyncio.gather(*map(within, clients))
    assert max(sizes) > 1
    assert answered == [await house.ask(client) for client in clients]
    await house.releases.stop()
    await house.engine.stop(0)
