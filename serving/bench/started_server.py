"""StartedServer: one of ours, started for nothing but the measurement."""

import contextlib
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import httpx
import psutil

from serving.bench.management import Management
from serving.bench.ports import free_ports
from serving.bench.setting import Setting
from serving.bench.subject import START_S, await_workers, change
from serving.bench.tuned import Model, server_config
from serving.bench.usage import family_of
from serving.errors import InvalidModel, ModelNotFound, ServerUnavailable

__all__ = ("StartedServer",)

_STOP_S = 15.0
_KINDS = ("inference", "management", "metrics")


class StartedServer:
    """A server of ours with nothing but this one model.

    For another setting the model is changed as `change` does, which takes less than half of the
    time of a start, or none. Device, precision and parts of a millisecond cannot be said then, so
    that these need a start.

    Args:
        model: which.

    Raises:
        ModelNotFound: when it is not there.
    """

    def __init__(self, model: Model) -> None:
        source = _source_of(model)
        self._folder = Path(tempfile.mkdtemp(prefix="bench-"))
        try:
            self._model = _alone(model, source, self._folder / "models")
        except BaseException:
            shutil.rmtree(self._folder, ignore_errors=True)
            raise
        self._served: Setting | None = None
        self._process: subprocess.Popen[bytes] | None = None
        self._ports: tuple[int, ...] = (0, 0, 0)
        self._management: Management | None = None

    @property
    def place(self) -> tuple[str, int]:
        """Where it is asked; another one after each start."""
        return "127.0.0.1", self._ports[0]

    def prepare(self, setting: Setting) -> None:
        """Serve the model so, unless it is; start the server where it must be.

        Raises:
            InvalidModel: when it does not start so; with the end of its log.
            ServingError: when the model cannot be served so.
        """
        before, self._served = self._served, None
        is_up = self._process is not None and self._process.poll() is None
        if not is_up or before is None or _needs_start(before, setting.served):
            self._stop()
            self._start(setting)
        elif before != setting.served:
            self._change(setting)
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
        await_workers(self._management, self._model.name, setting)

    def _change(self, setting: Setting) -> None:
        if self._management is None:
            raise ServerUnavailable("the server has not been started")
        name = self._model.name
        change(self._management, name, self._model.archive or name, setting)

    def _server_settings(self) -> Mapping[str, Any]:
        ports = {f"{k}_port": port for k, port in zip(_KINDS, self._ports, strict=True)}
        own: dict[str, Any] = {
            "enable_grpc": False,
            "enable_model_api": True,
            "token_authorization": "off",
        }
        if self._model.is_remote:
            own["allowed_urls"] = [re.escape(self._model.archive)]
        return {**ports, **own}

    def _await_ready(self, url: str, process: "subprocess.Popen[bytes]") -> None:
        until = time.monotonic() + START_S
        while time.monotonic() < until and process.poll() is None:
            with contextlib.suppress(httpx.HTTPError):
                if httpx.get(f"{url}/v2/health/ready", timeout=5).is_success:
                    return
            # Also when it says that it is not: who asks on and on slows the start down.
            time.sleep(0.02)
        said = (self._folder / "log").read_text(errors="replace").strip() or "it says nothing"
        self._stop()
        # Its last words, where it ended by itself, are the reason; lines before tell how it came.
        last = said.rpartition("\n")[2]
        reason = last.removeprefix("serving: ") if last.startswith("serving: ") else said[-500:]
        msg = f"the server does not start so: {reason}"
        raise InvalidModel(msg)

    def _stop(self) -> None:
        if self._management is not None:
            self._management.close()
        processes = self.processes()
        if self._process is not None and self._process.poll() is None:
            self._process.send_signal(signal.SIGTERM)
        _, alive = psutil.wait_procs(processes, timeout=_STOP_S)
        for process in alive:
            with contextlib.suppress(psutil.NoSuchProcess):
                process.kill()
        if self._process is not None:
            self._process.wait()
        self._process = self._management = None


def _needs_start(before: Setting, setting: Setting) -> bool:
    """Whether it differs in what cannot be said when a model is registered."""
    if (before.device, before.precision) != (setting.device, setting.precision):
        return True
    return before != setting and setting.max_batch_delay_ms % 1 != 0


def _source_of(model: Model) -> Path:
    source = model.models_dir / (model.archive or model.name)
    if model.is_remote or (source.exists() if model.archive else source.is_dir()):
        return source
    kind = "archive" if model.archive else "folder"
    msg = f"there is no {kind} {source.name} in {model.models_dir}"
    raise ModelNotFound(msg)


def _alone(model: Model, source: Path, folder: Path) -> Model:
    """A folder with nothing but this model, which others would compete with."""
    folder.mkdir()
    if model.is_remote:
        return Model(model.name, folder, model.archive)
    target = folder / source.name
    if source.is_dir():
        shutil.copytree(source, target, copy_function=_link)
    else:
        _link(source, target)
    return Model(model.name, folder, target.name if model.archive else "")


def _link(source: str | Path, target: str | Path) -> None:
    """A second name of the same file, for weights are large; a copy where that cannot be."""
    try:
        os.link(Path(source).resolve(), target)
    except OSError:
        shutil.copyfile(source, target)


def _environment() -> dict[str, str]:
    """That of this process, with what it can import, wherever the server is at home."""
    paths = [str(Path(path).absolute()) for path in sys.path if path]
    clean = {k: v for k, v in os.environ.items() if not k.startswith("SERVING_")}
    return {**clean, "PYTHONPATH": os.pathsep.join(paths)}
