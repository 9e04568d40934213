"""Corrections over HTTP: what is changed, of which revision, and what is sought again."""

import dataclasses
import threading
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import pytest
from litestar import Litestar
from litestar.testing import TestClient

from animator.core.annotation import Annotation, FigureAnnotation
from animator.core.documents import AnimationDocument
from animator.core.job import JobEvent
from animator.core.mask import Mask, run_lengths_from_mask
from animator.core.rigging import TEMPLATES, lay_out
from animator.store import FileDocuments
from tests.support_api import MemoryServices, app_over, put_drawing

Client = TestClient[Litestar]
FIGURES = "/api/drawings/drawing/figures"
ANNOTATION = "/api/drawings/drawing/annotation"
FIRST = {"If-Match": '"0"'}
NOTHING = msgspec.to_builtins(run_lengths_from_mask(Mask(np.zeros((20, 20), np.bool_))))


@pytest.fixture(autouse=True)
def drawing(memory: MemoryServices) -> None:
    put_drawing(memory, figures=2)


def mask_of(height: int, width: int) -> dict[str, Any]:
    lengths = run_lengths_from_mask(Mask(np.ones((height, width), np.bool_)))
    return msgspec.to_builtins(lengths)  # type: ignore[no-any-return]


def skeleton_in(width: float, height: float) -> dict[str, Any]:
    return msgspec.to_builtins(lay_out("biped", (0.0, 0.0, width, height)))  # type: ignore[no-any-return]


def patch(client: Client, change: Any, revision: int = 0, figure: str = "f0") -> Any:
    tag = {"If-Match": f'"{revision}"'}
    return client.patch(f"{FIGURES}/{figure}", json=change, headers=tag)


def figure_of(response: Any, id: str = "f0") -> FigureAnnotation:
    annotation = msgspec.json.decode(response.content, type=Annotation)
    return next(figure for figure in annotation.figures if figure.id == id)


def test_annotation_is_tagged_with_its_revision(client: Client) -> None:
    response = client.get(ANNOTATION)
    assert response.headers["ETag"] == '"0"'
    assert response.headers["Cache-Control"] == "private, no-cache"
    again = client.get(ANNOTATION, headers={"If-None-Match": response.headers["ETag"]})
    assert (again.status_code, again.content) == (304, b"")
    assert again.headers["ETag"] == '"0"'


def test_figure_that_was_missed_is_added_and_sought(client: Client, memory: MemoryServices) -> None:
    response = client.post(FIGURES, json={"box": [22, 2, 38, 28]}, headers=FIRST)
    assert (response.status_code, response.headers["ETag"]) == (201, '"1"')
    annotation = msgspec.json.decode(response.content, type=Annotation)
    assert annotation == memory.documents.get(Annotation, "drawing")
    added = annotation.figures[2]
    assert added.id not in {"f0", "f1"}
    assert (added.score, added.mask, added.skeleton) == (1.0, None, None)
    assert memory.jobs.queued == [(annotation.job, "drawing")]


def test_drawing_in_which_none_was_found_gets_its_figure(
    client: Client, memory: MemoryServices
) -> None:
    memory.documents.documents.clear()
    put_drawing(memory, figures=0)
    address = "/api/drawings/drawing/animations"
    assert client.post(address, json={"motion": "wave"}).json()["code"] == "no_figure_found"
    drawn = client.post(FIGURES, json={"box": [1, 2, 21, 22]}, headers=FIRST)
    (figure,) = msgspec.json.decode(drawn.content, type=Annotation).figures
    assert client.post(address, json={"motion": "wave"}).json()["code"] == "not_ready"
    found = {"mask": mask_of(20, 20), "skeleton": skeleton_in(20, 20)}
    assert patch(client, found, 1, figure.id).status_code == 200
    assert client.post(address, json={"motion": "wave"}).status_code == 202


