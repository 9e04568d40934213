import errno
import tempfile

import msgspec
import pytest
from litestar import Litestar
from litestar.testing import TestClient

from animator.api import ApiLimits
from animator.core.annotation import Annotation
from animator.core.documents import DrawingDocument
from tests.support_api import GIF, MemoryServices, app_over, put_animation
from tests.support_serve import draw_doll

Client = TestClient[Litestar]
PNG = b"\x89PNG\r\n\x1a\n" + b"rest of the picture"


def upload(client: Client, name: str = "Max.png", data: bytes = PNG) -> DrawingDocument:
    response = client.post("/api/drawings", files={"file": (name, data)})
    assert response.status_code == 201
    return msgspec.json.decode(response.content, type=DrawingDocument)


def test_upload_is_stored_and_its_job_queued(client: Client, memory: MemoryServices) -> None:
    drawing = upload(client)
    assert drawing.name == "Max.png"
    assert memory.blobs.blobs == {drawing.upload: PNG}
    assert memory.documents.get(DrawingDocument, drawing.id) == drawing
    assert memory.jobs.queued == [(drawing.job, drawing.id)]


def test_upload_answers_with_the_address_of_the_drawing(client: Client) -> None:
    response = client.post("/api/drawings?name=a.png", content=PNG)
    assert response.status_code == 201
    address = response.headers["Location"]
    assert client.get(address).json() == response.json()
    assert response.json()["name"] == "a.png"


def test_ids_cannot_be_guessed(client: Client) -> None:
    ids = {upload(client, data=PNG + bytes([i])).id for i in range(20)}
    assert len(ids) == 20
    assert all(len(id) >= 22 for id in ids)


@pytest.mark.parametrize(
    ("given", "kept"),
    [
        pytest.param("../../etc/passwd", "passwd", id="unix path"),
        pytest.param("C:\\Users\\me\\cat.jpg", "cat.jpg", id="windows path"),
        pytest.param("a\nb\x00.png", "ab.png", id="control characters"),
        pytest.param("", "drawing", id="no name"),
        pytest.param("x" * 500, "x" * 120, id="too long"),
        pytest.param("Fünf Füße.png", "Fünf Füße.png", id="not ascii"),
    ],
)
def test_name_is_kept_for_showing_only(client: Client, given: str, kept: str) -> None:
    response = client.post("/api/drawings", params={"name": given}, content=PNG)
    assert response.json()["name"] == kept


@pytest.mark.parametrize(
    ("body", "status", "code"),
    [
        pytest.param(b"", 400, "invalid_image", id="empty"),
        pytest.param(b"hello", 415, "unsupported_image", id="text"),
        pytest.param(PNG + b"x" * 2000, 413, "image_too_large", id="too large"),
        pytest.param(PNG + b"x" * 200_000, 413, "image_too_large", id="far too large"),
    ],
)
@pytest.mark.parametrize("as_form", [True, False], ids=["form", "body"])
def test_bad_upload_is_refused_and_nothing_stored(
    body: bytes, status: int, code: str, as_form: bool
) -> None:
    memory = MemoryServices(limits=ApiLimits(upload_bytes=1000))
    with TestClient(app_over(memory.as_services())) as client:
        if as_form:
            response = client.post("/api/drawings", files={"file": ("a.png", body)})
        else:
            response = client.post("/api/drawings", content=body)
    assert (response.status_code, response.json()["code"]) == (status, code)
    assert response.headers["Content-Type"] == "application/problem+json"
    assert not memory.blobs.blobs
    assert not memory.jobs.queued


@pytest.mark.parametrize(
    "form",
    [
        pytest.param({"files": {"other": ("a.png", PNG)}}, id="other field"),
        pytest.param({"data": {"file": "text"}, "files": {"x": ("x", b"x")}}, id="no file"),
    ],
)
def test_form_without_a_file_is_refused(client: Client, form: dict[str, object]) -> None:
    response = client.post("/api/drawings", **form)  # type: ignore[arg-type]
    assert (response.status_code, response.json()["code"]) == (400, "invalid_image")


