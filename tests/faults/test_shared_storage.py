"""A bucket and a guarded Redis in place of the data folder: nothing stays on the machine, and what
was accepted is done whatever becomes of the machine that took it."""

import json
import secrets
import signal
import threading
import time
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from animator.store import LOOK
from animator.store.bucket import Bucket
from serving.bench.ports import free_ports
from tests.support_redis import private_redis
from tests.support_s3 import BUCKET, ObjectServer, object_server
from tests.support_sentinel import MASTER, Guard, guarded_redis
from tests.support_serve import (
    TINY_MODELS,
    App,
    draw_doll,
    is_answering,
    launch,
    serving_app,
    wait_until,
)

OF_THIS_MACHINE = {"serve.lock", "serving-keys.json", "serving-audit.jsonl"}
"""Its lock; the keys of its model server, made anew at each start; and what operators did there."""


@pytest.fixture(scope="module")
def objects() -> Iterator[ObjectServer]:
    with object_server() as server, pytest.MonkeyPatch.context() as patch:
        for name, value in server.environment.items():
            patch.setenv(name, value)
        yield server


def storage(objects: ObjectServer, prefix: str) -> dict[str, str]:
    return {
        "ANIMATOR_STORE": f"s3://{BUCKET}/{prefix}",
        "ANIMATOR_STORE_ENDPOINT": objects.url,
        "ANIMATOR_STORE_PATH_STYLE": "true",
    }


def keys_in(objects: ObjectServer, prefix: str) -> set[str]:
    return {found.key for found in Bucket(objects.place(f"{prefix}/"), LOOK).list("")}


def test_nothing_stays_on_a_machine_that_has_a_bucket_and_a_redis(
    objects: ObjectServer, tmp_path: Path
) -> None:
    data = tmp_path / "data"
    with private_redis(tmp_path / "redis") as redis:
        more = {**storage(objects, "whole"), "REDIS_URL": redis.url}
        with serving_app(data, more=more, learning=True) as app:
            drawing = app.upload(draw_doll())
            assert app.wait_for_job(drawing["job"])["state"] == "done"
            path = f"/api/drawings/{drawing['id']}"
            assert app.http.put(f"{path}/consent").is_success
            background = {"file": ("sky.png", draw_doll())}
            assert app.http.put(f"{path}/background", files=background).is_success
            animation = app.animate(drawing["id"])
            assert app.wait_for_job(animation["job"])["state"] == "done"
            film = app.http.get(f"/api/animations/{animation['id']}/file.mp4")
            assert film.headers["Content-Length"] == str(len(film.content))
            shared = app.http.post(f"/api/animations/{animation['id']}/shares", json={"days": 1})
            assert shared.is_success
            assert app.http.get(f"{path}/everything.zip").content.startswith(b"PK")
            files = {file.name for file in data.rglob("*") if file.is_file()}
            assert files <= OF_THIS_MACHINE
            assert len(keys_in(objects, "whole")) > 15
            assert app.http.delete("/api/owner").is_success
        left = keys_in(objects, "whole")
        assert {key.split("/")[1] for key in left} <= {"gone", "accepted"}


class Fleet:
    """Page, models and hosts with job workers, each a process of its own with its own folder."""

    def __init__(self, folder: Path, environment: dict[str, str]) -> None:
        self.folder = folder
        self.web, self.inference, self.management, self.metrics = free_ports(4)
        self.environment = {
            **environment,
            "ANIMATOR_PORT": str(self.web),
            "ANIMATOR_INFERENCE_PORT": str(self.inference),
            "ANIMATOR_MANAGEMENT_PORT": str(self.management),
            "ANIMATOR_METRICS_PORT": str(self.metrics),
            "ANIMATOR_APP_METRICS_PORT": "0",
            "ANIMATOR_INFERENCE_URL": f"http://127.0.0.1:{self.inference}",
            "ANIMATOR_MODELS_DIR": str(TINY_MODELS),
            "ANIMATOR_TEST_PAUSE": "1.0",
        }

    def start(self, stack: ExitStack, role: str) -> App:
        """One host with one part of the product."""
        data = self.folder / f"{role}-{secrets.token_hex(2)}"
        environment = {**self.environment, "ANIMATOR_DATA_DIR": str(data)}
        process = launch(["--role", role, "--job-workers", "1"], environment)
        app = App(process, f"http://127.0.0.1:{self.web}", data)
        stack.callback(app.http.close)
        stack.callback(lambda: process.poll() is None and app.stop())
        return app


@pytest.fixture
def guard(tmp_path: Path) -> Iterator[Guard]:
    (tmp_path / "guard").mkdir()
    with guarded_redis(tmp_path / "guard") as guard:
        yield guard