@pytest.mark.parametrize(
    ("change", "is_sought"),
    [
        pytest.param({"mask": mask_of(20, 20)}, False, id="mask"),
        pytest.param({"skeleton": skeleton_in(20, 20)}, False, id="skeleton"),
        pytest.param({"hidden": True}, False, id="hidden"),
        pytest.param({"limbs": {"left_shoulder": "front"}}, False, id="draw order"),
        pytest.param({}, False, id="nothing"),
        pytest.param({"box": [1, 2, 21, 22]}, False, id="same box"),
        pytest.param({"box": [1, 2, 22, 22]}, True, id="other box"),
        pytest.param({"mask": None}, True, id="mask again"),
        pytest.param({"skeleton": None}, True, id="skeleton again"),
        pytest.param({"mask": None, "hidden": True}, False, id="hidden ones are not sought"),
        pytest.param(
            {"box": [0, 0, 30, 10], "mask": mask_of(10, 30), "skeleton": skeleton_in(30, 10)},
            False,
            id="box with all",
        ),
    ],
)
def test_only_what_lacks_after_a_change_is_sought(
    client: Client, memory: MemoryServices, change: dict[str, Any], is_sought: bool
) -> None:
    response = patch(client, change)
    assert (response.status_code, response.headers["ETag"]) == (200, '"1"')
    annotation = msgspec.json.decode(response.content, type=Annotation)
    assert (annotation.job is not None) == is_sought
    assert memory.jobs.queued == ([(annotation.job, "drawing")] if is_sought else [])
    changed = msgspec.to_builtins(figure_of(response))
    assert {name: changed[name] for name in change} == change
    assert figure_of(response, "f1") == memory.documents.get(Annotation, "drawing").figures[1]


def test_other_box_keeps_the_mask_that_comes_with_it(client: Client) -> None:
    figure = figure_of(patch(client, {"box": [0, 0, 30, 10], "mask": mask_of(10, 30)}))
    assert figure.mask is not None
    assert (figure.skeleton, figure.score) == (None, 1.0)


def test_figure_is_removed(client: Client) -> None:
    response = client.delete(f"{FIGURES}/f0", headers=FIRST)
    assert (response.status_code, response.headers["ETag"]) == (200, '"1"')
    assert [figure["id"] for figure in response.json()["figures"]] == ["f1"]


def test_whole_document_is_taken_but_for_what_goes_by_itself(
    client: Client, memory: MemoryServices
) -> None:
    document = client.get(ANNOTATION).json() | {"revision": 77, "job": "made-up"}
    document["figures"] = document["figures"][1:]
    response = client.put(ANNOTATION, json=document, headers=FIRST)
    assert (response.status_code, response.headers["ETag"]) == (200, '"1"')
    stored = memory.documents.get(Annotation, "drawing")
    assert (stored.revision, stored.job) == (1, None)
    assert [figure.id for figure in stored.figures] == ["f1"]


@pytest.mark.parametrize(
    "part",
    [{"width": 41}, {"height": 3}, {"rotation": 90}],
    ids=["width", "height", "rotation"],
)
def test_document_of_another_picture_is_refused(client: Client, part: dict[str, int]) -> None:
    document = client.get(ANNOTATION).json() | part
    response = client.put(ANNOTATION, json=document, headers=FIRST)
    assert (response.status_code, response.json()["code"]) == (400, "invalid_annotation")


@pytest.mark.parametrize(
    ("tag", "status", "code"),
    [
        pytest.param(None, 428, "precondition_required", id="none"),
        pytest.param("", 428, "precondition_required", id="empty"),
        pytest.param('"1"', 412, "conflict", id="another"),
        pytest.param("0", 412, "conflict", id="without quotes"),
        pytest.param('W/"0"', 412, "conflict", id="weak"),
    ],
)
def test_change_must_name_the_stored_revision(
    client: Client, memory: MemoryServices, tag: str | None, status: int, code: str
) -> None:
    before = memory.documents.get(Annotation, "drawing")
    headers = {} if tag is None else {"If-Match": tag}
    for response in (
        client.post(FIGURES, json={"box": [0, 0, 9, 9]}, headers=headers),
        client.patch(f"{FIGURES}/f0", json={"hidden": True}, headers=headers),
        client.delete(f"{FIGURES}/f0", headers=headers),
        client.put(ANNOTATION, json=client.get(ANNOTATION).json(), headers=headers),
    ):
        assert (response.status_code, response.json()["code"]) == (status, code)
    assert memory.documents.get(Annotation, "drawing") == before


