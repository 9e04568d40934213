"""Whose is what: nobody sees, follows, changes or deletes what is another's."""

import dataclasses
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import msgspec
import pytest
from litestar import Litestar
from litestar.testing import TestClient

from animator.api import Access, ApiLimits, create_app
from animator.api.owners import COOKIE
from animator.core.documents import DrawingDocument, Ownership
from animator.store import FileDocuments
from animator.store.keys import ApiKey, KeyFile
from tests.support_api import MemoryServices, app_over, put_animation

Client = TestClient[Litestar]
PNG = b"\x89PNG\r\n\x1a\n" + b"rest of the picture"


@contextmanager
def another(memory: MemoryServices) -> Iterator[Client]:
    """A second browser at the same server."""
    with TestClient(create_app(memory.as_services())) as client:
        yield client


def upload(client: Client, data: bytes = PNG, **headers: str) -> DrawingDocument:
    response = client.post("/api/drawings?name=a.png", content=data, headers=headers)
    assert response.status_code in (200, 201), response.text
    return msgspec.json.decode(response.content, type=DrawingDocument)


def test_first_upload_gives_a_cookie_that_scripts_and_other_sites_do_not_get(
    client: Client,
) -> None:
    assert "Set-Cookie" not in client.get("/api/drawings").headers
    response = client.post("/api/drawings", content=PNG)
    cookie = response.headers["Set-Cookie"]
    assert cookie.startswith(f"{COOKIE}=")
    assert {"HttpOnly", "Path=/", "SameSite=strict"} <= set(cookie.split("; "))
    assert "Secure" not in cookie.split("; ")


def test_cookie_is_for_tls_only_where_there_is_tls(memory: MemoryServices) -> None:
    app = app_over(memory.as_services())
    with TestClient(app, base_url="https://testserver.local") as client:
        cookie = client.post("/api/drawings", content=PNG).headers["Set-Cookie"]
    assert "Secure" in cookie.split("; ")


def test_cookie_lasts_as_long_as_what_was_handed_in_last() -> None:
    memory = MemoryServices(limits=ApiLimits(keep_days=2))
    with another(memory) as client:
        first, second = (
            client.post("/api/drawings", content=PNG + bytes([i])).headers["Set-Cookie"]
            for i in range(2)
        )
    assert first == second
    assert "Max-Age=172800" in first.split("; ")


def test_token_is_stored_nowhere(client: Client, memory: MemoryServices) -> None:
    drawing = upload(client)
    stored = memory.documents.get(Ownership, drawing.id).owner
    assert client.cookies[COOKIE] not in stored
    assert stored not in client.get(f"/api/drawings/{drawing.id}").text


def test_refused_upload_gives_no_cookie(client: Client) -> None:
    response = client.post("/api/drawings", content=b"no picture")
    assert response.status_code == 415
    assert "Set-Cookie" not in response.headers


def test_cookie_that_is_none_of_ours_is_replaced(client: Client) -> None:
    client.cookies[COOKIE] = "short"
    upload(client)
    tokens = [cookie.value for cookie in client.cookies.jar]
    assert any(len(token or "") == 43 for token in tokens)


@pytest.mark.parametrize(
    ("method", "address"),
    [
        pytest.param("GET", "/api/drawings/{drawing}", id="drawing"),
        pytest.param("DELETE", "/api/drawings/{drawing}", id="delete drawing"),
        pytest.param("GET", "/api/drawings/{drawing}/picture", id="picture"),
        pytest.param("GET", "/api/drawings/{drawing}/everything.zip", id="everything"),
        pytest.param("PUT", "/api/drawings/{drawing}/background", id="background"),
        pytest.param("PUT", "/api/drawings/{drawing}/consent", id="consent"),
        pytest.param("GET", "/api/drawings/{drawing}/animations", id="animations"),
        pytest.param("POST", "/api/drawings/{drawing}/animations", id="animate"),
        pytest.param("GET", "/api/animations/animation", id="animation"),
        pytest.param("GET", "/api/animations/animation/file.gif", id="file"),
        pytest.param("DELETE", "/api/animations/animation", id="delete animation"),
        pytest.param("POST", "/api/animations/animation/shares", id="share"),
        pytest.param("GET", "/api/jobs/{job}", id="job"),
        pytest.param("GET", "/api/jobs/{job}/events", id="news"),
    ],
)
def test_what_is_anothers_is_not_found(
    client: Client, memory: MemoryServices, method: str, address: str
) -> None:
    drawing = upload(client)
    put_animation(memory, drawing.id)
    before = dict(memory.documents.documents)
    with another(memory) as other:
        upload(other, PNG + b"another")
        mine = dict(memory.documents.documents)
        response = other.request(
            method, address.format(drawing=drawing.id, job=drawing.job), json={}
        )
    assert (response.status_code, response.json()["code"]) == (404, "not_found")
    assert memory.documents.documents == mine
    assert before.items() <= mine.items()


def test_each_sees_his_own_drawings_newest_first_and_in_parts(
    client: Client, memory: MemoryServices
) -> None:
    mine = [upload(client, PNG + bytes([i])).id for i in range(5)]
    with another(memory) as other:
        assert other.get("/api/drawings").json() == []
        upload(other)
    seen, address = [], "/api/drawings?limit=2"
    while address:
        response = client.get(address)
        seen.append([drawing["id"] for drawing in response.json()])
        address = response.links.get("next", {}).get("url", "")
    assert [len(part) for part in seen] == [2, 2, 1]
    assert [id for part in seen for id in part] == mine[::-1]


