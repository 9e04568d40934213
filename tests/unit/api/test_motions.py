"""Motions of people: handed in, listed, asked for, deleted, each by its owner alone."""

import msgspec
import pytest
from litestar import Litestar
from litestar.testing import TestClient

from animator.api import ApiLimits, create_app
from animator.api.motions import MOST_BYTES, MOST_MOTIONS, OwnMotion
from animator.core.documents import MotionDocument, own_motion_id
from animator.core.job import JobEvent, subject_of
from animator.core.motion import MotionInfo
from tests.support_api import MemoryServices, app_over, put_animation, put_drawing

Client = TestClient[Litestar]
BVH = b"HIERARCHY"


def hand_in(client: Client, name: str = "My cat.bvh", data: bytes = BVH) -> OwnMotion:
    response = client.post("/api/motions", params={"name": name}, content=data)
    assert response.status_code == 201, response.text
    assert response.headers["Location"] == f"/api/motions/{response.json()['name']}"
    return msgspec.json.decode(response.content, type=OwnMotion)


def be_read(memory: MemoryServices, motion: OwnMotion) -> None:
    """What the job does."""
    id = own_motion_id(motion.name) or ""
    info = MotionInfo(
        name=motion.name, title=motion.title, tags=("own",), duration=2.0, fps=30.0, loop=False
    )
    document = memory.documents.get(MotionDocument, id)
    memory.documents.put(id, msgspec.structs.replace(document, info=info))


def names(client: Client) -> list[str]:
    return [motion["name"] for motion in client.get("/api/motions").json()]


def test_motion_is_stored_for_its_owner_and_read_by_a_job(
    client: Client, memory: MemoryServices
) -> None:
    motion = hand_in(client)
    id = own_motion_id(motion.name)
    assert id is not None
    assert (motion.title, subject_of(motion.job)) == ("My cat", id)
    assert memory.jobs.queued == [(motion.job, id)]
    assert memory.blobs.get(f"{id}.bvh") == BVH
    assert memory.documents.get(MotionDocument, id).owner not in client.get("/api/motions").text
    assert client.get(f"/api/jobs/{motion.job}").status_code == 200


@pytest.mark.parametrize(
    ("name", "title"),
    [("..", "motion"), ("../../x.bvh", "x"), ("..\\..", "motion"), (".bvh", "bvh"), ("", "motion")],
)
def test_title_never_leads_out_of_a_folder(client: Client, name: str, title: str) -> None:
    assert hand_in(client, name).title == title


def test_form_is_taken_too(client: Client) -> None:
    response = client.post("/api/motions", files={"file": ("folder/wild.bvh", BVH)})
    assert response.json()["title"] == "wild"


def test_own_motions_come_after_the_library_once_they_are_read(
    client: Client, memory: MemoryServices
) -> None:
    library = ["wave", "jump", "dance"]
    motion = hand_in(client)
    assert names(client) == library
    be_read(memory, motion)
    assert names(client) == [*library, motion.name]
    with TestClient(create_app(memory.as_services())) as other:
        assert names(other) == library


def test_own_motion_can_be_asked_for_by_its_owner_alone(
    client: Client, memory: MemoryServices
) -> None:
    put_drawing(memory)
    motion = hand_in(client)
    wishes = ({"motion": motion.name}, {"figures": {"f0": {"motion": motion.name}}})
    address = "/api/drawings/drawing/animations"
    assert [client.post(address, json=wish).status_code for wish in wishes] == [422, 422]
    be_read(memory, motion)
    assert [client.post(address, json=wish).status_code for wish in wishes] == [202, 202]
    with TestClient(create_app(memory.as_services())) as other:
        hand_in(other)
        for wish in wishes:
            response = other.post(address, json=wish)
            assert (response.status_code, response.json()["code"]) == (422, "unknown_motion")


def test_motion_of_a_figure_that_is_not_there_is_refused(
    client: Client, memory: MemoryServices
) -> None:
    put_drawing(memory)
    wish = {"figures": {"f0": {"motion": "levitate"}}}
    response = client.post("/api/drawings/drawing/animations", json=wish)
    assert (response.status_code, response.json()["code"]) == (422, "unknown_motion")


def test_parts_of_figures_are_kept_as_they_were_asked_for(
    client: Client, memory: MemoryServices
) -> None:
    put_drawing(memory)
    part = {"motion": "jump", "mirror": True, "start": 1.5, "speed": 2.0}
    wish = {"motion": "wave", "figures": {"f0": part}}
    response = client.post("/api/drawings/drawing/animations", json=wish)
    assert response.json()["request"]["figures"] == {"f0": part}