# The framework lets go of the half file without closing it; it is in memory still.
@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
def test_form_for_which_there_is_no_room_is_told_as_a_full_disk(
    client: Client, memory: MemoryServices, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fill_up(*_: object, **__: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(tempfile, "TemporaryFile", fill_up)
    large = PNG + b"x" * 2_000_000
    response = client.post("/api/drawings", files={"file": ("a.png", large)})
    assert (response.status_code, response.json()["code"]) == (503, "storage_unavailable")
    assert "Retry-After" in response.headers
    assert tempfile.gettempdir() not in response.text
    assert not memory.blobs.blobs


def test_broken_form_is_refused(client: Client) -> None:
    headers = {"Content-Type": "multipart/form-data; boundary=x"}
    response = client.post("/api/drawings", content=b"--x\r\nnonsense", headers=headers)
    assert response.status_code == 400
    assert response.json()["code"] in {"invalid_image", "invalid_request"}


def test_picture_is_not_found_until_read(client: Client, memory: MemoryServices) -> None:
    drawing = upload(client)
    address = f"/api/drawings/{drawing.id}/picture"
    assert client.get(address).json()["code"] == "not_found"
    memory.blobs.put("upright", b"jpeg bytes")
    read = msgspec.structs.replace(drawing, picture="upright", width=4, height=3)
    memory.documents.put(drawing.id, read)
    response = client.get(address)
    assert response.content == b"jpeg bytes"
    assert response.headers["Content-Type"] == "image/jpeg"
    assert "private" in response.headers["Cache-Control"]


def test_annotation_is_served_as_stored(client: Client, memory: MemoryServices) -> None:
    drawing = upload(client)
    address = f"/api/drawings/{drawing.id}/annotation"
    assert client.get(address).status_code == 404
    annotation = Annotation(width=4, height=3, figures=())
    memory.documents.put(drawing.id, annotation)
    assert msgspec.json.decode(client.get(address).content, type=Annotation) == annotation


def test_deleted_drawing_leaves_nothing_behind(client: Client, memory: MemoryServices) -> None:
    drawing = upload(client)
    memory.documents.put(drawing.id, Annotation(width=4, height=3, figures=()))
    animation = put_animation(memory, drawing.id)
    response = client.delete(f"/api/drawings/{drawing.id}")
    assert (response.status_code, response.content) == (204, b"")
    assert not memory.documents.documents
    assert not memory.blobs.blobs
    assert client.get(f"/api/animations/{animation.id}").status_code == 404


def test_background_is_kept_replaced_and_goes_with_its_drawing(
    client: Client, memory: MemoryServices
) -> None:
    drawing = upload(client)
    address = f"/api/drawings/{drawing.id}/background"
    assert client.put(address, content=draw_doll()).status_code == 204
    assert client.put(address, files={"file": ("sky.gif", GIF)}).status_code == 204
    assert memory.blobs.blobs == {drawing.upload: PNG, f"{drawing.id}.background": GIF}
    client.delete(f"/api/drawings/{drawing.id}")
    assert memory.blobs.blobs == {}


def test_background_of_which_metadata_cannot_be_taken_away_is_not_kept(
    client: Client, memory: MemoryServices
) -> None:
    drawing = upload(client)
    refused = client.put(f"/api/drawings/{drawing.id}/background", content=b"II*\0tiff")
    assert (refused.status_code, refused.json()["code"]) == (415, "unsupported_image")
    assert memory.blobs.blobs == {drawing.upload: PNG}


def test_picture_is_stored_without_what_else_its_file_told(
    client: Client, memory: MemoryServices
) -> None:
    told = b"!\xfe\x05where\x00"  # a comment (GIF89a, section 24)
    drawing = upload(client, data=GIF[:-1] + told + GIF[-1:])
    client.put(f"/api/drawings/{drawing.id}/background", content=GIF[:-1] + told + GIF[-1:])
    assert memory.blobs.blobs == {drawing.upload: GIF, f"{drawing.id}.background": GIF}


def test_background_that_is_no_picture_or_of_no_drawing_is_not_kept(
    client: Client, memory: MemoryServices
) -> None:
    drawing = upload(client)
    refused = client.put(f"/api/drawings/{drawing.id}/background", content=b"text")
    assert refused.json()["code"] == "unsupported_image"
    lost = client.put("/api/drawings/nope/background", content=PNG)
    assert (lost.status_code, lost.json()["code"]) == (404, "not_found")
    assert memory.blobs.blobs == {drawing.upload: PNG}


def test_upload_that_cannot_be_queued_is_not_kept(client: Client, memory: MemoryServices) -> None:
    memory.jobs.is_away = True
    response = client.post("/api/drawings", content=PNG)
    assert (response.status_code, response.json()["code"]) == (503, "job_failed")
    assert not memory.blobs.blobs
    assert not memory.documents.documents


def test_deleting_what_is_not_there_is_not_found(client: Client) -> None:
    assert client.delete("/api/drawings/nope").json()["code"] == "not_found"
