"""Servers of two versions without processes, and what they are released by."""

import asyncio
import time
from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from serving.archive.folder import open_folder
from serving.engine import Engine
from serving.model_config import ModelConfig
from serving.observe.metrics import ServerMetrics
from serving.protocol.asker import NOBODY, Asker
from serving.protocol.tensors import Tensors
from serving.releases.events import ReleaseEvent
from serving.releases.releases import Releases
from serving.settings import ServerSettings
from serving.workers.messages import Item, Outcome
from tests.unit.serving.releases.support_pool import FunctionPool

ITEM: Tensors = {"x": np.zeros(1, np.float32)}


def put_model(folder: Path, version: str) -> Path:
    model = folder / f"m-{version}"
    model.mkdir(parents=True)
    text = f'{{"name": "m", "version": "{version}", "handler": "handler.py:H"}}'
    (model / "manifest.json").write_text(text)
    return model


class House:
    """A server's models and releases; `pools` by version do the work."""

    def __init__(self, folder: Path, **settings: Any) -> None:
        self.folder = folder
        self.settings = ServerSettings(releases_file=str(folder / "releases.json"), **settings)
        self.events: list[ReleaseEvent] = []
        self.pools: dict[str, FunctionPool] = {}
        self.metrics = ServerMetrics()
        self.engine = Engine(self.settings, self.metrics)
        self.releases = Releases(self.engine, self.settings, self)

    def note(self, event: ReleaseEvent) -> None:
        self.events.append(event)

    async def add(
        self, version: str, function: Callable[[Item], Outcome] = lambda _: ITEM, **config: Any
    ) -> None:
        model = self.folder / f"m-{version}"
        if not model.exists():
            put_model(self.folder, version)
        pool = self.pools[version] = FunctionPool(function)
        await self.engine.register(open_folder(model), ModelConfig(**config), pool=pool)

    async def ask(self, asker: Asker = NOBODY) -> str:
        """The version that answers, well or not."""
        endpoint, choice = self.engine.registry.choose("m", None, asker)
        work = endpoint.infer(ITEM)
        if choice is not None:
            work = choice.watch(work, lambda other: other.infer(ITEM))
        await asyncio.gather(work, return_exceptions=True)
        return endpoint.manifest.version

    async def ask_many(self, count: int) -> list[str]:
        return [await self.ask() for _ in range(count)]

    async def ask_and_look(self, count: int) -> None:
        """Ask so often, and look after every fifth answer."""
        for _ in range(count // 5):
            await self.ask_many(5)
            self.look()

    def look(self, after_s: float = 0.0) -> None:
        self.releases.course.look(time.monotonic() + after_s)


async def reopened(house: House, **settings: Any) -> House:
    """The same server after a restart."""
    await house.releases.stop()
    await house.engine.stop(0)
    again = House(house.folder, **settings)
    again.releases.restore()
    for version in house.pools:
        await again.add(version)
    await again.releases.start()
    return again


@pytest.fixture
async def house(tmp_path: Path) -> AsyncIterator[House]:
    """Serves 1.0 and 1.1 of the model m; 1.1, the highest, answers where none is named."""
    found = House(tmp_path)
    await found.add("1.0")
    await found.add("1.1")
    yield found
    await found.releases.stop()
    await found.engine.stop(0)
