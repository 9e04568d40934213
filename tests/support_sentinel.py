"""Several Redis servers on this machine: a master, its replicas, and the sentinels that watch."""

import os
import shutil
import signal
import subprocess
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import pytest
import redis.exceptions
from redis import Redis

from animator.launch.embedded_redis import find_redis_server
from serving.bench.ports import free_ports
from tests.support_serve import wait_until

MASTER = "drawings"
DOWN_AFTER_MS = 1000
"""How long a server must be silent before a sentinel takes it for dead."""


class Server:
    """One server or sentinel, in a folder of its own."""

    def __init__(
        self, binary: str, folder: Path, port: int, lines: list[str], client: Mapping[str, Any]
    ) -> None:
        folder.mkdir()
        self.port = port
        self.client = client
        self._command = [binary, str(folder / "server.conf")]
        is_sentinel = any(line.startswith("sentinel") for line in lines)
        if is_sentinel:
            self._command.append("--sentinel")
        always = [f"dir {folder}", 'logfile "log"', "protected-mode no", "loglevel notice"]
        (folder / "server.conf").write_text("\n".join([*always, *lines, ""]))
        self._process: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        self._process = subprocess.Popen(self._command, stdout=subprocess.DEVNULL)
        wait_until(self.answers, 10, f"the start of the server on port {self.port}")

    def send(self, signum: signal.Signals) -> None:
        assert self._process is not None
        os.kill(self._process.pid, signum)

    def kill(self) -> None:
        if self._process is not None:
            self._process.kill()
            self._process.wait()

    def answers(self) -> bool:
        with suppress(redis.exceptions.RedisError), self.connect() as client:
            return bool(client.ping())
        return False

    def connect(self) -> Redis:
        return Redis(host="127.0.0.1", port=self.port, socket_timeout=1, **self.client)


class Guard:
    """A master, two replicas and three sentinels."""

    def __init__(
        self,
        folder: Path,
        binary: str,
        *,
        lines: tuple[str, ...] = (),
        port_word: str = "port",
        client: Mapping[str, Any] | None = None,
        watch_lines: tuple[str, ...] = (),
    ) -> None:
        ports = free_ports(6)
        known = client or {}
        common = [
            *lines,
            'save ""',
            "appendonly yes",
            "appendfsync always",
            "repl-diskless-sync yes",
        ]
        common += ["repl-diskless-sync-delay 0"]
        self.servers = []
        for number, port in enumerate(ports[:3]):
            own = [f"{port_word} {port}", *common]
            if port_word != "port":
                own.append("port 0")
            if number:
                own += [f"replicaof 127.0.0.1 {ports[0]}"]
            self.servers.append(Server(binary, folder / str(number), port, own, known))
        watch = [
            f"sentinel monitor {MASTER} 127.0.0.1 {ports[0]} 2",
            f"sentinel down-after-milliseconds {MASTER} {DOWN_AFTER_MS}",
            f"sentinel failover-timeout {MASTER} 6000",
            *(f"sentinel {line.replace('MASTER', MASTER)}" for line in watch_lines),
        ]
        self.sentinels = []
        for number, port in enumerate(ports[3:], start=3):
            own = [f"{port_word} {port}"]
            if port_word != "port":
                own += ["port 0", *(line for line in lines if line.startswith("tls"))]
            no_user = {name: value for name, value in known.items() if name.startswith("ssl")}
            self.sentinels.append(
                Server(binary, folder / str(number), port, [*own, *watch], no_user)
            )

    @property
    def hosts(self) -> str:
        return ",".join(f"127.0.0.1:{sentinel.port}" for sentinel in self.sentinels)

    def start(self) -> None:
        for server in (*self.servers, *self.sentinels):
            server.start()
        wait_until(self._is_complete, 20, "the meeting of all servers")

    def stop(self) -> None:
        for server in (*self.sentinels, *self.servers):
            with suppress(AssertionError, ProcessLookupError):
                server.send(signal.SIGCONT)
            server.kill()

    def master(self) -> Server:
        """The one that the first sentinel names."""
        with self.sentinels[0].connect() as client:
            _, port = client.sentinel_get_master_addr_by_name(MASTER)
        return next(server for server in self.servers if server.port == int(port))

    def replicas(self) -> list[Server]:
        master = self.master()
        return [server for server in self.servers if server is not master]

    def _is_complete(self) -> bool:
        return all(self._knows_all(sentinel) for sentinel in self.sentinels)

    def _knows_all(self, sentinel: Server) -> bool:
        with sentinel.connect() as client:
            state: Any = client.sentinel_master(MASTER)
        with self.servers[0].connect() as client:
            joined: Any = client.info("replication")
        online = [joined.get(f"slave{n}", {}).get("state") == "online" for n in range(2)]
        return all(online) and state["num-other-sentinels"] == 2 and state["num-slaves"] == 2


@contextmanager
def guarded_redis(folder: Path) -> Iterator[Guard]:
    """Servers of the wheel's Valkey, without password and TLS."""
    guard = Guard(folder, find_redis_server())
    try:
        guard.start()
        yield guard
    finally:
        guard.stop()


def find_tls_server() -> str:
    """A Redis that speaks TLS, as Debian's does; the wheel's does not."""
    found = shutil.which("redis-server") or shutil.which("valkey-server")
    if found is None:
        pytest.skip("no redis-server that speaks TLS (Debian: apt-get install redis-server)")
    return found
