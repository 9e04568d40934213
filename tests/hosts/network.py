"""Machines without machines: each host is a network, a tree of processes and a disk of its own.

Made of Linux's namespaces, joined by a bridge that stands in a namespace too, so that nothing on
this machine's own network is touched. A host sees this machine's programs, which run there without
root's rights, and may write only to its own folder and to its own memory.
"""

import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path

import pytest

from tests.support_serve import ROOT, descendants

NETWORK = "10.77.0"
DATA = "/mnt/data"
"""The folder of a host, as its own processes see it."""

_PROGRAMS = ("ip", "tc", "nft", "unshare", "setpriv", "curl")
_USER = 1000
_RIGHTS = "-all,+dac_read_search"
"""As in the pods of the chart, but for reading: our Python may lie in a folder of root's own."""

_PREPARE = f"""
set -e
hostname "$1"
mount -t tmpfs tmpfs /mnt
mkdir {DATA} /mnt/animator
mount --bind "$2" {DATA}
mount --bind "$3" /mnt/animator
mount -o remount,bind,ro /mnt/animator
mount -t tmpfs tmpfs /dev/shm
mount -t tmpfs -o size=1g tmpfs /tmp
mount -o remount,bind,ro /
cd /mnt/animator
shift 3
exec setpriv --reuid {_USER} --regid {_USER} --clear-groups --no-new-privs \\
    --inh-caps {_RIGHTS} --ambient-caps {_RIGHTS} --bounding-set {_RIGHTS} "$@"
"""


def require_namespaces() -> None:
    """Skip the test where no such hosts can be made."""
    if sys.platform != "linux" or os.geteuid() != 0:
        pytest.skip("hosts are made of Linux's namespaces, by root")
    missing = [name for name in _PROGRAMS if shutil.which(name) is None]
    if missing:
        pytest.skip(f"no {', '.join(missing)}: install the packages iproute2, nftables and curl")
    probe = ("unshare", "--net", "--mount", "--pid", "--fork", "true")
    if subprocess.run(probe, capture_output=True, check=False).returncode:
        pytest.skip("this machine lets nobody make namespaces")


class Host:
    """One host; nothing runs there until `start`."""

    def __init__(self, network: "Network", name: str, number: int) -> None:
        self.name = name
        self.address = f"{NETWORK}.{number}"
        self.folder = network.folder / name
        self.folder.mkdir()
        os.chown(self.folder, _USER, _USER)
        self._network = network
        self._space = network.space(name)
        self._process: subprocess.Popen[bytes] | None = None

    def start(self, command: Sequence[str], environment: Mapping[str, str] = {}) -> None:
        """Run a program there, as the first of its processes."""
        prepare = ("sh", "-c", _PREPARE, "sh", self.name, str(self.folder), str(ROOT), *command)
        spaces = ("unshare", "--mount", "--uts", "--pid", "--fork", "--kill-child", "--mount-proc")
        clean = {k: v for k, v in os.environ.items() if not k.startswith(("ANIMATOR_", "REDIS_"))}
        clean |= {"PYTHONDONTWRITEBYTECODE": "1", **environment}
        log = self._network.folder / f"{self.name}.log"
        with log.open("ab") as output:
            self._process = subprocess.Popen(
                ("ip", "netns", "exec", self._space, *spaces, *prepare),
                env=clean,
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=subprocess.STDOUT,
            )

    def write(self, file: str, lines: Sequence[str]) -> None:
        """Put a file into its folder, which its own processes may change."""
        path = self.folder / file
        path.write_text("\n".join([*lines, ""]))
        os.chown(path, _USER, _USER)

    def pull_the_plug(self) -> None:
        """End all of its processes at once; what its folder holds stays."""
        self._end(signal.SIGKILL, within=30)

    def shut_down(self, within: float) -> None:
        """Ask its first process to stop, as `docker stop` does."""
        self._end(signal.SIGTERM, within)

    def _end(self, signum: signal.Signals, within: float) -> None:
        """With the first process all others end, before `unshare` does, which waits for it."""
        if self._process is None:
            return
        for process in descendants(self._process.pid):
            if process.parent == self._process.pid:
                os.kill(process.pid, signum)
        self._process.wait(timeout=within)

    def wipe(self) -> None:
        """Lose its disk."""
        for path in self.folder.iterdir():
            shutil.rmtree(path) if path.is_dir() else path.unlink()


