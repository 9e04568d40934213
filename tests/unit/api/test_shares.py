"""A share shows one animation to everybody who knows its address, until its end."""

import time

import msgspec
import pytest
from litestar import Litestar
from litestar.testing import TestClient

from animator.core.documents import DrawingDocument, Share
from tests.support_api import MemoryServices, app_over, put_animation

Client = TestClient[Litestar]
PNG = b"\x89PNG\r\n\x1a\n" + b"rest of the picture"
DAY = 24 * 3600


@pytest.fixture
def drawing(client: Client, memory: MemoryServices) -> DrawingDocument:
    response = client.post("/api/drawings", content=PNG)
    drawing = msgspec.json.decode(response.content, type=DrawingDocument)
    put_animation(memory, drawing.id)
    return drawing


@pytest.fixture
def share(client: Client, drawing: DrawingDocument) -> str:
    response = client.post("/api/animations/animation/shares", json={"days": 7})
    assert response.status_code == 201, response.text
    assert response.json()["url"] == f"/shared/{response.json()['id']}"
    assert response.json()["expires"] == pytest.approx(time.time() + 7 * DAY, abs=60)
    return str(response.json()["id"])


@pytest.fixture
def stranger(memory: MemoryServices) -> Client:
    return TestClient(app_over(memory.as_services()))


def test_stranger_sees_the_animation_and_nothing_of_its_owner(
    stranger: Client, drawing: DrawingDocument, share: str
) -> None:
    answer = stranger.get(f"/api/shares/{share}")
    assert answer.json()["motion"] == "wave"
    assert (answer.json()["width"], answer.json()["height"]) == (64, 48)
    urls = {file["format"]: file["url"] for file in answer.json()["files"]}
    assert stranger.get(urls["gif"]).content == b"0123456789"
    assert stranger.get(urls["track"]).status_code == 200
    assert drawing.id not in answer.text
    assert "animation" not in answer.text.replace("/api/shares", "")
    assert "Set-Cookie" not in answer.headers


def test_only_files_of_that_animation_are_shared(stranger: Client, share: str) -> None:
    for name in ("file.exe", "picture", "..%2Fanimation"):
        assert stranger.get(f"/api/shares/{share}/{name}").status_code == 404
    assert stranger.get("/api/animations/animation").status_code == 404


def test_owner_lists_and_ends_his_shares_and_nobody_else_does(
    client: Client, stranger: Client, share: str
) -> None:
    assert [one["id"] for one in client.get("/api/animations/animation/shares").json()] == [share]
    assert stranger.get("/api/animations/animation/shares").status_code == 404
    assert stranger.delete(f"/api/shares/{share}").status_code == 404
    assert stranger.get(f"/api/shares/{share}").status_code == 200
    assert client.delete(f"/api/shares/{share}").status_code == 204
    assert stranger.get(f"/api/shares/{share}").status_code == 404
    assert stranger.get(f"/api/shares/{share}/file.gif").status_code == 404


def test_share_whose_time_is_over_shows_nothing(
    client: Client, stranger: Client, memory: MemoryServices, share: str
) -> None:
    stored = memory.documents.get(Share, share)
    memory.documents.put(share, msgspec.structs.replace(stored, expires=time.time() - 1))
    assert stranger.get(f"/api/shares/{share}").status_code == 404
    assert stranger.get(f"/api/shares/{share}/file.gif").status_code == 404
    assert client.get("/api/animations/animation/shares").json() == []


@pytest.mark.parametrize("address", ["/api/drawings/{}", "/api/animations/animation"])
def test_share_goes_with_what_it_shows(
    client: Client, stranger: Client, drawing: DrawingDocument, share: str, address: str
) -> None:
    assert client.delete(address.format(drawing.id)).status_code == 204
    assert stranger.get(f"/api/shares/{share}").status_code == 404


def test_share_ends_with_its_drawing_at_the_latest(
    client: Client, memory: MemoryServices, drawing: DrawingDocument
) -> None:
    memory.documents.put(drawing.id, msgspec.structs.replace(drawing, expires=time.time() + DAY))
    answer = client.post("/api/animations/animation/shares", json={})
    assert answer.json()["expires"] == pytest.approx(time.time() + DAY, abs=60)


@pytest.mark.parametrize("days", [0, 366, "x"])
def test_time_of_a_share_has_limits(client: Client, drawing: DrawingDocument, days: object) -> None:
    answer = client.post("/api/animations/animation/shares", json={"days": days})
    assert (answer.status_code, answer.json()["code"]) == (400, "invalid_request")
