"""The product as processes: started, watched, and found by what they do."""

import contextlib
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import httpx
import psutil

from animator.launch.embedded_redis import is_redis_up, make_redis_command
from animator.settings import Settings
from serving.bench.ports import free_ports

__all__ = ("FORMS", "Form", "Part", "Product", "role_of")

Form = Literal["whole", "parts"]
"""One `animator serve`; or each part by itself, as `compose.yaml` has them."""

FORMS: tuple[Form, ...] = ("whole", "parts")

ROOT = Path(__file__).parents[2]

_WORDS = {
    "animator serve": "supervisor",
    "animator.launch web": "web",
    "animator.launch worker": "worker",
    "-m serving start": "inference",
    "serving.workers": "model",
    "valkey-server": "redis",
    "redis-server": "redis",
}
"""A word of a command line -> what the process does; the first that fits."""

_START_S = 180.0
_STOP_S = 15.0
_LOOK_S = 0.5
_JOB_WORKERS = "2"
_UNLIMITED = ("UPLOADS_A_MINUTE", "ANIMATIONS_A_MINUTE", "REQUESTS_A_MINUTE")


@dataclass(frozen=True)
class Part:
    """One process that is started by itself, and started again when it ends.

    Attributes:
        name: for people.
        command: program and arguments.
        environment: beside that of this process.
    """

    name: str
    command: tuple[str, ...]
    environment: Mapping[str, str]


