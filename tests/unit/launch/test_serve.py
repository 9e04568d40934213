import fcntl
import socket
from pathlib import Path
from typing import Any

import msgspec
import pytest

from animator.launch import serve as serve_module
from animator.launch.problems import CannotStart
from animator.launch.roles import Role, plan_services, ports_of
from animator.launch.serve import serve
from animator.settings import Settings
from serving.bench.ports import free_ports
from tests.support_s3 import BUCKET, ObjectServer


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    web, inference, management, metrics = free_ports(4)
    return Settings(
        data_dir=tmp_path / "data",
        port=web,
        inference_port=inference,
        management_port=management,
        metrics_port=metrics,
        job_workers=2,
    )


@pytest.fixture
def started(monkeypatch: pytest.MonkeyPatch) -> list[list[str]]:
    """Names of the services of each stage; none is really started."""
    stages: list[list[str]] = []

    class Recorder:
        def __init__(self, plan: Any, drain: float) -> None:
            stages.extend([service.name for service in stage] for stage in plan)

        def run(self, on_ready: Any) -> None:
            on_ready()

    monkeypatch.setattr(serve_module, "Supervisor", Recorder)
    return stages


def test_everything_is_started_over_a_private_queue(
    settings: Settings, started: list[list[str]]
) -> None:
    ready: list[bool] = []
    serve(Role.ALL, settings, on_ready=lambda: ready.append(True))
    assert started == [["redis"], ["inference", "worker-1", "worker-2", "web"]]
    assert ready == [True]
    assert settings.data_dir.stat().st_mode & 0o777 == 0o700


def test_given_queue_needs_no_private_one(tmp_path: Path) -> None:
    settings = Settings(data_dir=tmp_path, redis_url="redis://queue", job_workers=1)
    (stage,) = plan_services(Role.ALL, settings)
    assert [service.name for service in stage] == ["inference", "worker-1", "web"]


@pytest.mark.parametrize(
    ("role", "names", "flags"),
    [
        (Role.WEB, ["web"], ["--port"]),
        (
            Role.INFERENCE,
            ["inference"],
            ["--inference-port", "--management-port", "--metrics-port"],
        ),
        (Role.WORKER, ["worker-1", "worker-2"], []),
    ],
)
def test_role_runs_and_listens_for_itself_only(
    settings: Settings, role: Role, names: list[str], flags: list[str]
) -> None:
    (stage,) = plan_services(role, settings)
    assert [service.name for service in stage] == names
    assert list(ports_of(role, settings)) == flags


@pytest.mark.parametrize(
    ("field", "flag"), [("port", "--port"), ("metrics_port", "--metrics-port")]
)
def test_taken_port_is_told_with_its_remedy(
    settings: Settings, started: list[list[str]], field: str, flag: str
) -> None:
    port = getattr(settings, field)
    with (
        socket.create_server(("127.0.0.1", port)),
        pytest.raises(CannotStart, match=rf"port {port}: Address already in use.*{flag}\."),
    ):
        serve(Role.ALL, settings, on_ready=lambda: None)
    assert started == []


def test_second_server_over_a_data_folder_is_refused(
    settings: Settings, started: list[list[str]]
) -> None:
    settings.data_dir.mkdir()
    with (settings.data_dir / "serve.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        with pytest.raises(CannotStart, match=r"Another Animator serves from .*--data-dir"):
            serve(Role.ALL, settings, on_ready=lambda: None)
    assert started == []


@pytest.mark.parametrize("role", [Role.WEB, Role.WORKER])
def test_lonely_role_without_a_queue_is_told_what_to_set(
    settings: Settings, started: list[list[str]], role: Role
) -> None:
    with pytest.raises(CannotStart, match=f"The role {role} needs a Redis: set REDIS_URL"):
        serve(role, settings, on_ready=lambda: None)
    assert started == []


def test_leavings_of_killed_jobs_are_swept(settings: Settings, started: list[list[str]]) -> None:
    (settings.scratch_dir / "job").mkdir(parents=True)
    serve(Role.ALL, settings, on_ready=lambda: None)
    assert not settings.scratch_dir.exists()
    assert started


def bucket(settings: Settings, objects: ObjectServer, name: str) -> Settings:
    return msgspec.structs.replace(
        settings,
        store=f"s3://{name}",
        store_endpoint=objects.url,
        store_path_style=True,
        redis_url="redis://queue",
    )


def test_store_that_is_the_wrong_one_is_told_before_anything_starts(
    settings: Settings, started: list[list[str]], objects: ObjectServer
) -> None:
    wrong = bucket(settings, objects, "elsewhere")
    for role in (Role.WEB, Role.WORKER, Role.ALL):
        with pytest.raises(CannotStart, match="There is no bucket elsewhere in the object store"):
            serve(role, wrong, on_ready=lambda: None)
    assert started == []
    serve(Role.WEB, bucket(settings, objects, BUCKET), on_ready=lambda: None)
    assert started == [["web"]]


def test_store_that_is_away_is_waited_for(
    settings: Settings, started: list[list[str]], objects: ObjectServer
) -> None:
    away = bucket(settings, objects, BUCKET)
    away = msgspec.structs.replace(away, store_endpoint="http://127.0.0.1:9")
    serve(Role.WEB, away, on_ready=lambda: None)
    assert started == [["web"]]
