import asyncio
import functools
from collections.abc import Iterator
from pathlib import Path

import pytest

from animator.jobs.connection import connect_async
from animator.store import counter as counter_module
from animator.store.counter import RedisCounter
from tests.support_redis import PrivateRedis, private_redis


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[PrivateRedis]:
    with private_redis(tmp_path_factory.mktemp("redis")) as server:
        yield server


def counter(server: PrivateRedis) -> RedisCounter:
    return RedisCounter(functools.partial(connect_async, server.url))


async def test_several_processes_count_together_and_miss_nothing(
    server: PrivateRedis, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(counter_module, "_PATIENCE", 30.0)  # on a busy machine too
    ones = [counter(server) for _ in range(3)]
    try:
        counts = await asyncio.gather(*(one("somebody", 1000) for one in ones for _ in range(10)))
        assert sorted(counts, key=int) == list(range(1, 31))  # type: ignore[arg-type]
        assert await ones[0]("another", 1000) == 1
    finally:
        for one in ones:
            await one.close()


async def test_counting_begins_anew_with_the_next_window(server: PrivateRedis) -> None:
    one = counter(server)
    try:
        assert await one("quick", 1) == 1
        await asyncio.sleep(1.05)
        assert await one("quick", 1) == 1
    finally:
        await one.close()


async def test_counter_says_so_when_redis_is_away(tmp_path: Path) -> None:
    one = RedisCounter(functools.partial(connect_async, f"unix://{tmp_path}/none.sock"))
    assert await one("somebody", 60) is None
    await one.close()