class Product:
    """A whole Animator in a folder of its own.

    Args:
        folder: of logs and temporary files.
        data: folder of its data, perhaps on a small disk.
        form: one `animator serve`, or each part by itself.
        models: folder of the models.
    """

    def __init__(self, folder: Path, data: Path, form: Form, models: Path) -> None:
        web, inference, management, metrics, app_metrics, grpc, grpc_management = free_ports(7)
        self.data = data
        self.temp = folder / "temp"
        self.form = form
        self.url = f"http://127.0.0.1:{web}"
        self.models_url = f"http://127.0.0.1:{inference}"
        self.grpc = f"127.0.0.1:{grpc}" if form == "parts" else ""
        self.settings = Settings(
            port=web,
            inference_port=inference,
            management_port=management,
            metrics_port=metrics,
            app_metrics_port=app_metrics,
            data_dir=data,
            models_dir=models,
        )
        self._folder = folder
        self._grpc_ports = (grpc, grpc_management)
        self._running: dict[str, subprocess.Popen[bytes]] = {}
        self._lock = threading.RLock()
        self._is_wanted = False

    def start(self) -> None:
        """Start all and wait until it answers.

        Raises:
            TimeoutError: when it does not, within three minutes.
        """
        self.temp.mkdir(parents=True, exist_ok=True)
        self._is_wanted = True
        for part in self._parts():
            self._start(part)
            if part.name == "redis":
                self._await(lambda: is_redis_up(self.settings.redis), "Redis")
        self._await(self.is_well, "the product")

    def stop(self) -> None:
        """Stop all of it, in order; what does not stop within 15 s is killed."""
        self._is_wanted = False
        with self._lock:
            running = dict(reversed(self._running.items()))
            self._running.clear()
        for process in running.values():
            with contextlib.suppress(ProcessLookupError):
                process.send_signal(signal.SIGTERM)
                process.send_signal(signal.SIGCONT)
            try:
                process.wait(_STOP_S)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()

    def watch(self, done: threading.Event) -> None:
        """Start again what ended, as containers are, until done."""
        while not done.wait(_LOOK_S):
            with self._lock:
                for part in self._parts():
                    process = self._running.get(part.name)
                    if self._is_wanted and process is not None and process.poll() is not None:
                        self._start(part)

    def restart(self, number: signal.Signals) -> None:
        """End one part that was started by itself, so that it is started again; the whole, or web.

        Args:
            number: how it is ended.
        """
        with self._lock:
            name = "whole" if self.form == "whole" else "web"
            self._running[name].send_signal(number)

    def is_well(self) -> bool:
        """Whether page, models and queue answer."""
        with contextlib.suppress(httpx.HTTPError):
            pages = (f"{self.url}/api/health", f"{self.models_url}/v2/health/ready")
            answers = [httpx.get(page, timeout=2).is_success for page in pages]
            return all(answers) and is_redis_up(self.settings.redis)
        return False

    def processes(self) -> Iterator[tuple[str, psutil.Process]]:
        """Each process of ours with its role."""
        with self._lock:
            firsts = [process.pid for process in self._running.values()]
        for pid in firsts:
            with contextlib.suppress(psutil.Error):
                first = psutil.Process(pid)
                family = [first, *first.children(recursive=True)]
                roles = {process.pid: role_of(process) for process in family}
                for process in family:
                    yield _job_or(roles[process.pid], process, roles), process

    def find(self, role: str) -> list[psutil.Process]:
        """The processes of a role, eldest first."""
        found = [process for its, process in self.processes() if its == role]
        return sorted(found, key=lambda process: process.pid)

    def _parts(self) -> Iterator[Part]:
        common = {**_unlimited(), "TMPDIR": str(self.temp), "PYTHONPATH": str(ROOT)}
        common["SERVING_ENABLE_MODEL_API"] = "true"
        flags = self._flags()
        serve = (sys.executable, "-m", "animator", "serve", *flags)
        if self.form == "whole":
            yield Part("whole", serve, common)
            return
        yield Part("redis", make_redis_command(self.settings), common)
        yield Part("inference", (sys.executable, "-m", "serving", "start"), self._serving(common))
        shared = common | {"REDIS_URL": self.settings.redis}
        yield Part("worker", (*serve, "--role", "worker"), shared)
        yield Part("web", (*serve, "--role", "web"), shared)

    def _flags(self) -> Iterator[str]:
        settings = self.settings
        yield from ("--data-dir", str(settings.data_dir), "--models-dir", str(settings.models_dir))
        yield from ("--port", str(settings.port), "--inference-port", str(settings.inference_port))
        yield from ("--management-port", str(settings.management_port))
        yield from ("--metrics-port", str(settings.metrics_port))
        yield from ("--app-metrics-port", str(settings.app_metrics_port))

    def _serving(self, common: Mapping[str, str]) -> dict[str, str]:
        settings = self.settings
        return {
            **common,
            "SERVING_MODELS_DIR": str(settings.models_dir),
            "SERVING_INFERENCE_PORT": str(settings.inference_port),
            "SERVING_MANAGEMENT_PORT": str(settings.management_port),
            "SERVING_METRICS_PORT": str(settings.metrics_port),
            "SERVING_GRPC_INFERENCE_PORT": str(self._grpc_ports[0]),
            "SERVING_GRPC_MANAGEMENT_PORT": str(self._grpc_ports[1]),
            "SERVING_KEY_FILE": str(settings.data_dir / "serving-keys.json"),
        }

    def _start(self, part: Part) -> None:
        with (self._folder / f"{part.name}.log").open("ab") as log:
            self._running[part.name] = subprocess.Popen(
                part.command,
                env={**_own_environment(), **part.environment},
                cwd=ROOT,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
            )

    def _await(self, is_there: Callable[[], bool], what: str) -> None:
        until = time.monotonic() + _START_S
        while not is_there():
            if time.monotonic() > until:
                msg = f"{what} does not start; read the logs in {self._folder}"
                raise TimeoutError(msg)
            time.sleep(_LOOK_S)


def role_of(process: psutil.Process) -> str:
    """What a process of ours does; "zombie" of one that ended and that nobody has waited for."""
    with contextlib.suppress(psutil.Error):
        if process.status() == psutil.STATUS_ZOMBIE:
            return "zombie"
        line = " ".join(process.cmdline())
        return next((role for word, role in _WORDS.items() if word in line), "other")
    return "other"


def _job_or(role: str, process: psutil.Process, roles: Mapping[int, str]) -> str:
    """A job worker forks for each job: the fork is no worker."""
    with contextlib.suppress(psutil.Error):
        if role == "worker" and roles.get(process.ppid()) == "worker":
            return "job"
    return role


def _unlimited() -> dict[str, str]:
    return {
        "ANIMATOR_JOB_WORKERS": _JOB_WORKERS,
        **{f"ANIMATOR_{name}": "0" for name in _UNLIMITED},
    }


def _own_environment() -> dict[str, str]:
    """That of this process, without what would set up another product."""
    ours = ("ANIMATOR_", "SERVING_", "REDIS_URL")
    return {name: value for name, value in os.environ.items() if not name.startswith(ours)}
