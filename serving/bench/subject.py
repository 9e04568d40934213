"""Subject: the server that is measured, running already or started for each setting."""

import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Protocol
from urllib.parse import urlsplit

import httpx
import psutil

from serving.bench.management import Described, Management
from serving.bench.setting import Setting
from serving.bench.tuned import Model, server_config
from serving.bench.usage import family_of, listener_of
from serving.errors import BadInput, InvalidModel, ModelNotFound

__all__ = ("RunningServer", "StartedServer", "Subject", "free_ports")

_START_S = 180.0
_STOP_S = 15.0
_LOCAL = frozenset({"127.0.0.1", "localhost", "::1"})
_KINDS = ("inference", "management", "metrics")


class Subject(Protocol):
    """A server that is measured."""

    @property
    def place(self) -> tuple[str, int]:
        """Host and port of its inference."""
        ...

    def prepare(self, setting: Setting) -> None:
        """Have the model served so; raises a ServingError when that cannot be."""
        ...

    def processes(self) -> list[psutil.Process]:
        """Its processes; none where they cannot be seen."""
        ...

    def metrics(self) -> str:
        """Its metrics, as Prometheus' text."""
        ...

    def close(self) -> None:
        """Leave it as it was."""
        ...


class RunningServer:
    """A server that runs already; its model is registered anew with other numbers.

    Args:
        url: of its inference.
        management: of the same server.
        model: name of the model.
        archive: to register it by when it is not served; "" when it must be.
    """

    def __init__(self, url: str, management: Management, model: str, archive: str = "") -> None:
        parts = urlsplit(url)
        if parts.scheme != "http" or not parts.hostname:
            msg = f"{url} is no address to be measured: it must be http://host:port"
            raise BadInput(msg)
        self.place = parts.hostname, parts.port or 80
        self._management = management
        self._model = model
        self._archive = archive
        self._before = self._describe()

    def prepare(self, setting: Setting) -> None:
        """Scale, or register anew where the batches are others."""
        if setting.device or setting.precision:
            msg = "device and precision of a running server cannot be changed: leave --url away"
            raise BadInput(msg)
        now, delay_ms = self._describe(), round(setting.max_batch_delay_ms)
        if now is None:
            self._register(self._archive, setting.batch_size, delay_ms, setting.workers)
        elif (now.batch_size, now.max_batch_delay) != (setting.batch_size, delay_ms):
            self._management.unregister(self._model)
            self._register(now.model_url, setting.batch_size, delay_ms, setting.workers)
        elif (now.min_workers, len(now.workers)) != (setting.workers, setting.workers):
            self._management.scale(self._model, setting.workers)
        _await_workers(self._management, self._model, setting)

    def processes(self) -> list[psutil.Process]:
        """Who listens there and all below, on this machine, where the system tells."""
        pid = listener_of(self.place[1]) if self.place[0] in _LOCAL else None
        return family_of(pid) if pid else []

    def metrics(self) -> str:
        """Of the server."""
        return self._management.metrics()

    def close(self) -> None:
        """Serve the model as before."""
        before, now = self._before, self._describe()
        numbers = ("batch_size", "max_batch_delay", "min_workers")
        if before is None and now is not None:
            self._management.unregister(self._model)
        elif before and now and any(getattr(before, n) != getattr(now, n) for n in numbers):
            self._management.unregister(self._model)
            delay_ms = before.max_batch_delay
            self._register(before.model_url, before.batch_size, delay_ms, before.min_workers)
        self._management.close()

    def _register(self, url: str, batch_size: int, delay_ms: int, workers: int) -> None:
        self._management.register(
            url,
            self._model,
            batch_size=batch_size,
            max_batch_delay=delay_ms,
            initial_workers=workers,
        )

    def _describe(self) -> Described | None:
        try:
            return self._management.describe(self._model)
        except ModelNotFound:
            if self._archive:
                return None
            raise


