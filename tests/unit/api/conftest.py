from collections.abc import Iterator

import pytest
from litestar import Litestar
from litestar.testing import TestClient

from tests.support_api import MemoryServices, app_over


@pytest.fixture
def memory() -> MemoryServices:
    return MemoryServices()


@pytest.fixture
def client(memory: MemoryServices) -> Iterator[TestClient[Litestar]]:
    with TestClient(app_over(memory.as_services())) as client:
        yield client
