from collections.abc import Iterator

import pytest

from tests.support_s3 import ObjectServer, object_server


@pytest.fixture(scope="session")
def objects() -> Iterator[ObjectServer]:
    """An object store, with what is needed to reach it in the environment."""
    with object_server() as server, pytest.MonkeyPatch.context() as patch:
        for name, value in server.environment.items():
            patch.setenv(name, value)
        yield server
