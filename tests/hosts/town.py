"""The whole product over ten hosts, and people who use it meanwhile."""

import json
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import dataclass, field
from typing import Any

from animator.launch.embedded_redis import find_redis_server
from tests.hosts.network import DATA, Host, Network
from tests.support_haproxy import POLICY, find_haproxy, replicas
from tests.support_s3 import BUCKET, KEY, SECRET
from tests.support_serve import wait_until

_NUMBERS = {
    "people": 2,
    "queue": 3,
    "store": 4,
    "proxy": 5,
    "models-1": 11,
    "models-2": 12,
    "worker-1": 21,
    "worker-2": 22,
    "web-1": 31,
    "web-2": 32,
}
_STORE_PORT = 9000
_PEOPLE = 3
_MODELS = "/mnt/animator/tests/support_models"
_HOST_START = 60.0


@dataclass
class Cost:
    """What one fault cost.

    Attributes:
        fault: which.
        begun: when, seconds of the clock that all share.
        healed: likewise.
        served: seconds from its beginning until somebody who came after it had a film.
    """

    fault: str
    begun: float
    healed: float = 0.0
    served: float = 0.0


@dataclass
class News:
    """What people told."""

    lines: list[dict[str, Any]] = field(default_factory=list)

    def of(self, what: str, **fields: Any) -> list[dict[str, Any]]:
        wanted = {"what": what, **fields}.items()
        return [line for line in list(self.lines) if wanted <= line.items()]

    def served_after(self, moment: float) -> float | None:
        """When the first who came after that had his film."""
        ends = [line["at"] for line in self.of("visit", how="done") if line["begun"] >= moment]
        return min(ends, default=None)


