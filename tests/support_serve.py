"""A whole Animator in processes of its own, for tests that use it and tests that break it."""

import io
import os
import secrets
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

import httpx
from PIL import Image, ImageDraw

from serving.bench.ports import free_ports

ROOT = Path(__file__).parents[1]
TINY_MODELS = Path(__file__).parent / "support_models"
MODELS = Path(os.environ.get("ANIMATOR_TEST_MODELS", TINY_MODELS)).absolute()
"""What the tests serve: fast stand-ins, unless ANIMATOR_TEST_MODELS names the folder `models`."""

PATIENCE = 30.0


def draw_doll() -> bytes:
    """A PNG of a stick figure on white, which both the stand-ins and the real models find."""
    image = Image.new("RGB", (300, 400), "white")
    pen = ImageDraw.Draw(image)
    pen.ellipse((115, 40, 185, 110), fill="orange", outline="black", width=6)
    for line in (
        (150, 110, 150, 240),
        (60, 180, 240, 180),
        (150, 240, 110, 360),
        (150, 240, 190, 360),
    ):
        pen.line(line, fill="black", width=8)
    buffer = io.BytesIO()
    image.save(buffer, "PNG")
    return buffer.getvalue()


def wait_until(is_true: Callable[[], bool], within: float, what: str) -> float:
    """Seconds that it took; fails after `within`."""
    begun = time.monotonic()
    while not is_true():
        if time.monotonic() - begun > within:
            raise AssertionError(f"{what} did not happen within {within} s")
        time.sleep(0.02)
    return time.monotonic() - begun


@dataclass(frozen=True)
class Process:
    """A process as /proc shows it."""

    pid: int
    parent: int
    command: str

    def kill(self) -> None:
        os.kill(self.pid, signal.SIGKILL)


def list_processes() -> list[Process]:
    found = []
    for folder in Path("/proc").iterdir():
        if folder.name.isdigit():
            try:
                stat = (folder / "stat").read_text()
                command = (folder / "cmdline").read_bytes().replace(b"\0", b" ").decode()
            except (FileNotFoundError, ProcessLookupError):
                continue
            state, parent = stat.rpartition(")")[2].split()[:2]
            if state != "Z":
                found.append(Process(int(folder.name), int(parent), command))
    return found


def is_running(pid: int) -> bool:
    """Whether there is such a process, and it has not ended."""
    return any(process.pid == pid for process in list_processes())


def descendants(pid: int) -> list[Process]:
    processes, known = list_processes(), {pid}
    while more := {p.pid for p in processes if p.parent in known} - known:
        known |= more
    return [p for p in processes if p.pid in known - {pid}]


class App:
    """A running `animator serve`."""

    models = ""
    """Address of the model server."""

    metrics: tuple[int, int] = (0, 0)
    """Ports of the metrics of the models, and of those of page and jobs."""

    def __init__(self, process: subprocess.Popen[bytes], url: str, data_dir: Path) -> None:
        self.process = process
        self.data_dir = data_dir
        self.url = url
        self.http = httpx.Client(base_url=url, timeout=30)

    def parts(self, word: str) -> list[Process]:
        """Descendants whose command has a word, eldest first."""
        return sorted(
            (p for p in descendants(self.process.pid) if word in p.command), key=lambda p: p.pid
        )

    def job_worker(self) -> Process:
        """The job worker itself, not the process that it forks for a job."""
        return next(p for p in self.parts("animator.launch worker") if p.parent == self.process.pid)

    @property
    def owner(self) -> Any:
        """What a browser needs to be the owner of what `http` handed in: its `storage_state`."""
        cookies = [
            {
                "name": cookie.name,
                "value": cookie.value,
                "domain": "127.0.0.1",
                "path": "/",
                "expires": -1,
                "httpOnly": True,
                "secure": False,
                "sameSite": "Strict",
            }
            for cookie in self.http.cookies.jar
        ]
        return {"cookies": cookies, "origins": []}

    def upload(self, picture: bytes) -> dict[str, Any]:
        # The same bytes again would be the same drawing; those after its end are no part of it.
        own = picture + secrets.token_bytes(8)
        answer = self.http.post("/api/drawings", files={"file": ("doll.png", own)})
        assert answer.is_success, answer.text
        drawing: dict[str, Any] = answer.json()
        return drawing

    def animate(self, drawing: str, motion: str = "wave") -> dict[str, Any]:
        answer = self.http.post(
            f"/api/drawings/{drawing}/animations", json={"motion": motion, "side": 128}
        )
        assert answer.is_success, answer.text
        animation: dict[str, Any] = answer.json()
        return animation

    def event(self, job: str) -> dict[str, Any]:
        answer = self.http.get(f"/api/jobs/{job}")
        answer.raise_for_status()
        event: dict[str, Any] = answer.json()
        return event

    def wait_for_job(self, job: str, within: float = PATIENCE) -> dict[str, Any]:
        """Its last event."""
        wait_until(
            lambda: self.event(job)["state"] in ("done", "failed"), within, f"the end of {job}"
        )
        return self.event(job)

    def wait_for_work(self, job: str) -> None:
        """Until the job is under way."""
        wait_until(lambda: self.event(job)["state"] == "running", PATIENCE, f"the start of {job}")

    def stop(self) -> float:
        """Seconds that it took."""
        begun = time.monotonic()
        self.process.send_signal(signal.SIGINT)
        self.process.wait(timeout=10)
        return time.monotonic() - begun


def launch(
    arguments: list[str], environment: Mapping[str, str], log: IO[bytes] | None = None
) -> subprocess.Popen[bytes]:
    """Start `animator serve`; the caller ends it."""
    clean = {k: v for k, v in os.environ.items() if not k.startswith(("ANIMATOR_", "REDIS_URL"))}
    return subprocess.Popen(
        [sys.executable, "-m", "animator", "serve", *arguments],
        env={**clean, **environment},
        cwd=ROOT,
        stdin=subprocess.DEVNULL,
        stderr=log,
    )


@contextmanager
def serving_app(
    data_dir: Path,
    *,
    pause: float = 0.0,
    models: Path = MODELS,
    port: int | None = None,
    learning: bool = False,
    more: Mapping[str, str] | None = None,
    log: IO[bytes] | None = None,
) -> Iterator[App]:
    """Everything in one `animator serve`; `pause` seconds are spent in the detector.

    port: of the page, as that of one that was stopped; any that is free where it is left out.
    learning: whether people may allow that their drawings are learned from.
    more: further variables of its environment.
    log: where its log goes; None: to ours.
    """
    free, *others = free_ports(5)
    web = port or free
    flags = ("--inference-port", "--management-port", "--metrics-port", "--app-metrics-port")
    arguments = ["--data-dir", str(data_dir), "--models-dir", str(models), "--port", str(web)]
    arguments += [
        word for flag, port in zip(flags, others, strict=True) for word in (flag, str(port))
    ]
    environment = {"ANIMATOR_TEST_PAUSE": str(pause), "ANIMATOR_LEARNING": str(learning).lower()}
    process = launch(arguments, {**environment, **(more or {})}, log)
    app = App(process, f"http://127.0.0.1:{web}", data_dir)
    app.models, app.metrics = f"http://127.0.0.1:{others[0]}", (others[2], others[3])
    try:
        wait_until(lambda: is_answering(app) or process.poll() is not None, 60, "the start")
        assert process.poll() is None, "animator serve ended"
        yield app
    finally:
        app.http.close()
        if process.poll() is None:
            app.stop()


def is_answering(app: App) -> bool:
    try:
        return app.http.get("/api/health").status_code == 200
    except httpx.TransportError:
        return False
