import msgspec
import pytest
from litestar import Litestar
from litestar.testing import TestClient

from animator.core.documents import AnimationDocument, AnimationRequest
from tests.support_api import GIF, MemoryServices, put_animation, put_drawing

Client = TestClient[Litestar]


def test_animation_is_stored_and_its_job_queued(client: Client, memory: MemoryServices) -> None:
    put_drawing(memory)
    response = client.post("/api/drawings/drawing/animations", json={"motion": "wave"})
    assert response.status_code == 202
    animation = msgspec.json.decode(response.content, type=AnimationDocument)
    assert animation.request == AnimationRequest(motion="wave")
    assert memory.documents.get(AnimationDocument, animation.id) == animation
    assert memory.jobs.queued == [(animation.job, animation.id)]
    assert client.get(response.headers["Location"]).json() == response.json()


@pytest.mark.parametrize(
    ("body", "refusal"),
    [
        pytest.param({"motion": "fly"}, (422, "unknown_motion", "motion"), id="unknown motion"),
        pytest.param(
            {"motion": "wave", "playback": {"then": ["fly"]}},
            (422, "unknown_motion", "motion"),
            id="unknown motion that follows",
        ),
        pytest.param(
            {"motion": "wave", "playback": {"blend": {"motion": "fly"}}},
            (422, "unknown_motion", "motion"),
            id="unknown motion that is mixed in",
        ),
        pytest.param(
            {"playback": {"blend": {"motion": "wave", "share": 2}}},
            (400, "invalid_request", "upload"),
            id="share of a blend",
        ),
        pytest.param({"playback": {"speed": 9}}, (400, "invalid_request", "upload"), id="too fast"),
        pytest.param(
            {"playback": {"trim": [2, 1]}}, (400, "invalid_request", "upload"), id="trim backwards"
        ),
        pytest.param({"side": 65}, (400, "invalid_request", "upload"), id="odd side"),
        pytest.param({"formats": ["avi"]}, (400, "invalid_request", "upload"), id="format"),
        pytest.param({"sides": 64}, (400, "invalid_request", "upload"), id="unknown field"),
        pytest.param([], (400, "invalid_request", "upload"), id="no object"),
        pytest.param(
            {"background": {"kind": "sky"}}, (400, "invalid_request", "upload"), id="background"
        ),
        pytest.param(
            {"background": {"colour": [0, 0, 300]}},
            (400, "invalid_request", "upload"),
            id="colour",
        ),
        pytest.param({"overlays": ["skin"]}, (400, "invalid_request", "upload"), id="overlay"),
        pytest.param({"max_bytes": 10}, (400, "invalid_request", "upload"), id="too few bytes"),
        pytest.param(
            {"background": {"kind": "picture"}}, (400, "invalid_image", "upload"), id="no picture"
        ),
    ],
)
def test_bad_request_is_refused(
    client: Client, memory: MemoryServices, body: object, refusal: tuple[int, str, str]
) -> None:
    put_drawing(memory)
    response = client.post("/api/drawings/drawing/animations", json=body)
    problem = response.json()
    assert (response.status_code, problem["code"], problem["page"]) == refusal
    assert not memory.jobs.queued


def test_playback_is_kept_as_it_was_asked_for(client: Client, memory: MemoryServices) -> None:
    put_drawing(memory)
    playback = {"speed": 1.5, "mirror": True, "trim": [0.5, 2.0], "stay": True, "loop": True}
    playback |= {"then": ["wave"], "blend": {"motion": "wave", "share": 0.25}}
    body = {"motion": "wave", "playback": playback}
    response = client.post("/api/drawings/drawing/animations", json=body)
    assert response.status_code == 202
    kept = response.json()["request"]["playback"]
    assert kept == {**kept, **playback}


def test_looks_are_kept_as_they_were_asked_for(client: Client, memory: MemoryServices) -> None:
    put_drawing(memory)
    assert client.put("/api/drawings/drawing/background", content=GIF).status_code == 204
    background = {"kind": "picture", "colour": [1, 2, 3], "fit": "contain", "shadow": True}
    body = {"background": background, "overlays": ["bones", "mesh"], "max_bytes": 500_000}
    response = client.post("/api/drawings/drawing/animations", json=body)
    assert response.status_code == 202
    kept = response.json()["request"]
    assert {name: kept[name] for name in body} == body


def test_refused_field_is_named(client: Client, memory: MemoryServices) -> None:
    put_drawing(memory)
    response = client.post("/api/drawings/drawing/animations", json={"motion": 3})
    assert "motion" in response.json()["detail"]


def test_drawing_without_figures_is_not_animated(client: Client, memory: MemoryServices) -> None:
    put_drawing(memory, figures=0)
    response = client.post("/api/drawings/drawing/animations", json={})
    assert (response.status_code, response.json()["code"]) == (422, "no_figure_found")


def test_drawing_that_is_still_read_is_not_animated(client: Client, memory: MemoryServices) -> None:
    client.post("/api/drawings", content=b"GIF89a")
    ((_, drawing),) = memory.jobs.queued
    response = client.post(f"/api/drawings/{drawing}/animations", json={})
    assert (response.status_code, response.json()["code"]) == (404, "not_found")


