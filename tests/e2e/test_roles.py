"""The parts as compose.yaml runs them, each a process of its own, over one Redis and one folder."""

import re
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest
import yaml

from animator.__main__ import build_parser
from animator.launch.embedded_redis import find_redis_server, is_redis_up
from animator.settings import Settings
from serving.bench.ports import free_ports
from tests.support_serve import (
    ROOT,
    TINY_MODELS,
    App,
    descendants,
    draw_doll,
    is_answering,
    launch,
    wait_until,
)

COMPOSE: dict[str, Any] = yaml.safe_load((ROOT / "compose.yaml").read_text())
SERVICES: dict[str, Any] = COMPOSE["services"]
OURS = ("inference", "worker", "web")


class Town:
    """Where each service listens on this machine, in place of its name in the private network."""

    def __init__(self, data_dir: Path) -> None:
        self.redis, self.web, self.inference, self.management, self.metrics = free_ports(5)
        self.data_dir = data_dir

    def environment(self, service: str) -> dict[str, str]:
        names = {
            "redis:6379": f"127.0.0.1:{self.redis}",
            "proxy:8080": f"127.0.0.1:{self.inference}",
            "/data": str(self.data_dir),
            "0.0.0.0": "127.0.0.1",
        }
        given = {}
        for variable, said in SERVICES[service]["environment"].items():
            value = re.sub(r"\$\{\w+:-(.*?)\}", r"\1", said)  # what holds where nobody says more
            for name, place in names.items():
                value = value.replace(name, place)
            given[variable] = value
        return given | {
            "ANIMATOR_PORT": str(self.web),
            "ANIMATOR_INFERENCE_PORT": str(self.inference),
            "ANIMATOR_MANAGEMENT_PORT": str(self.management),
            "ANIMATOR_METRICS_PORT": str(self.metrics),
            "ANIMATOR_MODELS_DIR": str(TINY_MODELS),
            "ANIMATOR_TEST_PAUSE": "1.0",
            # No proxy is here that would have to turn away.
            "ANIMATOR_DRAIN_SECONDS": "0",
        }

    def start(self, service: str) -> subprocess.Popen[bytes]:
        return launch(SERVICES[service]["command"], self.environment(service))


@pytest.fixture(scope="module")
def town(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Town]:
    town = Town(tmp_path_factory.mktemp("data"))
    command = (find_redis_server(), "--port", str(town.redis), "--save", "", "--dir", town.data_dir)
    with subprocess.Popen(command, stdout=subprocess.DEVNULL) as server:
        url = f"redis://127.0.0.1:{town.redis}"
        wait_until(lambda: is_redis_up(url), 10, "the start of Redis")
        yield town
        server.kill()


@pytest.fixture(scope="module")
def workers(town: Town) -> Iterator[list[subprocess.Popen[bytes]]]:
    workers = [town.start("worker") for _ in range(2)]
    yield workers
    for worker in workers:
        end(worker)


@pytest.fixture(scope="module")
def app(town: Town, workers: list[subprocess.Popen[bytes]]) -> Iterator[App]:
    with ExitStack() as stack:
        inference, web = town.start("inference"), town.start("web")
        stack.callback(end, inference)
        stack.callback(end, web)
        app = App(web, f"http://127.0.0.1:{town.web}", town.data_dir)
        stack.callback(app.http.close)
        wait_until(lambda: is_answering(app), 60, "the start of the page")
        yield app


def end(process: subprocess.Popen[bytes]) -> None:
    if process.poll() is None:
        process.terminate()
    process.wait(timeout=10)


def test_drawing_walks_through_all_the_parts(app: App) -> None:
    drawing = app.upload(draw_doll())
    assert app.wait_for_job(drawing["job"])["state"] == "done"
    animation = app.animate(drawing["id"])
    assert app.wait_for_job(animation["job"])["state"] == "done"
    files = app.http.get(f"/api/animations/{animation['id']}").json()["files"]
    assert {file["format"] for file in files} == {"gif", "mp4"}


