"""A private Redis for tests that need a real one."""

import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from animator.launch.embedded_redis import is_redis_up, make_redis_command
from animator.settings import Settings
from tests.support_serve import wait_until


class PrivateRedis:
    """A server that a test may kill and start again over the same data."""

    def __init__(self, folder: Path) -> None:
        self.settings = Settings(data_dir=folder)
        self.url = self.settings.redis
        self._process: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        self.kill()
        self._process = subprocess.Popen(make_redis_command(self.settings))
        wait_until(lambda: is_redis_up(self.url), 10, "the start of Redis")

    def kill(self) -> None:
        if self._process is not None:
            self._process.kill()
            self._process.wait()


@contextmanager
def private_redis(folder: Path) -> Iterator[PrivateRedis]:
    server = PrivateRedis(folder)
    server.start()
    try:
        yield server
    finally:
        server.kill()
