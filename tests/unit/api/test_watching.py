from collections.abc import Iterator

import pytest
from litestar.testing import TestClient
from prometheus_client import CollectorRegistry

from animator.api.watching import watch_requests
from tests.support_api import MemoryServices, app_over


@pytest.fixture
def registry() -> CollectorRegistry:
    return CollectorRegistry()


@pytest.fixture
def watched(registry: CollectorRegistry) -> Iterator[TestClient]:  # type: ignore[type-arg]
    app = app_over(MemoryServices().as_services())
    with TestClient(watch_requests(app, registry)) as client:
        yield client


def count(registry: CollectorRegistry, method: str, route: str, status: str) -> float | None:
    labels = {"method": method, "route": route, "status": status}
    return registry.get_sample_value("animator_http_requests_total", labels)


def test_requests_are_counted_by_route_not_by_address(
    watched: TestClient,  # type: ignore[type-arg]
    registry: CollectorRegistry,
) -> None:
    for drawing in ("one", "two"):
        assert watched.get(f"/api/drawings/{drawing}").status_code == 404
    watched.get("/api/health")
    assert count(registry, "GET", "/api/drawings/{drawing_id}", "404") == 2
    assert count(registry, "GET", "/api/health", "200") == 1
    labels = {"method": "GET", "route": "/api/health"}
    assert registry.get_sample_value("animator_http_request_seconds_count", labels) == 1
    assert registry.get_sample_value("animator_http_requests_open") == 0


def test_made_up_methods_and_addresses_make_no_series_of_their_own(
    watched: TestClient,  # type: ignore[type-arg]
    registry: CollectorRegistry,
) -> None:
    for number in range(20):
        watched.request(f"X{number}", f"/api/nothing/{number}")
    (family,) = [one for one in registry.collect() if one.name == "animator_http_requests"]
    assert len([sample for sample in family.samples if sample.name.endswith("_total")]) == 1


def test_request_keeps_the_id_that_it_brings_and_gets_one_else(
    watched: TestClient,  # type: ignore[type-arg]
) -> None:
    def id_of(given: str) -> str:
        headers = {"x-request-id": given} if given else {}
        (found,) = watched.get("/api/health", headers=headers).headers.get_list("x-request-id")
        return str(found)

    assert id_of("from-the-proxy.1") == "from-the-proxy.1"
    first, second = id_of(""), id_of("no good\tid")
    assert len(first) == len(second) == 32
    assert first != second