def test_previews_are_made_when_there_is_nothing_else_to_do(
    client: Client, memory: MemoryServices
) -> None:
    put_drawing(memory)
    address = "/api/drawings/drawing/animations"
    first = client.post(address, json={"formats": ["previews"]}).json()
    client.post(address, json={"formats": ["track"]})
    assert memory.jobs.later == [first["id"]]


def test_files_are_called_after_the_file_of_the_motion(
    client: Client, memory: MemoryServices
) -> None:
    put_drawing(memory)
    motion = hand_in(client)
    animation = put_animation(memory, "drawing")
    request = msgspec.structs.replace(animation.request, motion=motion.name)
    memory.documents.put(animation.id, msgspec.structs.replace(animation, request=request))
    saved = f"/api/animations/{animation.id}/file.gif?download=1"
    assert "Max-My%20cat.gif" in client.get(saved).headers["Content-Disposition"]
    assert client.delete(f"/api/motions/{motion.name}").status_code == 204
    assert "Max-motion.gif" in client.get(saved).headers["Content-Disposition"]


def test_motion_is_deleted_with_its_file_and_by_its_owner_alone(
    client: Client, memory: MemoryServices
) -> None:
    motion = hand_in(client)
    address = f"/api/motions/{motion.name}"
    with TestClient(create_app(memory.as_services())) as other:
        assert other.delete(address).status_code == 404
        assert other.get(f"/api/jobs/{motion.job}").status_code == 404
    assert client.delete(address).status_code == 204
    assert memory.blobs.blobs == {}
    assert client.delete(address).status_code == 404
    assert client.get(f"/api/jobs/{motion.job}").status_code == 404


@pytest.mark.parametrize("name", ["wave", "own-", "own-nobody", "nothing"])
def test_what_is_no_own_motion_cannot_be_deleted(client: Client, name: str) -> None:
    hand_in(client)
    assert client.delete(f"/api/motions/{name}").status_code == 404


@pytest.mark.parametrize("as_form", [True, False], ids=["form", "body"])
@pytest.mark.parametrize("size", [0, MOST_BYTES + 1, 30_000_000], ids=["none", "5 MB", "30 MB"])
def test_file_of_no_size_or_too_much_is_refused(client: Client, size: int, as_form: bool) -> None:
    data = b"x" * size
    if as_form:
        response = client.post("/api/motions", files={"file": ("a.bvh", data)})
    else:
        response = client.post("/api/motions?name=a.bvh", content=data)
    assert (response.status_code, response.json()["code"]) == (422, "invalid_motion")
    assert "5 MB" in response.json()["detail"]


def test_nobody_has_more_than_fifty(client: Client) -> None:
    for _ in range(MOST_MOTIONS):
        hand_in(client)
    response = client.post("/api/motions?name=a.bvh", content=BVH)
    assert (response.status_code, response.json()["code"]) == (422, "invalid_motion")
    assert "Delete one" in response.json()["detail"]


def test_motion_is_not_kept_when_no_work_is_taken(client: Client, memory: MemoryServices) -> None:
    memory.jobs.is_away = True
    assert client.post("/api/motions?name=a.bvh", content=BVH).status_code == 503
    assert (memory.blobs.blobs, memory.documents.documents) == ({}, {})


def test_motion_is_kept_as_long_as_drawings_are() -> None:
    memory = MemoryServices(limits=ApiLimits(keep_days=2))
    with TestClient(app_over(memory.as_services())) as client:
        motion = hand_in(client)
    assert motion.expires == motion.created + 2 * 24 * 3600


def test_everything_of_an_owner_is_forgotten_with_his_motions(
    client: Client, memory: MemoryServices
) -> None:
    hand_in(client)
    assert client.delete("/api/owner").status_code == 204
    assert memory.blobs.blobs == {}
    assert not [kind for kind, _ in memory.documents.documents if kind is MotionDocument]


def test_problem_of_the_job_names_what_it_is_about(client: Client, memory: MemoryServices) -> None:
    motion = hand_in(client)
    failed = msgspec.convert(
        {
            "job": motion.job,
            "state": "failed",
            "step": "reading",
            "progress": 0.0,
            "problem": {
                "code": "unmapped_motion",
                "message": "It cannot be told.",
                "page": "motion",
                "about": ["left_hand"],
            },
        },
        JobEvent,
    )
    memory.jobs.report(failed)
    told = client.get(f"/api/jobs/{motion.job}").json()
    assert told["problem"]["about"] == ["left_hand"]