def test_animation_that_cannot_be_queued_is_not_kept(
    client: Client, memory: MemoryServices
) -> None:
    put_drawing(memory)
    memory.jobs.is_away = True
    response = client.post("/api/drawings/drawing/animations", json={})
    assert (response.status_code, response.json()["code"]) == (503, "job_failed")
    assert memory.documents.animations_of("drawing") == ()


def test_animations_of_a_drawing_are_listed(client: Client, memory: MemoryServices) -> None:
    put_drawing(memory)
    assert client.get("/api/drawings/drawing/animations").json() == []
    animation = put_animation(memory, "drawing")
    listed = client.get("/api/drawings/drawing/animations").json()
    assert [item["id"] for item in listed] == [animation.id]
    assert client.get("/api/drawings/other/animations").status_code == 404


def test_deleted_animation_is_gone_with_its_files(client: Client, memory: MemoryServices) -> None:
    put_drawing(memory)
    put_animation(memory, "drawing")
    assert client.delete("/api/animations/animation").status_code == 204
    assert client.get("/api/animations/animation").status_code == 404
    assert client.get("/api/drawings/drawing/animations").json() == []
    assert not [name for name in memory.blobs.blobs if name.startswith("animation.")]
    assert client.delete("/api/animations/animation").json()["code"] == "not_found"


@pytest.mark.parametrize(
    ("name", "media_type"),
    [("file.gif", "image/gif"), ("file.mp4", "video/mp4"), ("file.webm", "video/webm")],
)
def test_file_is_served_in_its_type(
    client: Client, memory: MemoryServices, name: str, media_type: str
) -> None:
    put_animation(memory, "drawing")
    response = client.get(f"/api/animations/animation/{name}")
    assert response.content == b"0123456789"
    assert response.headers["Content-Type"] == media_type
    assert "Content-Disposition" not in response.headers


def test_download_is_named_after_drawing_and_motion(client: Client, memory: MemoryServices) -> None:
    put_drawing(memory)
    put_animation(memory, "drawing")
    response = client.get("/api/animations/animation/file.gif?download=1")
    assert response.headers["Content-Disposition"] == "attachment; filename*=UTF-8''Max-wave.gif"


@pytest.mark.parametrize("name", ["file.avi", "file", "animation.gif"])
def test_other_files_are_not_found(client: Client, memory: MemoryServices, name: str) -> None:
    put_animation(memory, "drawing")
    assert client.get(f"/api/animations/animation/{name}").json()["code"] == "not_found"


@pytest.mark.parametrize(
    ("asked", "sent", "where"),
    [
        pytest.param("bytes=2-4", b"234", "bytes 2-4/10", id="middle"),
        pytest.param("bytes=7-", b"789", "bytes 7-9/10", id="to the end"),
        pytest.param("bytes=0-99", b"0123456789", "bytes 0-9/10", id="past the end"),
        pytest.param("bytes=-3", b"789", "bytes 7-9/10", id="last three"),
        pytest.param("bytes=-99", b"0123456789", "bytes 0-9/10", id="more than all"),
    ],
)
def test_part_of_a_file_is_served(
    client: Client, memory: MemoryServices, asked: str, sent: bytes, where: str
) -> None:
    put_animation(memory, "drawing")
    response = client.get("/api/animations/animation/file.mp4", headers={"Range": asked})
    assert response.status_code == 206
    assert (response.content, response.headers["Content-Range"]) == (sent, where)


@pytest.mark.parametrize("asked", ["bytes=10-", "bytes=10-12", "bytes=-0"])
def test_part_outside_the_file_is_refused(
    client: Client, memory: MemoryServices, asked: str
) -> None:
    put_animation(memory, "drawing")
    response = client.get("/api/animations/animation/file.mp4", headers={"Range": asked})
    assert response.status_code == 416
    assert response.headers["Content-Range"] == "bytes */10"


@pytest.mark.parametrize(
    "headers",
    [
        pytest.param({"Range": "bytes=0-1,4-5"}, id="several parts"),
        pytest.param({"Range": "bytes=a-b"}, id="nonsense"),
        pytest.param({"Range": "bytes=5-2"}, id="end before its beginning"),
        pytest.param({"Range": "bytes=-"}, id="neither beginning nor end"),
        pytest.param({"Range": f"bytes={5000 * '9'}-"}, id="number beyond reason"),
        pytest.param({"Range": "bytes=0-1", "If-Range": '"older"'}, id="part of another version"),
    ],
)
def test_whole_file_is_served_when_no_part_can_be(
    client: Client, memory: MemoryServices, headers: dict[str, str]
) -> None:
    put_animation(memory, "drawing")
    response = client.get("/api/animations/animation/file.mp4", headers=headers)
    assert (response.status_code, response.content) == (200, b"0123456789")


def test_unchanged_file_is_not_sent_again(client: Client, memory: MemoryServices) -> None:
    put_animation(memory, "drawing")
    address = "/api/animations/animation/file.gif"
    tag = client.get(address).headers["ETag"]
    response = client.get(address, headers={"If-None-Match": tag})
    assert (response.status_code, response.content) == (304, b"")
