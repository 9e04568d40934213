from collections.abc import Iterator

import pytest
from litestar import Litestar
from litestar.testing import TestClient

from animator.api import create_app
from tests.support_api import MemoryServices


@pytest.fixture
def memory() -> MemoryServices:
    return MemoryServices()


@pytest.fixture
def client(memory: MemoryServices) -> Iterator[TestClient[Litestar]]:
    with TestClient(create_app(memory.as_services())) as client:
        yield client
