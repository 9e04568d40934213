"""Roles: which services run here, what each needs, and how one tells that it is ready."""

import functools
import http.client
import socket
import sys
from collections.abc import Callable
from contextlib import closing, suppress
from enum import StrEnum
from urllib.parse import urlsplit

import redis.exceptions

from animator.jobs.connection import connect_once
from animator.jobs.worker import count_live_workers
from animator.launch.address import url_of
from animator.launch.embedded_redis import REDIS_LOG, is_redis_up, make_redis_command
from animator.launch.service import Service
from animator.settings import Settings, settings_to_environment

__all__ = ("Role", "plan_services", "ports_of")

Stages = tuple[tuple[Service, ...], ...]

_ANSWER_WITHIN = 1.0


class Role(StrEnum):
    """What one `animator serve` does."""

    ALL = "all"
    WEB = "web"
    INFERENCE = "inference"
    WORKER = "worker"


def plan_services(role: Role, settings: Settings) -> Stages:
    """The services of a role, in stages: each stage needs those before it."""
    plans: dict[Role, Callable[[Settings], Stages]] = {
        Role.ALL: _plan_all,
        Role.WEB: lambda settings: ((_web(settings),),),
        Role.INFERENCE: lambda settings: ((_inference(settings),),),
        Role.WORKER: lambda settings: (_workers(settings),),
    }
    return plans[role](settings)


def ports_of(role: Role, settings: Settings) -> dict[str, tuple[str, int]]:
    """Where a role listens: the flag that changes it -> address and port."""
    web = {"--port": (settings.host, settings.port)}
    inference = {
        "--inference-port": (settings.inference_host, settings.inference_port),
        "--management-port": (settings.inference_host, settings.management_port),
        "--metrics-port": (settings.inference_host, settings.metrics_port),
    }
    return {
        Role.ALL: {**web, **inference},
        Role.WEB: web,
        Role.INFERENCE: inference,
        Role.WORKER: {},
    }[role]


def _plan_all(settings: Settings) -> Stages:
    rest = (_inference(settings), *_workers(settings), _web(settings))
    return (rest,) if settings.redis_url else ((_redis(settings),), rest)


def _redis(settings: Settings) -> Service:
    return Service(
        name="redis",
        command=make_redis_command(settings),
        is_ready=functools.partial(is_redis_up, settings.redis),
        log=f"in {settings.redis_dir / REDIS_LOG}",
    )


def _inference(settings: Settings) -> Service:
    return Service(
        name="inference",
        command=(sys.executable, "-m", "serving", "start", *_inference_flags(settings)),
        environment={
            "SERVING_MODELS_DIR": str(settings.models_dir),
            "SERVING_HOST": settings.inference_host,
            "SERVING_INFERENCE_PORT": str(settings.inference_port),
            "SERVING_MANAGEMENT_PORT": str(settings.management_port),
            "SERVING_METRICS_PORT": str(settings.metrics_port),
            # Management asks for a token; whoever may read this file has it.
            "SERVING_KEY_FILE": str(settings.serving_keys),
            "SERVING_AUDIT_FILE": str(settings.serving_audit),
            # What it knows of releases and watched folders is there again after a restart.
            "SERVING_RELEASES_FILE": str(settings.data_dir / "serving-releases.json"),
            "SERVING_WATCH_STATE_FILE": str(settings.data_dir / "serving-watched.json"),
            "SERVING_DRAIN_S": str(settings.drain_seconds),
            **_traces(settings),
            # Nobody here speaks it, and its two ports are fixed ones.
            "SERVING_ENABLE_GRPC": "false",
        },
        is_ready=_asks(
            url_of(settings.inference_host, settings.inference_port) + "/v2/health/ready"
        ),
    )


def _traces(settings: Settings) -> dict[str, str]:
    said = {"ENDPOINT": settings.trace_endpoint, "SHARE": settings.trace_share}
    return {f"SERVING_TRACE_{name}": str(v) for name, v in said.items() if v is not None}


def _inference_flags(settings: Settings) -> tuple[str, ...]:
    config = settings.inference_config
    tuned = ("--config", str(config.expanduser())) if config else ()
    log = ("--log-level", settings.log_level, "--log-format", settings.log_format)
    return (*log, *tuned)


def _workers(settings: Settings) -> tuple[Service, ...]:
    return tuple(
        _own(f"worker-{number}", "worker", settings, functools.partial(_have_workers, settings))
        for number in range(1, settings.job_workers + 1)
    )


def _web(settings: Settings) -> Service:
    return _own("web", "web", settings, _asks(url_of(settings.host, settings.port) + "/api/health"))


def _own(name: str, part: str, settings: Settings, is_ready: Callable[[], bool]) -> Service:
    return Service(
        name=name,
        command=(sys.executable, "-m", "animator.launch", part),
        environment=settings_to_environment(settings),
        is_ready=is_ready,
    )


def _have_workers(settings: Settings) -> bool:
    """Whether all job workers have signed on, which each does once its libraries are loaded."""
    with suppress(redis.exceptions.RedisError, ValueError), connect_once(settings.redis) as client:
        return count_live_workers(client, socket.gethostname()) >= settings.job_workers
    return False


def _asks(url: str) -> Callable[[], bool]:
    """A function that tells whether the answer to a GET is 200."""
    parts = urlsplit(url)

    def is_ready() -> bool:
        connection = http.client.HTTPConnection(parts.netloc, timeout=_ANSWER_WITHIN)
        with suppress(OSError, http.client.HTTPException), closing(connection):
            connection.request("GET", parts.path)
            return connection.getresponse().status == http.HTTPStatus.OK
        return False

    return is_ready
