"""The whole product over twelve hosts, and people who use it meanwhile."""

import json
import subprocess
import sys
import threading
import time
from dataclasses import dataclass, field
from typing import Any

from tests.hosts import parts
from tests.hosts.network import Host, Network
from tests.hosts.parts import NUMBERS, QUEUES, STORE_PORT
from tests.hosts.trial import Cost, Trial
from tests.support_s3 import BUCKET
from tests.support_sentinel import MASTER
from tests.support_serve import wait_until

_PEOPLE = 3
_HOST_START = 90.0
_MASTER = f"""
from redis.sentinel import Sentinel
print(Sentinel([(host, 26379) for host in %r], socket_timeout=1).discover_master({MASTER!r})[0])
"""
"""A program: the address of the present master."""


@dataclass
class News:
    """What people told."""

    lines: list[dict[str, Any]] = field(default_factory=list)

    def of(self, what: str, **fields: Any) -> list[dict[str, Any]]:
        """All of a kind, in the order in which it happened."""
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
        for name, number in NUMBERS.items():
            network.add(name, number)
        self.news = News()
        self.costs: list[Cost] = []

    def __getitem__(self, name: str) -> Host:
        return self.network.hosts[name]

    def __enter__(self) -> "Town":
        for name in (*QUEUES, "store", "models-1", "models-2"):
            self.start(name)
        self._make_bucket()
        for name in ("worker-1", "worker-2", "web-1", "web-2", "proxy"):
            self.start(name)
        self.wait_until_whole()
        self._people = self._send_people()
        return self

    def __exit__(self, *_: object) -> None:
        self._people.kill()
        self._listener.join()
        for pipe in (self._people.stdin, self._people.stdout):
            if pipe is not None:
                pipe.close()
        self._people.wait()

    def start(self, name: str) -> None:
        """Switch a host on."""
        parts.start(name, self.network.hosts)

    def wait_until_whole(self) -> None:
        """Until the proxy reaches all replicas, and sentinels a master."""
        wait_until(lambda: self.up("web") == self.up("models") == 2, _HOST_START, "all hosts up")
        wait_until(lambda: self._master() is not None, _HOST_START, "a master of the queue")

    def master(self) -> Host:
        """Which host's Redis takes the jobs now."""
        address = self._master()
        return next(self[name] for name in QUEUES if self[name].address == address)

    def suffer(self, trial: Trial) -> None:
        """Let something happen, put it right, and wait until people are served again."""
        cost = Cost(trial.name, time.monotonic())
        trial.do()
        time.sleep(trial.seconds)
        cost.over = time.monotonic()
        trial.undo()
        wait_until(lambda: self.news.served_after(cost.begun) is not None, 120, "a film")
        cost.served = (self.news.served_after(cost.begun) or 0.0) - cost.begun
        self.costs.append(cost)
        self.wait_until_whole()

    def up(self, backend: str) -> int:
        """How many replicas the proxy holds for well."""
        text = self._ask("curl", "--silent", "--max-time", "3", self._proxy(8404) + "/metrics")
        wanted = ("haproxy_server_status{", f'proxy="{backend}"', 'state="UP"')
        lines = (text or "").splitlines()
        return sum(all(word in line for word in wanted) and line.endswith(" 1") for line in lines)

    def call_people_home(self, within: float) -> None:
        """Until each of them knows what became of all that was accepted."""
        assert self._people.stdin is not None
        self._people.stdin.close()
        self._people.wait(timeout=within)
        self._listener.join()

    def _proxy(self, port: int) -> str:
        return f"http://{self['proxy'].address}:{port}"

    def _master(self) -> str | None:
        addresses = [self[name].address for name in QUEUES]
        found = self._ask(sys.executable, "-c", _MASTER % addresses)
        return found.strip() if found else None

    def _make_bucket(self) -> None:
        url = f"http://{self['store'].address}:{STORE_PORT}/{BUCKET}"
        command = ("curl", "--silent", "--fail", "--request", "PUT", url)
        wait_until(lambda: self._ask(*command) is not None, _HOST_START, "the start of the store")

    def _ask(self, *command: str) -> str | None:
        """What a program says that runs where the people are; None when it fails."""
        inside = ("ip", "netns", "exec", self.network.space("people"))
        found = subprocess.run((*inside, *command), capture_output=True, text=True, check=False)
        return found.stdout if found.returncode == 0 else None

    def _send_people(self) -> "subprocess.Popen[str]":
        command = (sys.executable, "-m", "tests.hosts.people", self._proxy(8000), str(_PEOPLE))
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
