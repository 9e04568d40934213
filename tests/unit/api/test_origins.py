"""Changes are taken from our own page, from named origins and from programs; from nobody else."""

import pytest
from litestar import Litestar
from litestar.testing import TestClient

from animator.api import Access
from tests.support_api import MemoryServices, app_over

Client = TestClient[Litestar]
PNG = b"\x89PNG\r\n\x1a\n" + b"rest of the picture"
FRIEND = "https://friend.example"


@pytest.mark.parametrize(
    ("headers", "is_taken"),
    [
        pytest.param({}, True, id="program"),
        pytest.param({"Sec-Fetch-Site": "same-origin"}, True, id="our page"),
        pytest.param({"Sec-Fetch-Site": "none"}, True, id="address typed in"),
        pytest.param({"Sec-Fetch-Site": "cross-site"}, False, id="other site"),
        pytest.param({"Sec-Fetch-Site": "same-site"}, False, id="other host of the site"),
        pytest.param({"Origin": "http://testserver.local"}, True, id="our page in old browser"),
        pytest.param({"Origin": "https://evil.example"}, False, id="other in old browser"),
        pytest.param({"Origin": "null"}, False, id="file or sandbox"),
        pytest.param({"Origin": "http://["}, False, id="no address at all"),
        pytest.param(
            {"Origin": "https://evil.example", "Sec-Fetch-Site": "cross-site"}, False, id="both"
        ),
    ],
)
def test_page_of_another_site_changes_nothing(
    client: Client, memory: MemoryServices, headers: dict[str, str], is_taken: bool
) -> None:
    response = client.post("/api/drawings", content=PNG, headers=headers)
    if is_taken:
        assert response.status_code == 201
    else:
        assert (response.status_code, response.json()["code"]) == (403, "foreign_origin")
        assert not memory.blobs.blobs


def test_looking_is_no_change(client: Client) -> None:
    assert client.get("/api/motions", headers={"Sec-Fetch-Site": "cross-site"}).is_success


def test_named_origin_may_use_the_api_and_no_other() -> None:
    memory = MemoryServices(access=Access(origins=(FRIEND,)))
    foreign = {"Origin": FRIEND, "Sec-Fetch-Site": "cross-site"}
    with TestClient(app_over(memory.as_services())) as client:
        asked = client.options(
            "/api/drawings",
            headers={**foreign, "Access-Control-Request-Method": "POST"},
        )
        answer = client.post("/api/drawings", content=PNG, headers=foreign)
        other = client.get("/api/motions", headers={"Origin": "https://evil.example"})
    assert asked.headers["Access-Control-Allow-Origin"] == FRIEND
    assert answer.status_code == 201
    assert answer.headers["Access-Control-Allow-Origin"] == FRIEND
    assert answer.headers["Access-Control-Allow-Credentials"] == "true"
    assert "Access-Control-Allow-Origin" not in other.headers


def test_no_other_origin_is_named_by_default(client: Client) -> None:
    response = client.get("/api/motions", headers={"Origin": FRIEND})
    assert "Access-Control-Allow-Origin" not in response.headers
