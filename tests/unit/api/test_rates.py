"""One client may come only so often; others, and other things, are not held up by it."""

from collections import Counter
from dataclasses import dataclass, field

import pytest
from litestar import Litestar
from litestar.testing import TestClient

from animator.api import Access, ApiLimits
from animator.api.rates import name_client
from animator.store.keys import ApiKey
from tests.support_api import MemoryServices

Client = TestClient[Litestar]
PNG = b"\x89PNG\r\n\x1a\n" + b"rest of the picture"


@dataclass
class MemoryCounter:
    counts: Counter[str] = field(default_factory=Counter)
    is_away: bool = False

    async def __call__(self, name: str, seconds: int) -> int | None:
        self.counts[name] += 1
        return None if self.is_away else self.counts[name]

    async def close(self) -> None:
        self.counts.clear()


def find_key(key: str) -> ApiKey | None:
    limits = {"few": 2, "any": 0}
    if key not in limits:
        return None
    return ApiKey(name=key, sha256="0" * 64, per_minute=limits[key])


@pytest.fixture
def counter() -> MemoryCounter:
    return MemoryCounter()


@pytest.fixture
def memory(counter: MemoryCounter) -> MemoryServices:
    return MemoryServices(
        limits=ApiLimits(uploads_a_minute=1, requests_a_minute=3),
        access=Access(find_key=find_key),
        count=counter,
    )


def ask(client: Client, times: int, key: str | None = None) -> list[int]:
    headers = {"Authorization": f"Bearer {key}"} if key else {}
    return [client.get("/api/motions", headers=headers).status_code for _ in range(times)]


def test_who_comes_too_often_is_told_when_to_come_again(client: Client) -> None:
    assert ask(client, 4) == [200, 200, 200, 429]
    response = client.get("/api/motions")
    assert response.json()["code"] == "too_many_requests"
    assert 1 <= int(response.headers["Retry-After"]) <= 60


def test_uploads_are_counted_by_themselves_and_none_is_kept(
    client: Client, memory: MemoryServices
) -> None:
    answers = [client.post("/api/drawings", content=PNG + bytes([i])) for i in range(2)]
    assert [answer.status_code for answer in answers] == [201, 429]
    assert len(memory.blobs.blobs) == 1
    assert ask(client, 1) == [200]


def test_new_cookie_is_no_new_client(client: Client) -> None:
    client.post("/api/drawings", content=PNG)
    client.cookies.clear()
    assert client.post("/api/drawings", content=PNG).status_code == 429


def test_key_has_its_own_limit(client: Client) -> None:
    assert ask(client, 3, "few") == [200, 200, 429]
    assert ask(client, 9, "any") == [200] * 9
    assert ask(client, 1) == [200]


@pytest.mark.parametrize(
    ("host", "key", "name"),
    [
        pytest.param("192.0.2.1", None, "192.0.2.1", id="address"),
        pytest.param("2001:db8:1:2:3::4", None, "2001:db8:1:2::", id="customer with IPv6"),
        pytest.param("2001:db8:1:3::4", None, "2001:db8:1:3::", id="another customer"),
        pytest.param("192.0.2.1", "school", "key-school", id="key, wherever it comes from"),
        pytest.param("", None, "somewhere", id="Unix socket"),
    ],
)
def test_client_is_a_key_or_an_address(host: str, key: str | None, name: str) -> None:
    assert name_client(host, key) == name


def test_requests_pass_when_nobody_can_count(client: Client, counter: MemoryCounter) -> None:
    counter.is_away = True
    assert ask(client, 9) == [200] * 9


def test_page_itself_is_not_counted(client: Client, counter: MemoryCounter) -> None:
    client.get("/")
    client.get("/schema")
    assert not counter.counts
