import os
from collections.abc import Iterator

import pytest

from serving.observe.tracing import TraceOptions, Tracer, make_tracer
from tests.support_s3 import ObjectServer, object_server
from tests.support_traces import Collector, collector

# Before torch is loaded: on nets this small its threads only wait for one another, and spin.
os.environ.setdefault("OMP_NUM_THREADS", "1")


@pytest.fixture(scope="session")
def objects() -> Iterator[ObjectServer]:
    """An object store, with what is needed to reach it in the environment."""
    with object_server() as server, pytest.MonkeyPatch.context() as patch:
        for name, value in server.environment.items():
            patch.setenv(name, value)
        yield server


@pytest.fixture
def taken() -> Iterator[Collector]:
    """A place where traces are taken."""
    with collector() as taken:
        yield taken


@pytest.fixture
def tracer(taken: Collector) -> Tracer:
    """Sends what it follows there, from forks too."""
    tracer = make_tracer(TraceOptions(service="tested", endpoint=taken.url, is_forking=True))
    assert tracer is not None
    return tracer
