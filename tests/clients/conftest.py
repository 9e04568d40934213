"""One server for all these tests; it takes shared memory, and models are loaded and unloaded."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support_clients import MODELS, Addresses, server_for_clients


@pytest.fixture(scope="session")
def addresses() -> Iterator[Addresses]:
    with server_for_clients(
        SERVING_CLIENT_SHARED_MEMORY="true",
        SERVING_ENABLE_MODEL_API="true",
        SERVING_TOKEN_AUTHORIZATION="off",
        SERVING_MAX_REQUEST_BYTES="4000000",
    ) as found:
        yield found


@pytest.fixture
def echo(tmp_path: Path) -> Path:
    """A folder with one model, which starts sooner than six."""
    models = tmp_path / "models"
    models.mkdir()
    (models / "echo").symlink_to(MODELS / "echo")
    return models
