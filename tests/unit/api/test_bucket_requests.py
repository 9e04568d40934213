"""How often a bucket is asked for what a page asks for, and that what is deleted is seen."""

import secrets
from collections.abc import Iterator

import msgspec
import pytest
from litestar import Litestar
from litestar.testing import TestClient

from animator.api import ApiServices, create_app
from animator.core.documents import AnimationDocument, AnimationRequest, DrawingDocument
from animator.store.opening import Stores, open_stores
from tests.support_api import WEB_FOLDER, MemoryJobs
from tests.support_breaker import Breaker, breaking
from tests.support_s3 import ObjectServer
from tests.support_stores import QUICK

Client = TestClient[Litestar]
PNG = b"\x89PNG\r\n\x1a\n" + b"rest of the picture"


@pytest.fixture(scope="module")
def breaker(objects: ObjectServer) -> Iterator[Breaker]:
    with breaking(objects.url) as breaker:
        yield breaker


@pytest.fixture
def stores(objects: ObjectServer, breaker: Breaker) -> Stores:
    place = objects.place(f"{secrets.token_hex(4)}/")
    return open_stores(msgspec.structs.replace(place, endpoint=breaker.url), QUICK)


def serve(stores: Stores) -> Client:
    jobs = MemoryJobs()
    services = ApiServices(
        documents=stores.documents,
        blobs=stores.blobs,
        queue=jobs,
        follow=jobs.follow,
        motions=(),
        web_folder=WEB_FOLDER,
    )
    return TestClient(create_app(services))


def upload(client: Client, number: int = 0) -> DrawingDocument:
    response = client.post("/api/drawings", content=PNG + bytes([number]))
    return msgspec.json.decode(response.content, type=DrawingDocument)


def put_animation(stores: Stores, drawing: str) -> None:
    made = AnimationDocument(
        id="a1", drawing=drawing, request=AnimationRequest(), job=f"{drawing}.j", created=2.0
    )
    stores.documents.put("a1", made)


def asked(client: Client, breaker: Breaker, address: str) -> int:
    """How many requests reach the bucket for one of a client."""
    breaker.seen = []
    assert client.get(address).status_code == 200
    return len(breaker.seen)


def test_owner_is_asked_for_once(stores: Stores, breaker: Breaker) -> None:
    with serve(stores) as client:
        drawing = upload(client)
        put_animation(stores, drawing.id)
        asked(client, breaker, "/api/animations/a1")
        for address in (
            f"/api/drawings/{drawing.id}",
            f"/api/jobs/{drawing.job}",
            "/api/animations/a1",
        ):
            assert asked(client, breaker, address) == 1, address


def test_list_is_one_request_and_one_for_each_drawing(stores: Stores, breaker: Breaker) -> None:
    with serve(stores) as client:
        ids = [upload(client, number).id for number in range(5)]
        assert asked(client, breaker, "/api/drawings") == 6
        assert [drawing["id"] for drawing in client.get("/api/drawings").json()] == ids[::-1]


def test_what_another_process_deletes_is_gone_here(stores: Stores, breaker: Breaker) -> None:
    with serve(stores) as client, serve(stores) as other:
        drawing = upload(client)
        put_animation(stores, drawing.id)
        mine = f"/api/drawings/{drawing.id}"
        addresses = (mine, f"/api/jobs/{drawing.job}", "/api/animations/a1")
        for address in addresses:
            asked(client, breaker, address)
        other.cookies = client.cookies
        assert other.delete(mine).status_code == 204
        for address in addresses:
            assert client.get(address).status_code == 404, address


def test_what_is_remembered_shows_nobody_what_is_anothers(stores: Stores, breaker: Breaker) -> None:
    with serve(stores) as client:
        drawing = upload(client)
        put_animation(stores, drawing.id)
        job = client.post("/api/motions", content=b"HIERARCHY").json()["job"]
        addresses = (f"/api/drawings/{drawing.id}", "/api/animations/a1", f"/api/jobs/{job}")
        for address in addresses:
            asked(client, breaker, address)
        client.cookies.clear()
        upload(client, 1)
        for address in addresses:
            assert client.get(address).status_code == 404, address
