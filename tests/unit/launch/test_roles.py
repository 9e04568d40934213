from pathlib import Path

from animator.jobs.connection import connect
from animator.jobs.worker import JobWorker
from animator.launch.roles import Role, plan_services
from animator.settings import Settings
from tests.support_redis import private_redis


def test_workers_are_ready_once_all_have_signed_on(tmp_path: Path) -> None:
    with private_redis(tmp_path) as server, connect(server.url, patience=5.0) as client:
        settings = Settings(data_dir=tmp_path, job_workers=2)
        (stage,) = plan_services(Role.WORKER, settings)
        seen = []
        for _ in range(2):
            seen.append([service.is_ready() for service in stage])
            JobWorker(client, lambda: None).register_birth()  # type: ignore[no-untyped-call]
        assert seen == [[False, False], [False, False]]
        assert [service.is_ready() for service in stage] == [True, True]


def test_workers_are_not_ready_without_a_queue(tmp_path: Path) -> None:
    (stage,) = plan_services(Role.WORKER, Settings(data_dir=tmp_path, job_workers=1))
    assert not stage[0].is_ready()


def test_model_server_is_given_its_tuned_configuration(tmp_path: Path) -> None:
    tuned = tmp_path / "tuned.toml"
    for config, expected in ((None, []), (tuned, ["--config", str(tuned)])):
        settings = Settings(data_dir=tmp_path, inference_config=config)
        ((service,),) = plan_services(Role.INFERENCE, settings)
        assert list(service.command[8:]) == expected
