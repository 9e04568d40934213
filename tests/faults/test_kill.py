"""Each process is killed in the middle of a real job; the job ends, and the next upload works."""

import json
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from rq import Worker

from animator.jobs.connection import connect_once
from animator.settings import Settings
from tests.support_serve import (
    App,
    Process,
    descendants,
    draw_doll,
    list_processes,
    serving_app,
    wait_until,
)

pytestmark = pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="needs Linux's /proc")

ENDS_WITHIN = 30.0
"""Seconds from the blow to the end of the job."""


@pytest.fixture(scope="module")
def app(tmp_path_factory: pytest.TempPathFactory) -> Iterator[App]:
    # The detector takes a second, so that a blow surely lands in the middle of the job.
    # Jobs pause for 6 s in all before their third attempt, not for 12.
    shorter = {"ANIMATOR_JOB_PAUSE": "1"}
    with serving_app(tmp_path_factory.mktemp("data"), pause=1.0, more=shorter) as app:
        yield app


def model_worker(app: App) -> Process:
    return app.parts("serving.workers.worker")[0]


def model_server(app: App) -> Process:
    return app.parts("-m serving start")[0]


def job_worker(app: App) -> Process:
    return app.job_worker()


def job_process(app: App) -> Process:
    """The fork of the job worker that does the job."""
    return app.parts("animator.launch worker")[-1]


def redis_server(app: App) -> Process:
    return app.parts("valkey-server")[0]


def is_at(app: App, job: str) -> bool:
    """Whether the job worker is at this job, not at a chore of its own."""
    with connect_once(Settings(data_dir=app.data_dir).redis) as client:
        here = [w for w in Worker.all(connection=client) if w.pid == app.job_worker().pid]
        return [worker.get_current_job_id() for worker in here] == [job]


@pytest.mark.parametrize(
    "victim", [model_worker, model_server, job_worker, job_process, redis_server]
)
def test_job_outlives_its_killed_process(app: App, victim: Any) -> None:
    drawing = app.upload(draw_doll())
    app.wait_for_work(drawing["job"])
    victim(app).kill()
    blow = time.monotonic()

    event = app.wait_for_job(drawing["job"], within=ENDS_WITHIN)
    print(f"{victim.__name__}: {event['state']} after {time.monotonic() - blow:.1f} s")

    assert event["state"] == "done"
    assert len(app.http.get(f"/api/drawings/{drawing['id']}/annotation").json()["figures"]) == 1
    following = app.upload(draw_doll())
    assert app.wait_for_job(following["job"])["state"] == "done"


@pytest.mark.parametrize("victim", [job_worker, redis_server])
def test_animation_outlives_its_killed_process(app: App, victim: Any) -> None:
    drawing = app.upload(draw_doll())
    app.wait_for_job(drawing["job"])
    animation = app.animate(drawing["id"])
    app.wait_for_work(animation["job"])
    victim(app).kill()

    assert app.wait_for_job(animation["job"], within=ENDS_WITHIN)["state"] == "done"
    gif = app.http.get(f"/api/animations/{animation['id']}/file.gif")
    assert gif.content.startswith(b"GIF89a")
    scratch = app.data_dir / "scratch"
    assert list(scratch.iterdir()) == []


def test_upload_is_taken_right_after_the_queue_was_killed(app: App) -> None:
    redis_server(app).kill()
    drawing = app.upload(draw_doll())
    assert app.wait_for_job(drawing["job"])["state"] == "done"


def test_news_of_a_job_go_on_after_the_queue_was_killed(app: App) -> None:
    drawing = app.upload(draw_doll())
    shares: list[float] = []
    with app.http.stream("GET", f"/api/jobs/{drawing['job']}/events") as answer:
        for line in answer.iter_lines():
            if line.startswith("data:"):
                event = json.loads(line.removeprefix("data:"))
                shares.append(event["progress"])
                if event["step"] == "detecting" and event["state"] == "running":
                    redis_server(app).kill()

    assert event["state"] == "done"
    assert shares == sorted(shares)


def test_job_that_always_kills_its_process_ends_with_a_reason(app: App) -> None:
    drawing = app.upload(draw_doll())
    seen: set[int] = set()

    def kill_each() -> bool:
        for process in app.parts("animator.launch worker"):
            is_new = process.parent == app.job_worker().pid and process.pid not in seen
            if is_new and is_at(app, drawing["job"]):
                seen.add(process.pid)
                process.kill()
        return bool(app.event(drawing["job"])["state"] == "failed")

    wait_until(kill_each, ENDS_WITHIN, "the end")

    problem = app.event(drawing["job"])["problem"]
    assert problem["code"] == "job_failed"
    assert "3 times" in problem["message"]
    assert len(seen) == 3


def test_nothing_outlives_a_killed_supervisor(tmp_path: Path) -> None:
    with serving_app(tmp_path) as app:
        wait_until(lambda: len(app.parts("serving.workers")) == 2, 30, "the start of the models")
        children = {process.pid for process in descendants(app.process.pid)}
        app.process.kill()
        app.process.wait()
        wait_until(
            lambda: not children & {process.pid for process in list_processes()}, 10, "their end"
        )


def test_next_start_ends_the_job_that_a_killed_server_had_begun(tmp_path: Path) -> None:
    with serving_app(tmp_path, pause=1.0) as app:
        drawing = app.upload(draw_doll())
        app.wait_for_work(drawing["job"])
        app.process.kill()
        app.process.wait()
    with serving_app(tmp_path) as again:
        again.http.cookies.update(app.http.cookies)  # the same owner
        assert again.wait_for_job(drawing["job"])["state"] == "done"


def test_interrupt_ends_every_process_within_five_seconds(tmp_path: Path) -> None:
    with serving_app(tmp_path, pause=1.0) as app:
        drawing = app.upload(draw_doll())
        app.wait_for_work(drawing["job"])
        children = {process.pid for process in descendants(app.process.pid)}
        assert app.stop() < 5
        assert app.process.returncode == 0
        assert not children & {process.pid for process in list_processes()}
