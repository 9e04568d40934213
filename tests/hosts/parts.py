"""What each host of the town runs: its program, and the files that it reads."""

import shlex
import sys
from collections.abc import Callable, Mapping

from animator.launch.embedded_redis import find_redis_server
from tests.hosts.network import DATA, Host
from tests.support_haproxy import POLICY, find_haproxy, replicas
from tests.support_s3 import BUCKET, KEY, SECRET
from tests.support_sentinel import MASTER

__all__ = ("NUMBERS", "QUEUES", "STORE_PORT", "Hosts", "start")

NUMBERS = {
    "people": 2,
    "store": 4,
    "proxy": 5,
    "queue-1": 11,
    "queue-2": 12,
    "queue-3": 13,
    "models-1": 21,
    "models-2": 22,
    "worker-1": 31,
    "worker-2": 32,
    "web-1": 41,
    "web-2": 42,
}
"""The last part of each host's address."""

QUEUES = ("queue-1", "queue-2", "queue-3")
"""Hosts of a Redis and a sentinel each."""

STORE_PORT = 9000

Hosts = Mapping[str, Host]

_SENTINEL_PORT = 26379
_MODELS = "/mnt/animator/tests/support_models"


def start(name: str, hosts: Hosts) -> None:
    """Switch a host on."""
    starts: dict[str, Callable[[Host, Hosts], None]] = {
        "queue": _start_queue,
        "store": _start_store,
        "models": _start_models,
        "worker": _start_worker,
        "web": _start_web,
        "proxy": _start_proxy,
    }
    starts[name.partition("-")[0]](hosts[name], hosts)


def _start_queue(host: Host, hosts: Hosts) -> None:
    """A Redis, the first of which begins as the master, and a sentinel beside it."""
    first = hosts[QUEUES[0]]
    files = {"server.conf": _server(host, first), "sentinel.conf": _sentinel(first)}
    for file, lines in files.items():
        # Both write down in their files who is the master now.
        if not (host.folder / file).exists():
            host.write(file, lines)
    program = shlex.quote(find_redis_server())
    both = f"{program} {DATA}/server.conf & exec {program} {DATA}/sentinel.conf --sentinel"
    host.start(("sh", "-c", both))


def _server(host: Host, first: Host) -> list[str]:
    kept = ["appendonly yes", "appendfsync always", 'save ""', f"dir {DATA}"]
    # A master that is alone takes nothing: what it took would be lost with it.
    safe = ["min-replicas-to-write 1", "min-replicas-max-lag 2", "repl-timeout 5"]
    quick = ["repl-diskless-sync yes", "repl-diskless-sync-delay 0", "repl-ping-replica-period 1"]
    known = ["port 6379", "bind 0.0.0.0", "protected-mode no"]
    follows = [] if host is first else [f"replicaof {first.address} 6379"]
    return [*known, *kept, *safe, *quick, *follows]


def _sentinel(first: Host) -> list[str]:
    return [
        f"port {_SENTINEL_PORT}",
        "protected-mode no",
        f"sentinel monitor {MASTER} {first.address} 6379 2",
        f"sentinel down-after-milliseconds {MASTER} 2000",
        f"sentinel failover-timeout {MASTER} 6000",
    ]


def _start_store(host: Host, _: Hosts) -> None:
    host.start((sys.executable, "-m", "tests.support_s3", str(STORE_PORT), "0.0.0.0"))


def _start_models(host: Host, hosts: Hosts) -> None:
    _serve(host, hosts, "inference", ANIMATOR_INFERENCE_HOST="0.0.0.0")


def _start_worker(host: Host, hosts: Hosts) -> None:
    proxy = f"http://{hosts['proxy'].address}:8080"
    _serve(host, hosts, "worker", ANIMATOR_INFERENCE_URL=proxy, ANIMATOR_JOB_WORKERS="1")


def _start_web(host: Host, hosts: Hosts) -> None:
    limits = ("UPLOADS_A_MINUTE", "ANIMATIONS_A_MINUTE", "REQUESTS_A_MINUTE")
    open_to_all = {"ANIMATOR_HOST": "0.0.0.0", "ANIMATOR_METRICS_HOST": "0.0.0.0"}
    unlimited = {f"ANIMATOR_{limit}": "0" for limit in limits}
    trusted = hosts["proxy"].address
    _serve(host, hosts, "web", ANIMATOR_TRUSTED_PROXIES=trusted, **open_to_all, **unlimited)


def _serve(host: Host, hosts: Hosts, role: str, **settings: str) -> None:
    sentinels = ",".join(f"{hosts[name].address}:{_SENTINEL_PORT}" for name in QUEUES)
    environment = {
        "ANIMATOR_DATA_DIR": DATA,
        "ANIMATOR_MODELS_DIR": _MODELS,
        "ANIMATOR_DRAIN_SECONDS": "3",
        "REDIS_URL": f"redis+sentinel://{sentinels}/{MASTER}",
        "ANIMATOR_STORE": f"s3://{BUCKET}/drawings",
        "ANIMATOR_STORE_ENDPOINT": f"http://{hosts['store'].address}:{STORE_PORT}",
        "ANIMATOR_STORE_PATH_STYLE": "true",
        "AWS_ACCESS_KEY_ID": KEY,
        "AWS_SECRET_ACCESS_KEY": SECRET,
        "AWS_EC2_METADATA_DISABLED": "true",
    }
    command = (sys.executable, "-m", "animator", "serve", "--role", role)
    host.start(command, environment | settings)


def _start_proxy(host: Host, hosts: Hosts) -> None:
    places = {
        kind: [f"{hosts[f'{kind}-{number}'].address}:{port}" for number in (1, 2)]
        for kind, port in (("web", 8000), ("models", 8080))
    }
    host.write("policy.cfg", POLICY.read_text().splitlines())
    host.write("hosts.cfg", replicas(places).splitlines())
    files = ("-f", f"{DATA}/policy.cfg", "-f", f"{DATA}/hosts.cfg")
    host.start((find_haproxy(), "-db", *files))
