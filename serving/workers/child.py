"""Child: the process of a worker, from its start until it has been waited for."""

import asyncio
import subprocess
from collections.abc import Sequence

from serving.workers.launch import WorkerSpec, spawn
from serving.workers.output import WorkerOutput

__all__ = ("Child",)

_LONGEST_WORDS = 300
"""What an error tells of what the process printed last, characters."""


class Child:
    """A process, and what it prints; started at once.

    Args:
        spec: what it shall hold, and how it is started.
        descriptors: as `spawn` takes them.
        name: of the worker, for the log.

    Raises:
        OSError: when it cannot be started.
    """

    def __init__(self, spec: WorkerSpec, descriptors: Sequence[int], name: str) -> None:
        self._output = WorkerOutput(name)
        try:
            self._process = spawn(spec, descriptors, self._output.fileno())
        except BaseException:
            self._output.close()
            raise
        self._output.watch()
        self._reaping: asyncio.Future[None] | None = None

    @property
    def pid(self) -> int:
        """Process id."""
        return self._process.pid

    def kill(self) -> None:
        """End it at once; harmless when it has ended."""
        self._process.kill()

    def reap(self, grace_s: float) -> "asyncio.Future[None]":
        """Begin to wait for its end, in a thread; whoever gives up waiting leaves that alone.

        A process that nobody waited for would stay a zombie.

        Args:
            grace_s: how long it may take to end by itself, seconds; then it is killed.

        Returns:
            Done when it has ended, and what it printed is read.
        """
        if grace_s <= 0:
            self.kill()
        if self._reaping is None:
            loop = asyncio.get_running_loop()
            self._reaping = loop.run_in_executor(None, self._wait, grace_s)
            self._reaping.add_done_callback(lambda _: self._output.close())
        return self._reaping

    def ending(self) -> str:
        """How it ended, as the rest of a sentence."""
        code = self._process.returncode
        if code is not None and code < 0:
            return f"was killed by signal {-code}"
        return f"ended with exit code {code}"

    def last_words(self) -> str:
        """What it printed last, as the end of a sentence; "": nothing."""
        words = self._output.last_words
        return f"; it last said: {words[:_LONGEST_WORDS]}" if words else ""

    def _wait(self, grace_s: float) -> None:
        try:
            self._process.wait(grace_s)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