@pytest.fixture
def fleet(objects: ObjectServer, guard: Guard, tmp_path: Path) -> Fleet:
    url = f"redis+sentinel://{guard.hosts}/{MASTER}"
    return Fleet(tmp_path, {**storage(objects, secrets.token_hex(4)), "REDIS_URL": url})


def upload_all(app: App, count: int) -> list[str]:
    return [app.upload(draw_doll())["job"] for _ in range(count)]


def follow(app: App, job: str, told: list[str]) -> threading.Thread:
    """Keep the states that a page would be told, which comes back when a stream ends."""

    def listen() -> None:
        while not told or told[-1] not in ("done", "failed"):
            with app.http.stream("GET", f"/api/jobs/{job}/events") as answer:
                told.append(str(answer.status_code))
                for line in answer.iter_lines():
                    if line.startswith("data:"):
                        told.append(json.loads(line.removeprefix("data:"))["state"])

    listener = threading.Thread(target=listen, daemon=True)
    listener.start()
    return listener


@pytest.mark.slow
def test_jobs_that_only_a_dead_master_knew_are_done_all_the_same(
    fleet: Fleet, guard: Guard
) -> None:
    with ExitStack() as stack:
        fleet.start(stack, "inference")
        app = fleet.start(stack, "web")
        wait_until(lambda: is_answering(app), 60, "the start of the page")
        first = upload_all(app, 2)
        # What comes now reaches the master only, and dies with it; no worker has taken it yet.
        for replica in guard.replicas():
            replica.send(signal.SIGSTOP)
        with guard.master().connect() as client:
            client.execute_command("CLIENT KILL TYPE replica")
        unlucky = upload_all(app, 6)
        told: list[str] = []
        listener = follow(app, unlucky[0], told)
        wait_until(lambda: "queued" in told, 10, "the first news")
        master = guard.master()
        master.kill()
        for server in guard.servers:
            if server is not master:
                server.send(signal.SIGCONT)
        blow = time.monotonic()
        after = upload_all(app, 1)
        print(f"taken again after {time.monotonic() - blow:.1f} s")
        with guard.master().connect() as client:
            lost = [job for job in unlucky if not client.exists(f"rq:job:{job}")]
        assert lost == unlucky, "the trial was none: the replicas knew of them"
        assert [app.event(job)["state"] for job in unlucky] == ["queued"] * 6
        fleet.start(stack, "worker")
        for job in (*first, *unlucky, *after):
            assert app.wait_for_job(job, within=120)["state"] == "done"
        print(f"all done after {time.monotonic() - blow:.1f} s")
        listener.join(timeout=30)
        assert told[-1] == "done"
        assert {state for state in told if state.isdigit()} == {"200"}


@pytest.mark.slow
def test_jobs_of_a_host_that_vanishes_are_done_by_another(fleet: Fleet) -> None:
    with ExitStack() as stack:
        fleet.start(stack, "inference")
        app, doomed = fleet.start(stack, "web"), fleet.start(stack, "worker")
        wait_until(lambda: is_answering(app), 60, "the start of the page")
        (first,) = upload_all(app, 1)
        app.wait_for_work(first)
        fleet.start(stack, "worker")
        app.wait_for_job(first)
        jobs = upload_all(app, 2)
        for job in jobs:
            app.wait_for_work(job)
        for process in doomed.parts(""):
            process.kill()
        doomed.process.kill()
        blow = time.monotonic()
        for job in jobs:
            assert app.wait_for_job(job, within=60)["state"] == "done"
        print(f"both done {time.monotonic() - blow:.1f} s after one of two hosts vanished")


@pytest.mark.slow
def test_store_that_goes_away_for_a_while_loses_nothing(
    fleet: Fleet, objects: ObjectServer
) -> None:
    with ExitStack() as stack:
        fleet.start(stack, "inference")
        app = fleet.start(stack, "web")
        fleet.start(stack, "worker")
        wait_until(lambda: is_answering(app), 60, "the start of the page")
        jobs = upload_all(app, 4)
        app.wait_for_work(jobs[0])
        objects.pause()
        answer = app.http.post("/api/drawings", files={"file": ("doll.png", draw_doll())})
        assert (answer.status_code, answer.json()["code"]) == (503, "storage_unavailable")
        assert answer.headers["Retry-After"]
        time.sleep(5)
        objects.go_on()
        for job in jobs:
            assert app.wait_for_job(job, within=60)["state"] == "done"
        assert app.wait_for_job(app.upload(draw_doll())["job"])["state"] == "done"