@pytest.mark.parametrize("tag", ['"0"', '"7", "0"', "*"], ids=["one", "several", "any"])
def test_revision_may_be_one_of_several(client: Client, tag: str) -> None:
    response = client.delete(f"{FIGURES}/f0", headers={"If-Match": tag})
    assert response.status_code == 200


@pytest.mark.parametrize(
    ("change", "code", "page"),
    [
        pytest.param({"box": [9, 2, 5, 9]}, "invalid_box", "box", id="box inside out"),
        pytest.param({"box": [0, 0, 41, 9]}, "invalid_box", "box", id="box outside"),
        pytest.param({"mask": NOTHING}, "invalid_mask", "mask", id="empty mask"),
        pytest.param({"skeleton": {"joints": []}}, "invalid_skeleton", "joints", id="no joints"),
        pytest.param(
            {"skeleton": {"joints": [{"name": "a", "parent": None, "x": 99, "y": 0}]}},
            "invalid_skeleton",
            "joints",
            id="joint far away",
        ),
        pytest.param({"limbs": {"neck": "up"}}, "invalid_request", "upload", id="unknown depth"),
        pytest.param({"colour": "red"}, "invalid_request", "upload", id="unknown field"),
        pytest.param({"hidden": None}, "invalid_request", "upload", id="hidden nor shown"),
        pytest.param([], "invalid_request", "upload", id="no object"),
    ],
)
def test_change_that_cannot_be_is_refused_and_nothing_stored(
    client: Client, memory: MemoryServices, change: Any, code: str, page: str
) -> None:
    response = patch(client, change)
    problem = response.json()
    assert (response.status_code, problem["code"], problem["page"]) == (400, code, page)
    assert response.headers["Content-Type"] == "application/problem+json"
    assert memory.documents.get(Annotation, "drawing").revision == 0


def test_change_that_is_too_large_is_refused_unread(client: Client) -> None:
    response = patch(client, {"mask": {"size": [20, 20], "counts": "0" * 4_000_000}})
    assert (response.status_code, response.json()["code"]) == (413, "request_too_large")


def test_document_with_a_box_that_cannot_be_is_refused(client: Client) -> None:
    document = client.get(ANNOTATION).json()
    document["figures"][1]["box"] = [9, 2, 5, 9]
    response = client.put(ANNOTATION, json=document, headers=FIRST)
    assert (response.status_code, response.json()["code"]) == (400, "invalid_box")


def test_unknown_figures_and_drawings_are_not_found(client: Client) -> None:
    assert patch(client, {"hidden": True}, figure="nope").json()["code"] == "not_found"
    assert client.delete(f"{FIGURES}/nope", headers=FIRST).json()["code"] == "not_found"
    address = "/api/drawings/nope/figures"
    body = {"box": [0, 0, 9, 9]}
    assert client.post(address, json=body, headers=FIRST).json()["code"] == "not_found"


def test_job_that_is_at_work_is_kept_and_finds_more(client: Client, memory: MemoryServices) -> None:
    first = patch(client, {"mask": None}).json()["job"]
    memory.jobs.report(JobEvent(job=first, state="running", step="outlining", progress=0.3))
    assert patch(client, {"skeleton": None}, 1, "f1").json()["job"] == first
    assert memory.jobs.queued == [(first, "drawing")]