def test_health_of_a_worker_is_told_by_its_check(town: Town, app: App) -> None:
    command = [sys.executable, "-m", "animator.launch", "check-worker"]
    assert SERVICES["worker"]["healthcheck"]["test"] == ["CMD", "python", *command[1:]]
    environment = town.environment("worker")
    assert subprocess.run(command, env=environment, cwd=ROOT, check=False).returncode == 0


def test_other_worker_ends_the_job_of_a_lost_machine(
    app: App, workers: list[subprocess.Popen[bytes]]
) -> None:
    drawing = app.upload(draw_doll())
    app.wait_for_work(drawing["job"])
    busy = next(w for w in workers if len(descendants(w.pid)) == 2)  # it forked for the job
    for process in [*descendants(busy.pid)]:
        process.kill()
    busy.send_signal(signal.SIGKILL)
    assert app.wait_for_job(drawing["job"])["state"] == "done"


def test_only_the_page_is_published_and_to_this_machine_what_watches_it() -> None:
    usual = {name: service for name, service in SERVICES.items() if "profiles" not in service}
    assert {name for name, service in usual.items() if "ports" in service} == {"proxy"}
    assert {name for name, service in usual.items() if "public" in service["networks"]} == {"proxy"}
    assert "8000:8000" in SERVICES["proxy"]["ports"][0]
    assert COMPOSE["networks"]["private"]["internal"] is True
    ports = [port for service in SERVICES.values() for port in service.get("ports", ())]
    assert [port for port in ports if not port.startswith("127.0.0.1:")] == []


@pytest.mark.parametrize("service", SERVICES)
def test_service_tells_its_health_and_is_restarted(service: str) -> None:
    assert SERVICES[service]["healthcheck"]["test"][0] == "CMD"
    assert SERVICES[service]["restart"] == "unless-stopped"


@pytest.mark.parametrize("service", OURS)
def test_service_is_a_role_with_settings_that_exist(service: str) -> None:
    args = build_parser().parse_args(["serve", *SERVICES[service]["command"]])
    assert args.role == service
    names = {v.removeprefix("ANIMATOR_").lower() for v in SERVICES[service]["environment"]}
    assert names <= set(Settings.__struct_fields__)


def test_parts_are_given_the_time_in_which_the_proxy_turns_away() -> None:
    """Whoever stops in three seconds' time has four more for what is under way."""
    for service in OURS:
        drain = int(SERVICES[service]["environment"]["ANIMATOR_DRAIN_SECONDS"])
        assert drain + 4 < int(SERVICES[service]["stop_grace_period"].removesuffix("s"))


def test_proxy_reads_files_that_are_there_and_lets_streams_end() -> None:
    proxy = SERVICES["proxy"]
    (mount,) = proxy["volumes"]
    here, there, _ = mount.split(":")
    files = [word for word in proxy["command"] if word.endswith(".cfg")]
    assert [file for file in files if not (ROOT / here / Path(file).name).is_file()] == []
    assert {str(Path(file).parent) for file in files} == {there}
    assert proxy["stop_signal"] == "SIGUSR1"


def test_queue_and_drawings_outlive_their_containers() -> None:
    mounts = {name: service.get("volumes", []) for name, service in SERVICES.items()}
    assert mounts["redis"] == ["queue:/data"]
    assert mounts["web"] == mounts["worker"] == ["drawings:/data"]
    assert mounts["prometheus"][-1] == "metrics:/prometheus"
    assert set(COMPOSE["volumes"]) == {"queue", "drawings", "metrics"}


def test_image_is_built_of_files_that_are_there_and_runs_for_no_root() -> None:
    recipe = SERVICES["web"]["build"]["dockerfile_inline"]
    copied = [word for line in re.findall(r"COPY (.+)", recipe) for word in line.split()[:-1]]
    assert [name for name in copied if not (ROOT / name).exists()] == []
    assert "USER animator" in recipe
    assert 'ENTRYPOINT ["animator", "serve"]' in recipe
