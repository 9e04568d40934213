"""A real HAProxy with the files of deploy/haproxy, before replicas on this machine."""

import os
import re
import shutil
import subprocess
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import httpx
import pytest

from tests.support_serve import ROOT, free_ports, wait_until

FILES = ROOT / "deploy" / "haproxy"
POLICY = FILES / "policy.cfg"
_SERVER = re.compile(r"^  server (\w+)-1 \S+:\d+(.*)\n(?:  server .*\n)*", re.MULTILINE)


def find_haproxy() -> str:
    found = shutil.which("haproxy", path=f"{os.environ['PATH']}:/usr/sbin")
    if found is None:
        pytest.skip("no haproxy: install the package `haproxy`")
    return found


class Proxy:
    """A running one, and what it says of its replicas."""

    def __init__(self, ports: Sequence[int]) -> None:
        self.page, self.models, self.grpc, self.metrics = (f"127.0.0.1:{port}" for port in ports)

    def count(self, name: str, backend: str, **labels: str) -> dict[str, float]:
        """A metric of a backend's replicas, by replica."""
        text = httpx.get(f"http://{self.metrics}/metrics", timeout=10).text
        wanted = [f'{label}="{value}"' for label, value in {"proxy": backend, **labels}.items()]
        found = {}
        for line in text.splitlines():
            if line.startswith(f"{name}{{") and all(word in line for word in wanted):
                server = re.search(r'server="([^"]+)"', line)
                found[server[1] if server else backend] = float(line.split()[-1])
        return found

    def up(self, backend: str) -> int:
        return int(sum(self.count("haproxy_server_status", backend, state="UP").values()))


@contextmanager
def haproxy(
    folder: Path,
    web: Sequence[int] = (),
    models: Sequence[int] = (),
    grpc: Sequence[int] = (),
    proxies: str = "127.0.0.1",
) -> Iterator[Proxy]:
    """One before replicas that listen on these ports; it is ready when all of them are up.

    proxies: addresses whose X-Forwarded-For it believes.
    """
    program, ports = find_haproxy(), free_ports(4)
    proxy = Proxy(ports)
    (folder / "hosts.cfg").write_text(replicas({"web": web, "models": models}, grpc))
    places = ("PAGE", "MODELS", "MODELS_GRPC", "PROXY_METRICS")
    environment = {
        f"ANIMATOR_{place}": f"127.0.0.1:{port}" for place, port in zip(places, ports, strict=True)
    }
    environment["ANIMATOR_PROXIES"] = proxies
    command = (program, "-db", "-f", str(POLICY), "-f", str(folder / "hosts.cfg"))
    with (folder / "log").open("wb") as log:
        process = subprocess.Popen(command, env={**os.environ, **environment}, stdout=log)
    try:
        wait_until(lambda: _is_up(proxy, len(web), len(models)), 20, "replicas being up")
        yield proxy
    finally:
        process.kill()
        process.wait()


def replicas(ports: dict[str, Sequence[int]], grpc: Sequence[int]) -> str:
    """The file of hosts that we ship, with other replicas in it."""

    def lines(found: re.Match[str]) -> str:
        name, options = found.groups()
        places = grpc if "proto h2" in options else ports[name]
        return "".join(
            f"  server {name}-{i} 127.0.0.1:{port}{_checked(options, ports[name], i)}\n"
            for i, port in enumerate(places, start=1)
        )

    return _SERVER.sub(lines, (FILES / "hosts.cfg").read_text())


def _checked(options: str, ports: Sequence[int], number: int) -> str:
    return options.replace("port 8080", f"port {ports[number - 1] if ports else 0}")


def _is_up(proxy: Proxy, web: int, models: int) -> bool:
    try:
        return proxy.up("web") >= web and proxy.up("models") >= models
    except httpx.TransportError:
        return False