class Town:
    """Hosts with their parts of the product; a context manager.

    Args:
        network: to which they are added.
    """

    def __init__(self, network: Network) -> None:
        self.network = network
        for name, number in _NUMBERS.items():
            network.add(name, number)
        self.news = News()
        self.costs: list[Cost] = []
        self._stack = ExitStack()

    def __getitem__(self, name: str) -> Host:
        return self.network.hosts[name]

    @property
    def page(self) -> str:
        return f"http://{self['proxy'].address}:8000"

    def __enter__(self) -> "Town":
        for name in ("queue", "store", "models-1", "models-2"):
            self.start(name)
        self._wait_for_store()
        for name in ("worker-1", "worker-2", "web-1", "web-2", "proxy"):
            self.start(name)
        self.wait_for_page()
        self._people = self._send_people()
        return self

    def __exit__(self, *_: object) -> None:
        self._people.kill()
        self._stack.close()

    def start(self, name: str) -> None:
        """Switch a host on."""
        kind = name.partition("-")[0]
        starts: dict[str, Callable[[Host], None]] = {
            "queue": self._start_queue,
            "store": self._start_store,
            "models": self._start_models,
            "worker": self._start_worker,
            "web": self._start_web,
            "proxy": self._start_proxy,
        }
        starts[kind](self[name])

    def _start_queue(self, host: Host) -> None:
        options = ("--port", "6379", "--bind", "0.0.0.0", "--protected-mode", "no")
        kept = ("--appendonly", "yes", "--appendfsync", "always", "--save", "", "--dir", DATA)
        host.start((find_redis_server(), *options, *kept))

    def _start_store(self, host: Host) -> None:
        host.start((sys.executable, "-m", "tests.support_s3", str(_STORE_PORT), "0.0.0.0"))

    def _start_models(self, host: Host) -> None:
        self._serve(host, "inference", ANIMATOR_INFERENCE_HOST="0.0.0.0")

    def _start_worker(self, host: Host) -> None:
        proxy = f"http://{self['proxy'].address}:8080"
        self._serve(host, "worker", ANIMATOR_INFERENCE_URL=proxy, ANIMATOR_JOB_WORKERS="1")

    def _start_web(self, host: Host) -> None:
        limits = ("UPLOADS_A_MINUTE", "ANIMATIONS_A_MINUTE", "REQUESTS_A_MINUTE")
        self._serve(
            host,
            "web",
            ANIMATOR_HOST="0.0.0.0",
            ANIMATOR_METRICS_HOST="0.0.0.0",
            ANIMATOR_TRUSTED_PROXIES=self["proxy"].address,
            **{f"ANIMATOR_{limit}": "0" for limit in limits},
        )

    def _serve(self, host: Host, role: str, **settings: str) -> None:
        environment = {
            "ANIMATOR_DATA_DIR": DATA,
            "ANIMATOR_MODELS_DIR": _MODELS,
            "ANIMATOR_DRAIN_SECONDS": "3",
            "REDIS_URL": f"redis://{self['queue'].address}:6379",
            "ANIMATOR_STORE": f"s3://{BUCKET}/drawings",
            "ANIMATOR_STORE_ENDPOINT": f"http://{self['store'].address}:{_STORE_PORT}",
            "ANIMATOR_STORE_PATH_STYLE": "true",
            "AWS_ACCESS_KEY_ID": KEY,
            "AWS_SECRET_ACCESS_KEY": SECRET,
            "AWS_EC2_METADATA_DISABLED": "true",
        }
        command = (sys.executable, "-m", "animator", "serve", "--role", role)
        host.start(command, environment | settings)

    def _start_proxy(self, host: Host) -> None:
        places = {
            kind: [f"{self[f'{kind}-{number}'].address}:{port}" for number in (1, 2)]
            for kind, port in (("web", 8000), ("models", 8080))
        }
        (host.folder / "policy.cfg").write_text(POLICY.read_text())
        (host.folder / "hosts.cfg").write_text(replicas(places))
        files = ("-f", f"{DATA}/policy.cfg", "-f", f"{DATA}/hosts.cfg")
        host.start((find_haproxy(), "-db", *files))

    def _wait_for_store(self) -> None:
        url = f"http://{self['store'].address}:{_STORE_PORT}/{BUCKET}"
        command = ("curl", "--silent", "--fail", "--request", "PUT", url)
        wait_until(lambda: self.ask(*command) is not None, _HOST_START, "the start of the store")

    def wait_for_page(self) -> None:
        """Until the page answers, and both model servers are up."""
        wait_until(lambda: self.up("web") == self.up("models") == 2, _HOST_START, "all hosts up")

    def ask(self, *command: str) -> str | None:
        """What a program says that runs where the people are; None when it fails."""
        inside = ("ip", "netns", "exec", self.network.space("people"))
        found = subprocess.run((*inside, *command), capture_output=True, text=True, check=False)
        return found.stdout if found.returncode == 0 else None

    def metric(self, name: str, backend: str = "", more: str = "") -> float:
        """A sum over what the proxy tells of a backend."""
        url = f"http://{self['proxy'].address}:8404/metrics"
        text = self.ask("curl", "--silent", "--max-time", "3", url) or ""
        lines = [line for line in text.splitlines() if line.startswith(f"{name}{{")]
        chosen = [line for line in lines if f'proxy="{backend}"' in line and more in line]
        return sum(float(line.split()[-1]) for line in chosen)

    def up(self, backend: str) -> int:
        return int(self.metric("haproxy_server_status", backend, 'state="UP"'))

    def _send_people(self) -> "subprocess.Popen[str]":
        command = (sys.executable, "-m", "tests.hosts.people", self.page, str(_PEOPLE))
        process = subprocess.Popen(
            ("ip", "netns", "exec", self.network.space("people"), *command),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        self._listener = threading.Thread(target=self._listen, args=(process,))
        self._listener.start()
        return process

    def _listen(self, process: "subprocess.Popen[str]") -> None:
        for line in process.stdout or ():
            self.news.lines.append(json.loads(line))

    def call_people_home(self, within: float) -> None:
        """Until each of them knows what became of all that was accepted."""
        assert self._people.stdin is not None
        self._people.stdin.close()
        self._people.wait(timeout=within)
        self._listener.join()

    def suffer(
        self, fault: str, do: Callable[[], None], undo: Callable[[], None], seconds: float
    ) -> Cost:
        """Let a fault last so long, and wait until people are served again."""
        cost = Cost(fault, time.monotonic())
        do()
        time.sleep(seconds)
        undo()
        cost.healed = time.monotonic()
        wait_until(lambda: self.news.served_after(cost.begun) is not None, 90, "a film")
        cost.served = (self.news.served_after(cost.begun) or 0.0) - cost.begun
        self.costs.append(cost)
        return cost