class Network:
    """Hosts and the switch between them; a context manager that leaves nothing behind.

    Args:
        folder: for a folder of each host, and its log.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.hosts: dict[str, Host] = {}
        self._stack = ExitStack()
        self._switch = self.space("switch")

    def __enter__(self) -> "Network":
        self._make_space(self._switch)
        _run("ip", "-n", self._switch, "link", "add", "br0", "type", "bridge")
        _run("ip", "-n", self._switch, "link", "set", "br0", "up")
        self._nft("add table bridge faults")
        self._nft("add chain bridge faults way { type filter hook forward priority 0; }")
        return self

    def __exit__(self, *_: object) -> None:
        for host in self.hosts.values():
            host.pull_the_plug()
        self._stack.close()

    @staticmethod
    def space(name: str) -> str:
        """Of the namespace of a host."""
        return f"animator-{os.getpid()}-{name}"

    def add(self, name: str, number: int) -> Host:
        """A host with the address that ends in this number, joined to the switch."""
        host = Host(self, name, number)
        space = self.space(name)
        self._make_space(space)
        ends = ("eth0", "netns", space, "type", "veth", "peer", "name", name)
        _run("ip", "link", "add", *ends, "netns", self._switch)
        _run("ip", "-n", space, "addr", "add", f"{host.address}/24", "dev", "eth0")
        _run("ip", "-n", space, "link", "set", "eth0", "up")
        _run("ip", "-n", self._switch, "link", "set", name, "master", "br0", "up")
        self.hosts[name] = host
        return host

    def cut(self, host: Host) -> None:
        """Pull its network cable."""
        _run("ip", "-n", self._switch, "link", "set", host.name, "down")

    def mend(self, host: Host) -> None:
        """Plug it in again."""
        _run("ip", "-n", self._switch, "link", "set", host.name, "up")

    def part(self, some: Sequence[Host], others: Sequence[Host]) -> None:
        """Let nothing pass between these, either way, and tell nobody."""
        for one in some:
            for other in others:
                self._drop(f"ip saddr {one.address} ip daddr {other.address}")
                self._drop(f"ip saddr {other.address} ip daddr {one.address}")

    def lose(self, host: Host, percent: int) -> None:
        """Lose so many of the packets to it and from it, at random."""
        for way in ("saddr", "daddr"):
            self._drop(f"ip {way} {host.address} numgen random mod 100 < {percent}")

    def slow_down(self, host: Host, rate: str) -> None:
        """Let no more through to it and from it than this, such as "2mbit"."""
        limit = ("tbf", "rate", rate, "burst", "32k", "latency", "400ms")
        for space, port in self._ends(host):
            _run("tc", "-n", space, "qdisc", "replace", "dev", port, "root", *limit)

    def speed_up(self, host: Host) -> None:
        """As fast as before."""
        for space, port in self._ends(host):
            _run("tc", "-n", space, "qdisc", "del", "dev", port, "root")

    def heal(self) -> None:
        """Let everything pass."""
        self._nft("flush chain bridge faults way")

    def _ends(self, host: Host) -> tuple[tuple[str, str], tuple[str, str]]:
        return (self._switch, host.name), (self.space(host.name), "eth0")

    def _drop(self, what: str) -> None:
        self._nft(f"add rule bridge faults way {what} drop")

    def _nft(self, command: str) -> None:
        _run("ip", "netns", "exec", self._switch, "nft", command)

    def _make_space(self, space: str) -> None:
        _run("ip", "netns", "add", space)
        self._stack.callback(_run, "ip", "netns", "del", space)
        _run("ip", "-n", space, "link", "set", "lo", "up")


def _run(*command: str) -> None:
    found = subprocess.run(command, capture_output=True, text=True, timeout=30, check=False)
    if found.returncode:
        raise OSError(f"{' '.join(command)}: {found.stderr.strip()}")