class StartedServer:
    """A server of ours, started anew for each setting, with this one model.

    Threads are shared out among the workers at the start, hence a new one for each number of them.

    Args:
        model: which.
    """

    def __init__(self, model: Model) -> None:
        self._folder = Path(tempfile.mkdtemp(prefix="bench-"))
        self._model = _alone(model, self._folder / "models")
        self._served: Setting | None = None
        self._process: subprocess.Popen[bytes] | None = None
        self._ports: tuple[int, ...] = (0, 0, 0)
        self._management: Management | None = None

    @property
    def place(self) -> tuple[str, int]:
        """Where it is asked; another one after each start."""
        return "127.0.0.1", self._ports[0]

    def prepare(self, setting: Setting) -> None:
        """Start it, unless it runs with this setting.

        Raises:
            InvalidModel: when it does not start so; with the end of its log.
        """
        is_up = self._process is not None and self._process.poll() is None
        if is_up and self._served == setting.served:
            return
        self._stop()
        self._start(setting)
        self._served = setting.served

    def processes(self) -> list[psutil.Process]:
        """All of it."""
        return family_of(self._process.pid) if self._process else []

    def metrics(self) -> str:
        """Of the server."""
        return self._management.metrics() if self._management else ""

    def close(self) -> None:
        """End it, and remove what it wrote."""
        self._stop()
        shutil.rmtree(self._folder, ignore_errors=True)

    def _start(self, setting: Setting) -> None:
        self._ports = free_ports(len(_KINDS))
        config = self._folder / "serving.toml"
        config.write_text(server_config(self._model, setting, self._server_settings()))
        command = [sys.executable, "-m", "serving", "start", "--config", str(config)]
        with (self._folder / "log").open("wb") as log:
            self._process = subprocess.Popen(
                [*command, "--log-level", "warning"],
                cwd=self._folder,
                env=_environment(),
                stdout=log,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )
        urls = [f"http://127.0.0.1:{port}" for port in self._ports]
        self._await_ready(urls[0], self._process)
        self._management = Management(urls[1], urls[2], "")
        _await_workers(self._management, self._model.name, setting)

    def _server_settings(self) -> Mapping[str, Any]:
        ports = {f"{k}_port": port for k, port in zip(_KINDS, self._ports, strict=True)}
        own: dict[str, Any] = {"enable_grpc": False, "token_authorization": "off"}
        if self._model.is_remote:
            own["allowed_urls"] = [re.escape(self._model.archive)]
        return {**ports, **own}

    def _await_ready(self, url: str, process: "subprocess.Popen[bytes]") -> None:
        until = time.monotonic() + _START_S
        while time.monotonic() < until and process.poll() is None:
            try:
                if httpx.get(f"{url}/v2/health/ready", timeout=5).is_success:
                    return
            except httpx.HTTPError:
                time.sleep(0.02)
        said = (self._folder / "log").read_text(errors="replace").strip()
        self._stop()
        msg = f"the server does not start so: {said[-500:] or 'it says nothing'}"
        raise InvalidModel(msg)

    def _stop(self) -> None:
        if self._management is not None:
            self._management.close()
        processes = self.processes()
        if self._process is not None and self._process.poll() is None:
            self._process.send_signal(signal.SIGTERM)
        psutil.wait_procs(processes, timeout=_STOP_S)
        for process in processes:
            if process.is_running():
                process.kill()
        if self._process is not None:
            self._process.wait()
        self._process = self._management = self._served = None


def _await_workers(management: Management, model: str, setting: Setting) -> None:
    """Wait until all of them are ready: a server counts as ready with the first.

    Raises:
        InvalidModel: when they are not in time, or the archive's own file goes before the setting.
    """
    until = time.monotonic() + _START_S
    found = management.describe(model)
    got = (found.batch_size, found.min_workers)
    if got != (setting.batch_size, setting.workers):
        msg = f"{model} is served with batch size and workers {got} by its own "
        msg += "model-config.yaml: take batchSize, minWorkers and maxWorkers out of it"
        raise InvalidModel(msg)
    while found.ready < setting.workers:
        if time.monotonic() > until:
            msg = f"only {found.ready} of {setting.workers} workers were ready in {_START_S:g} s"
            raise InvalidModel(msg)
        time.sleep(0.05)
        found = management.describe(model)


def _alone(model: Model, folder: Path) -> Model:
    """A folder with nothing but this model, which others would compete with."""
    folder.mkdir()
    if not model.archive:
        source = model.models_dir / model.name
        if not source.is_dir():
            msg = f"there is no folder {model.name} in {model.models_dir}"
            raise ModelNotFound(msg)
        (folder / model.name).symlink_to(source.resolve())
        return Model(model.name, folder)
    if model.is_remote:
        return Model(model.name, folder, model.archive)
    source = model.models_dir / model.archive
    if not source.exists():
        msg = f"there is no archive {model.archive} in {model.models_dir}"
        raise ModelNotFound(msg)
    target = folder / Path(model.archive).name
    shutil.copytree(source, target) if source.is_dir() else shutil.copyfile(source, target)
    return Model(model.name, folder, target.name)


def _environment() -> dict[str, str]:
    """That of this process, with what it can import, wherever the server is at home."""
    paths = [str(Path(path).absolute()) for path in sys.path if path]
    clean = {k: v for k, v in os.environ.items() if not k.startswith("SERVING_")}
    return {**clean, "PYTHONPATH": os.pathsep.join(paths)}


def free_ports(count: int) -> tuple[int, ...]:
    """So many ports of this machine that nobody listens on just now."""
    sockets = [socket.create_server(("127.0.0.1", 0)) for _ in range(count)]
    ports = tuple(int(one.getsockname()[1]) for one in sockets)
    for one in sockets:
        one.close()
    return ports
