"""Bad pictures through the API: a clear word or a sane result; none breaks the server."""

from typing import Any

import pytest

from tests.support_bad_images import READABLE, REFUSED
from tests.support_serve import App


def hand_in(app: App, data: bytes, as_form: bool = True) -> tuple[int, dict[str, Any]]:
    if as_form:
        answer = app.http.post("/api/drawings", files={"file": ("drawing.png", data)})
    else:
        answer = app.http.post("/api/drawings?name=drawing.png", content=data)
    kind = "application/json" if answer.is_success else "application/problem+json"
    assert answer.headers["Content-Type"] == kind
    return answer.status_code, answer.json()


TAKEN_AWAY = "text-chunk-bomb"
"""What makes this one dangerous is no part of the picture, and goes before it is read."""


@pytest.mark.parametrize("name", [name for name in REFUSED if name != TAKEN_AWAY])
def test_refused_picture_gets_its_code_and_a_sentence(app: App, name: str) -> None:
    data, code = REFUSED[name]
    status, body = hand_in(app, data)
    if status == 201:
        end = app.wait_for_job(body["job"])
        assert end["state"] == "failed"
        told, sentence = end["problem"]["code"], end["problem"]["message"]
    else:
        assert 400 <= status < 500
        told, sentence = body["code"], body["detail"]
    assert told == code
    assert sentence.endswith(".")
    assert "Traceback" not in sentence


@pytest.mark.parametrize("name", [*READABLE, TAKEN_AWAY])
def test_odd_picture_is_read_and_shown_upright(app: App, name: str) -> None:
    data = REFUSED[name][0] if name == TAKEN_AWAY else READABLE[name]
    status, drawing = hand_in(app, data, as_form=False)
    assert status == 201
    assert app.wait_for_job(drawing["job"])["state"] == "done"
    read = app.http.get(f"/api/drawings/{drawing['id']}").json()
    picture = app.http.get(f"/api/drawings/{drawing['id']}/picture")
    assert picture.headers["Content-Type"] == "image/jpeg"
    annotation = app.http.get(f"/api/drawings/{drawing['id']}/annotation").json()
    assert (annotation["width"], annotation["height"]) == (read["width"], read["height"])


def test_page_without_a_figure_cannot_be_animated(app: App) -> None:
    _, drawing = hand_in(app, READABLE["blank-page"])
    app.wait_for_job(drawing["job"])
    answer = app.http.post(f"/api/drawings/{drawing['id']}/animations", json={})
    assert (answer.status_code, answer.json()["code"]) == (422, "no_figure_found")


def test_upload_over_the_limit_is_refused_before_it_is_stored(app: App) -> None:
    limit = app.http.get("/api/health").json()["upload_bytes"]
    status, body = hand_in(app, READABLE["blank-page"] + b"\0" * limit)
    assert (status, body["code"]) == (413, "image_too_large")


@pytest.mark.parametrize(
    ("content", "headers"),
    [
        pytest.param(b"--x\r\nnonsense", "multipart/form-data; boundary=x", id="broken form"),
        pytest.param(b"nonsense", "multipart/form-data", id="form without a boundary"),
        pytest.param(b"{}", "application/json", id="json"),
    ],
)
def test_malformed_upload_is_a_problem(app: App, content: bytes, headers: str) -> None:
    answer = app.http.post("/api/drawings", content=content, headers={"Content-Type": headers})
    assert 400 <= answer.status_code < 500
    assert answer.json()["code"] in {"invalid_request", "invalid_image", "unsupported_image"}


def test_server_answers_after_all_that(app: App) -> None:
    assert app.http.get("/api/health").json()["status"] == "ok"
