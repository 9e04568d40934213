"""One trace from what is asked for to the model's batch, as whoever takes traces sees it."""

import json
import secrets
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest
from playwright.sync_api import Browser

from tests.support_serve import TINY_MODELS, App, draw_doll, serving_app
from tests.support_traces import Collector, Taken, collector

REQUEST = "a-parent-asks.1"
DETECTOR = "drawn_humanoid_detector"


@pytest.fixture(scope="module")
def taken() -> Iterator[Collector]:
    with collector() as taken:
        yield taken


@pytest.fixture(scope="module")
def log(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("log") / "lines"


@pytest.fixture(scope="module")
def app(taken: Collector, log: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[App]:
    """An `animator serve` of its own that tells of what it does."""
    told = {
        "ANIMATOR_TRACE_ENDPOINT": taken.url,
        "ANIMATOR_LOG_LEVEL": "debug",
        "ANIMATOR_LOG_FORMAT": "json",
        "OTEL_BSP_SCHEDULE_DELAY": "100",
    }
    folder = tmp_path_factory.mktemp("data")
    with (
        log.open("wb") as lines,
        serving_app(folder, models=TINY_MODELS, more=told, log=lines) as app,
    ):
        yield app


class Told:
    """The spans of one trace."""

    def __init__(self, spans: list[Taken]) -> None:
        self.spans = spans
        self._by_id = {span.id: span for span in spans}

    def named(self, name: str) -> list[Taken]:
        return [span for span in self.spans if span.name == name]

    def one(self, name: str) -> Taken:
        (found,) = self.named(name)
        return found

    def parent(self, span: Taken) -> Taken | None:
        return self._by_id.get(span.parent)

    def ancestors(self, span: Taken) -> list[str]:
        """Names from its parent up to what came from outside."""
        names, above = [], self.parent(span)
        while above is not None:
            names.append(above.name)
            above = self.parent(above)
        return names


def follow(taken: Collector, traceparent: str, names: set[str]) -> Told:
    """A trace, once it has spans of all these names."""
    trace = traceparent.split("-")[1]
    taken.wait_for(lambda: names <= {span.name for span in taken.trace(trace)})
    return Told(taken.trace(trace))


def new_traceparent() -> str:
    return f"00-{secrets.token_hex(16)}-{secrets.token_hex(8)}-01"


READING = {
    "POST /api/drawings", "send animator", "process annotate_drawing", "wait", "read", "detect",
    f"infer {DETECTOR}", "POST /v2/models/{model}/infer", "queue", "batch", "preprocess", "model",
    "postprocess", "pose", "outline", "segment", "store",
}  # fmt: skip
MAKING = {
    "POST /api/drawings/{drawing_id}/animations", "process animate_drawing", "wait", "read", "rig",
    "retarget", "deform", "encode", "render", "store",
}  # fmt: skip


@pytest.fixture(scope="module")
def drawing(app: App) -> tuple[str, dict[str, Any]]:
    """With what it was handed in, and a drawing that has been read."""
    traceparent = new_traceparent()
    app.http.headers.update({"traceparent": traceparent, "x-request-id": REQUEST})
    drawing = app.upload(draw_doll())
    for name in ("traceparent", "x-request-id"):
        del app.http.headers[name]
    assert app.wait_for_job(drawing["job"])["state"] == "done"
    return traceparent, drawing


def test_one_trace_leads_from_the_request_to_the_batch(
    taken: Collector, drawing: tuple[str, dict[str, Any]]
) -> None:
    told = follow(taken, drawing[0], READING)
    first = told.one("POST /api/drawings")
    assert (first.parent, first.kind) == (drawing[0].split("-")[2], "server")
    assert [span.name for span in told.spans if told.parent(span) is None] == [first.name]
    assert {span.service for span in told.spans} == {"animator-web", "animator-worker", "serving"}
    (asked,) = [span for span in told.named("batch") if span.said["serving.model.name"] == DETECTOR]
    (model,) = [span for span in told.named("model") if told.parent(span) is asked]
    assert told.ancestors(model) == [
        "batch", "POST /v2/models/{model}/infer", f"infer {DETECTOR}", "detect",
        "process annotate_drawing", "send animator", "POST /api/drawings",
    ]  # fmt: skip
    assert asked.said["serving.batch.size"] == 1
    assert asked.links == (asked.parent,)
    job = told.one("process annotate_drawing")
    assert job.said["messaging.message.id"] == drawing[1]["job"]


def test_no_part_is_longer_than_its_whole(
    taken: Collector, drawing: tuple[str, dict[str, Any]]
) -> None:
    told = follow(taken, drawing[0], READING)
    for span in told.spans:
        assert span.begun <= span.ended
        whole = told.parent(span)
        if whole is None:
            continue
        assert whole.begun <= span.begun, (whole, span)
        # The job goes on when the one who asked for it has his answer.
        if whole.name != "send animator":
            assert span.ended <= whole.ended, (whole, span)


def test_trace_of_an_animation_shows_its_steps(
    app: App, taken: Collector, drawing: tuple[str, dict[str, Any]]
) -> None:
    traceparent = new_traceparent()
    answer = app.http.post(
        f"/api/drawings/{drawing[1]['id']}/animations",
        json={"motion": "wave", "side": 64},
        headers={"traceparent": traceparent},
    )
    assert app.wait_for_job(answer.json()["job"])["state"] == "done"
    told = follow(taken, traceparent, MAKING)
    (render,) = told.named("render")
    assert told.ancestors(render)[:2] == ["encode", "process animate_drawing"]
    seconds = (render.ended - render.begun) / 1e9
    assert 0 < render.said["animator.own_seconds"] < seconds


def test_slow_requests_name_their_traces(
    app: App, taken: Collector, drawing: tuple[str, dict[str, Any]]
) -> None:
    follow(taken, drawing[0], READING)
    _, port = app.metrics
    asked = httpx.get(
        f"http://127.0.0.1:{port}/metrics", headers={"accept": "application/openmetrics-text"}
    )
    buckets = [line for line in asked.text.splitlines() if "http_request_seconds_bucket" in line]
    trace = drawing[0].split("-")[1]
    (named,) = [line for line in buckets if f'trace_id="{trace}"' in line]
    assert 'route="/api/drawings"' in named


def test_nothing_private_is_told(
    app: App, taken: Collector, drawing: tuple[str, dict[str, Any]]
) -> None:
    told = follow(taken, drawing[0], READING)
    words = " ".join(str(value) for span in told.spans for value in span.said.values())
    assert "doll.png" not in words
    assert not any(cookie.value and cookie.value in words for cookie in app.http.cookies.jar)


def test_one_id_finds_the_lines_of_all_parts(
    log: Path, drawing: tuple[str, dict[str, Any]]
) -> None:
    lines = [json.loads(line) for line in log.read_text().splitlines() if line.startswith("{")]
    found = [line for line in lines if line.get("request_id") == REQUEST]
    assert {line["part"] for line in found} == {"web", "worker", "inference"}
    assert any(line.get("job") == drawing[1]["job"] for line in found)
    assert any("/v2/models" in line["message"] for line in found)


def test_click_in_the_page_begins_a_trace(app: App, taken: Collector, browser: Browser) -> None:
    with browser.new_context() as context:
        page = context.new_page()
        page.goto(app.url)
        with page.expect_request(lambda asked: asked.method == "POST") as clicked:
            page.locator("input[type=file]").first.set_input_files(
                {"name": "doll.png", "mimeType": "image/png", "buffer": draw_doll()}
            )
        traceparent = clicked.value.headers["traceparent"]
        told = follow(taken, traceparent, READING)
    assert told.one("POST /api/drawings").parent == traceparent.split("-")[2]
