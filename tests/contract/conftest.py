"""The contract: what any server with the models of this folder must answer.

`SERVING_CONTRACT_URL`, with `..._MANAGEMENT_URL` and `..._METRICS_URL`, names a server that already
runs; without it ours is started.
"""

import os
from collections.abc import Iterator

import httpx
import pytest

from tests.support_contract import Server, running_server


@pytest.fixture(scope="session")
def server() -> Iterator[Server]:
    url = os.environ.get("SERVING_CONTRACT_URL")
    if url:
        names = ("SERVING_CONTRACT_MANAGEMENT_URL", "SERVING_CONTRACT_METRICS_URL")
        yield Server(url, *(os.environ[name] for name in names))
        return
    with running_server(SERVING_MAX_REQUEST_BYTES="2000000") as (_, server):
        yield server


@pytest.fixture
def http(server: Server) -> Iterator[httpx.Client]:
    """Speaks with the inference port."""
    with httpx.Client(base_url=server.inference, timeout=20) as client:
        yield client
