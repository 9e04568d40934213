from collections.abc import Iterator

import pytest
from redis import Redis

from animator.jobs.connection import connect
from animator.jobs.progress import JobEvents
from tests.support_redis import PrivateRedis, private_redis


@pytest.fixture(scope="package")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[PrivateRedis]:
    with private_redis(tmp_path_factory.mktemp("redis")) as server:
        yield server


@pytest.fixture
def client(server: PrivateRedis) -> Iterator[Redis]:
    with connect(server.url, patience=5.0) as client:
        client.flushall()
        yield client


@pytest.fixture
def events(client: Redis) -> JobEvents:
    return JobEvents(client)
