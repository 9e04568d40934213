"""Consent is given, told and taken back, and only where the server takes it at all."""

import msgspec
import pytest
from litestar import Litestar
from litestar.testing import TestClient

from animator.core.documents import Consent, DrawingDocument
from tests.support_api import MemoryServices, app_over, put_drawing

Client = TestClient[Litestar]
ADDRESS = "/api/drawings/drawing/consent"


@pytest.fixture
def memory() -> MemoryServices:
    memory = MemoryServices(learning=True)
    put_drawing(memory)
    return memory


def test_no_drawing_may_be_learned_from_until_it_is_allowed(
    client: Client, memory: MemoryServices
) -> None:
    assert client.get(ADDRESS).json()["code"] == "not_found"
    response = client.put(ADDRESS)
    assert response.status_code == 200
    given = msgspec.json.decode(response.content, type=Consent)
    assert client.get(ADDRESS).json() == {"given": given.given}
    assert memory.documents.consents() == ("drawing",)


def test_what_was_allowed_can_be_taken_back(client: Client, memory: MemoryServices) -> None:
    client.put(ADDRESS)
    assert [client.delete(ADDRESS).status_code for _ in range(2)] == [204, 204]
    assert client.get(ADDRESS).status_code == 404
    assert memory.documents.consents() == ()
    assert memory.documents.get(DrawingDocument, "drawing").name == "Max.png"


def test_consent_goes_with_its_drawing(client: Client, memory: MemoryServices) -> None:
    client.put(ADDRESS)
    client.delete("/api/drawings/drawing")
    assert memory.documents.consents() == ()


def test_server_that_does_not_learn_takes_no_consent_but_gives_it_back() -> None:
    memory = MemoryServices()
    put_drawing(memory)
    memory.documents.put("drawing", Consent(given=1.0))
    with TestClient(app_over(memory.as_services())) as client:
        answer = client.put(ADDRESS)
        assert (answer.status_code, answer.json()["code"]) == (403, "learning_off")
        assert client.get("/api/health").json()["learning"] is False
        assert client.delete(ADDRESS).status_code == 204
    assert memory.documents.consents() == ()


def test_page_is_told_whether_consent_is_taken(client: Client) -> None:
    assert client.get("/api/health").json()["learning"] is True


def test_unknown_drawing_has_no_consent_to_take_back(client: Client) -> None:
    answer = client.delete("/api/drawings/nope/consent")
    assert (answer.status_code, answer.json()["code"]) == (404, "not_found")
