"""A real HAProxy with the files of deploy/haproxy, before replicas on this machine."""

import os
import re
import shutil
import subprocess
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

import httpx
import pytest

from serving.bench.ports import free_ports
from tests.support_serve import ROOT, wait_until

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
        """How many replicas it holds for well; none while it does not answer itself."""
        try:
            return int(sum(self.count("haproxy_server_status", backend, state="UP").values()))
        except httpx.TransportError:
            return 0


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
    near = {"web": web, "models": models, "grpc": grpc}
    places = {name: [f"127.0.0.1:{port}" for port in own] for name, own in near.items()}
    with running_haproxy(folder, replicas(places), proxies) as proxy:
        wanted = (len(web), len(models))
        wait_until(lambda: (proxy.up("web"), proxy.up("models")) == wanted, 20, "replicas being up")
        yield proxy


@contextmanager
def running_haproxy(folder: Path, hosts: str, proxies: str = "127.0.0.1") -> Iterator[Proxy]:
    """One that reads our policy, and a text in place of our file of hosts."""
    program, ports = find_haproxy(), free_ports(4)
    (folder / "hosts.cfg").write_text(hosts)
    listeners = ("PAGE", "MODELS", "MODELS_GRPC", "PROXY_METRICS")
    environment = {
        f"ANIMATOR_{place}": f"127.0.0.1:{port}"
        for place, port in zip(listeners, ports, strict=True)
    }
    environment["ANIMATOR_PROXIES"] = proxies
    command = (program, "-db", "-f", str(POLICY), "-f", str(folder / "hosts.cfg"))
    with (folder / "log").open("wb") as log:
        process = subprocess.Popen(command, env={**os.environ, **environment}, stdout=log)
    try:
        yield Proxy(ports)
    finally:
        process.kill()
        process.wait()


def replicas(places: Mapping[str, Sequence[str]]) -> str:
    """The file of hosts that we ship, with other replicas in it.

    places: of "web", "models" and "grpc", each as `host:port`.
    """

    def lines(found: re.Match[str]) -> str:
        name, options = found.groups()
        chosen = places.get("grpc", ()) if "proto h2" in options else places[name]
        # Those that speak gRPC are asked for their health at the other port.
        return "".join(
            f"  server {name}-{i} {place}{_checked(options, asked)}\n"
            for i, (place, asked) in enumerate(zip(chosen, places[name], strict=False), start=1)
        )

    return _SERVER.sub(lines, (FILES / "hosts.cfg").read_text())


def _checked(options: str, place: str) -> str:
    return options.replace("port 8080", f"port {place.rpartition(':')[2]}")