@pytest.mark.parametrize("query", ["limit=0", "limit=101", "limit=x", "after=nope"])
def test_part_that_cannot_be_is_refused(client: Client, query: str) -> None:
    response = client.get(f"/api/drawings?{query}")
    assert (response.status_code, response.json()["code"]) == (400, "invalid_request")


def test_same_bytes_again_are_the_same_drawing_of_one_owner(
    client: Client, memory: MemoryServices
) -> None:
    first = client.post("/api/drawings", content=PNG)
    again = client.post("/api/drawings", files={"file": ("b.png", PNG)})
    assert (first.status_code, again.status_code) == (201, 200)
    assert first.json() == again.json()
    assert len(memory.jobs.queued) == 1
    with another(memory) as other:
        assert upload(other).id != first.json()["id"]


def test_picture_whose_reading_failed_is_read_again(client: Client, memory: MemoryServices) -> None:
    first = upload(client)
    memory.jobs.report(msgspec.structs.replace(memory.jobs.last_event(first.job), state="failed"))
    again = upload(client)
    assert (again.id, again.job != first.job) == (first.id, True)
    assert memory.jobs.queued == [(first.job, first.id), (again.job, first.id)]


def test_picture_that_was_handed_in_by_half_is_its_owners_when_it_comes_again(
    tmp_path: Path,
) -> None:
    memory = MemoryServices()
    documents = FileDocuments(tmp_path)
    services = dataclasses.replace(memory.as_services(), documents=documents)
    with TestClient(app_over(services)) as client, TestClient(create_app(services)) as other:
        drawing = upload(client)
        (tmp_path / "ownerships" / f"{drawing.id}.json").unlink()  # as when the disk was full
        memory.jobs.events.clear()
        assert upload(client).id == drawing.id
        assert documents.get(Ownership, drawing.id).created == drawing.created
        assert other.get(f"/api/drawings/{drawing.id}").status_code == 404


def test_everything_of_one_owner_can_be_forgotten(client: Client, memory: MemoryServices) -> None:
    assert client.get("/api/owner").json()["has_drawings"] is False
    for i in range(3):
        upload(client, PNG + bytes([i]))
    with another(memory) as other:
        kept = upload(other)
        assert client.get("/api/owner").json()["has_drawings"] is True
        response = client.delete("/api/owner")
        assert response.status_code == 204
        assert COOKIE not in client.cookies
        assert other.get(f"/api/drawings/{kept.id}").status_code == 200
    assert list(memory.blobs.blobs) == [kept.upload]


def test_drawing_of_an_earlier_version_belongs_to_who_has_its_id(
    client: Client, memory: MemoryServices
) -> None:
    drawing = upload(client)
    memory.documents.delete(Ownership, drawing.id)
    with another(memory) as other:
        assert other.get(f"/api/drawings/{drawing.id}").status_code == 200


@pytest.fixture
def keys(tmp_path: Path) -> KeyFile:
    return KeyFile(tmp_path / "keys.toml")


def test_holder_of_a_key_is_an_owner_without_a_cookie(keys: KeyFile) -> None:
    memory = MemoryServices(access=Access(find_key=keys.find))
    bearer = {"Authorization": f"Bearer {keys.add('school')}"}
    with another(memory) as client, another(memory) as elsewhere:
        drawing = upload(client, PNG, **bearer)
        assert not client.cookies
        assert client.get(f"/api/drawings/{drawing.id}").status_code == 404
        found = elsewhere.get("/api/drawings", headers=bearer).json()
        assert [one["id"] for one in found] == [drawing.id]


@pytest.mark.parametrize("method", ["GET", "POST"])
def test_wrong_key_is_told(client: Client, method: str) -> None:
    response = client.request(method, "/api/drawings", headers={"Authorization": "Bearer x"})
    assert (response.status_code, response.json()["code"]) == (401, "invalid_key")
    assert response.headers["WWW-Authenticate"] == "Bearer"


def test_list_of_keys_that_cannot_be_read_is_no_fault_of_whoever_asks(
    keys: KeyFile, tmp_path: Path
) -> None:
    (tmp_path / "keys.toml").write_text("[[keys]]\nname = 'x'\n")
    memory = MemoryServices(access=Access(find_key=keys.find))
    with another(memory) as client:
        response = client.get("/api/drawings", headers={"Authorization": "Bearer x"})
    assert (response.status_code, response.json()["code"]) == (503, "storage_unavailable")
    assert str(tmp_path) not in response.text


def test_word_for_a_proxy_is_no_key_of_ours(client: Client) -> None:
    assert client.get("/api/drawings", headers={"Authorization": "Basic eA=="}).json() == []


def test_server_may_take_from_holders_of_keys_only(keys: KeyFile) -> None:
    memory = MemoryServices(access=Access(anonymous=False, find_key=keys.find))
    bearer = {"Authorization": f"Bearer {keys.add('school')}"}
    with another(memory) as client:
        response = client.post("/api/drawings", content=PNG)
        assert (response.status_code, response.json()["code"]) == (401, "key_required")
        assert client.get("/api/motions").status_code == 200
        upload(client, PNG, **bearer)


def test_key_is_kept_as_its_hash(keys: KeyFile, tmp_path: Path) -> None:
    key = keys.add("school", per_minute=5)
    assert key not in (tmp_path / "keys.toml").read_text()
    found = KeyFile(tmp_path / "keys.toml").find(key)
    assert isinstance(found, ApiKey)
    assert (found.name, found.per_minute) == ("school", 5)


def test_removed_key_opens_nothing_at_once(keys: KeyFile) -> None:
    key, other = keys.add("a"), keys.add("b")
    keys.remove("a")
    assert keys.find(key) is None
    assert keys.find(other) is not None