@pytest.mark.parametrize("state", ["failed", "done"])
def test_job_that_is_over_is_followed_by_another(
    client: Client, memory: MemoryServices, state: Any
) -> None:
    first = patch(client, {"mask": None}).json()["job"]
    memory.jobs.report(JobEvent(job=first, state=state, step="outlining", progress=1.0))
    second = patch(client, {"mask": None}, 1).json()["job"]
    assert second != first
    assert memory.jobs.queued == [(first, "drawing"), (second, "drawing")]


def test_nothing_is_sought_any_more_when_nothing_lacks(
    client: Client, memory: MemoryServices
) -> None:
    assert patch(client, {"mask": None}).json()["job"] is not None
    assert patch(client, {"mask": mask_of(20, 20)}, 1).json()["job"] is None


def test_change_whose_job_cannot_be_queued_is_taken_back(
    client: Client, memory: MemoryServices
) -> None:
    before = memory.documents.get(Annotation, "drawing")
    memory.jobs.is_away = True
    response = patch(client, {"mask": None})
    assert (response.status_code, response.json()["code"]) == (503, "job_failed")
    after = memory.documents.get(Annotation, "drawing")
    assert (after.figures, after.job) == (before.figures, None)


def test_animation_waits_until_all_figures_are_found(
    client: Client, memory: MemoryServices
) -> None:
    job = patch(client, {"mask": None}).json()["job"]
    address = "/api/drawings/drawing/animations"
    response = client.post(address, json={"motion": "wave"})
    assert (response.status_code, response.json()["code"]) == (409, "not_ready")
    assert job in response.json()["detail"]
    patch(client, {"mask": mask_of(20, 20)}, 1)
    made = client.post(address, json={"motion": "wave"})
    assert msgspec.json.decode(made.content, type=AnimationDocument).revision == 2


def test_hidden_figures_keep_no_animation_waiting_and_make_none(
    client: Client, memory: MemoryServices
) -> None:
    address = "/api/drawings/drawing/animations"
    patch(client, {"mask": None, "hidden": True})
    assert client.post(address, json={"motion": "wave"}).status_code == 202
    patch(client, {"hidden": True}, 1, "f1")
    response = client.post(address, json={"motion": "wave"})
    assert (response.status_code, response.json()["code"]) == (422, "no_figure_found")


def test_nothing_is_lost_when_two_change_a_figure_at_a_time(tmp_path: Path) -> None:
    memory = MemoryServices()
    drawing = put_drawing(memory)
    stored = FileDocuments(tmp_path)
    stored.put(drawing.id, drawing)
    stored.put(drawing.id, memory.documents.get(Annotation, drawing.id))
    services = dataclasses.replace(memory.as_services(), documents=stored)
    answers: list[tuple[int, str]] = []
    with TestClient(app_over(services)) as client:

        def write(writer: str) -> None:
            for number in range(8):
                response = client.get(ANNOTATION)
                limbs = figure_of(response).limbs | {f"{writer}{number}": "back"}
                tag = {"If-Match": response.headers["ETag"]}
                answer = client.patch(f"{FIGURES}/f0", json={"limbs": limbs}, headers=tag)
                answers.append((answer.status_code, f"{writer}{number}"))

        writers = [threading.Thread(target=write, args=(name,)) for name in ("a", "b")]
        for writer in writers:
            writer.start()
        for writer in writers:
            writer.join()
    assert {status for status, _ in answers} <= {200, 412}
    after = stored.get(Annotation, drawing.id)
    taken = {name for status, name in answers if status == 200}
    assert set(after.figures[0].limbs) == taken
    assert after.revision == len(taken) >= 8


def test_skeletons_are_listed_with_parents_first(client: Client) -> None:
    skeletons = client.get("/api/skeletons").json()
    assert [one["name"] for one in skeletons] == list(TEMPLATES)
    for one in skeletons:
        names = [joint["name"] for joint in one["joints"]]
        assert one["joints"][0]["parent"] is None
        for i, joint in enumerate(one["joints"][1:], start=1):
            assert joint["parent"] in names[:i]
            assert 0 <= joint["x"] <= 1
            assert 0 <= joint["y"] <= 1
