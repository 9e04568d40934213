"""Who may let a version's workers go, and when: a release that ends, beside one that begins."""

import asyncio
from collections.abc import Callable

import pytest

from serving.errors import InvalidModel
from serving.releases import course
from serving.releases.plan import CanaryPlan
from tests.unit.serving.releases.conftest import House

CANARY = CanaryPlan(model="m", version="1.1", stable="1.0", steps=(0.99,))


@pytest.fixture(autouse=True)
def _rest_looks_at_each_turn_of_the_loop(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(course, "_DRAIN_CHECK_S", 0)


class Gate:
    """Holds a version's pool up while it gets workers."""

    def __init__(self, house: House, version: str) -> None:
        self.pool = house.pools[version]
        self.pool.min_workers = 0
        self.has_come = asyncio.Event()
        self.opened: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._scale = self.pool.scale
        self.pool.scale = self.scale  # type: ignore[method-assign]

    async def scale(self, min_workers: int, max_workers: int, *, wait: bool) -> int:
        self.has_come.set()
        await self.opened
        return await self._scale(min_workers, max_workers, wait=wait)


async def turns(is_over: Callable[[], bool] = lambda: False) -> None:
    """Let everything that can go on do so."""
    for _ in range(100):
        if is_over():
            return
        await asyncio.sleep(0)


async def leave_to_rest(house: House) -> list[asyncio.Task[str]]:
    """End a release whose new version still owes answers; who waits for them."""
    await house.releases.begin(CANARY, by="management")
    house.pools["1.1"].is_held = True
    asking = [asyncio.create_task(house.ask()) for _ in range(5)]
    await turns()
    house.releases.steering.abort("m", by="management")
    return asking


async def answer(house: House, asking: list[asyncio.Task[str]]) -> None:
    house.pools["1.1"].is_held = False
    for each in house.pools["1.1"].held:
        each()
    await asyncio.gather(*asking)
    await turns()


async def test_version_does_not_rest_while_another_of_its_next_release_is_still_woken(
    house: House,
) -> None:
    asking = await leave_to_rest(house)
    gate = Gate(house, "1.0")
    beginning = asyncio.create_task(house.releases.begin(CANARY, by="management"))
    await gate.has_come.wait()
    await answer(house, asking)
    gate.opened.set_result(None)
    report = await beginning
    await turns()
    assert report.state == "running"
    assert [house.pools[version].min_workers for version in ("1.0", "1.1")] == [1, 1]
    assert "1.1" in await house.ask_many(5)


async def test_version_rests_after_all_where_its_next_release_does_not_begin(house: House) -> None:
    asking = await leave_to_rest(house)
    gate = Gate(house, "1.0")
    beginning = asyncio.create_task(house.releases.begin(CANARY, by="management"))
    await gate.has_come.wait()
    await answer(house, asking)
    gate.opened.set_exception(InvalidModel("it cannot be loaded"))
    with pytest.raises(InvalidModel):
        await beginning
    await turns(lambda: house.pools["1.1"].min_workers == 0)
    assert house.pools["1.1"].min_workers == 0


async def test_version_that_cannot_be_woken_is_not_tried_for_ever(
    house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    pool = house.pools["1.1"]
    await house.releases.begin(CANARY, by="management")
    house.releases.steering.abort("m", by="management")
    await turns(lambda: pool.min_workers == 0)

    async def scale(min_workers: int, max_workers: int, *, wait: bool) -> int:
        # As a real one, which tries again and again what cannot be started.
        pool.min_workers, pool.max_workers = min_workers, max_workers
        if wait:
            raise InvalidModel("it cannot be loaded")
        return 0

    monkeypatch.setattr(pool, "scale", scale)
    with pytest.raises(InvalidModel):
        await house.releases.begin(CANARY, by="management")
    await turns(lambda: pool.min_workers == 0)
    assert pool.min_workers == 0
    assert not house.engine.registry.find("m", "1.1").is_wanted


async def test_version_that_is_woken_for_longer_than_it_may_drain_keeps_its_workers(
    house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(course, "_DRAIN_S", 0.05)
    asking = await leave_to_rest(house)
    gate = Gate(house, "1.0")
    beginning = asyncio.create_task(house.releases.begin(CANARY, by="management"))
    await gate.has_come.wait()
    await asyncio.sleep(0.06)
    await answer(house, asking)
    gate.opened.set_result(None)
    await beginning
    assert house.pools["1.1"].min_workers == 1
