"""One worker from the server's side: the child process and the talk with it."""

import asyncio
import os
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from serving.errors import InvalidModel, NoWorker, WorkerDied
from serving.protocol.tensors import Buffer
from serving.workers.channel import AsyncChannel, ChannelClosed, channel_pair
from serving.workers.messages import (
    Answered,
    Item,
    Load,
    Loaded,
    LoadFailed,
    Message,
    Outcome,
    Run,
    pack,
    unpack,
)

__all__ = ("Answer", "Worker")

_REAP_S = 0.5
"""How long a process may take to end by itself once its channel is closed, seconds."""


@dataclass(frozen=True, slots=True, eq=False)
class Answer:
    """What a worker makes of a batch.

    Attributes:
        outcomes: one for each item, in order.
        seconds: what decoding, inference and encoding took together.
    """

    outcomes: Sequence[Outcome]
    seconds: float


class Worker:
    """A child process with one loaded model; works on one batch at a time.

    Args:
        number: unique among the model's workers.
        load: what it shall hold.
    """

    def __init__(self, number: int, load: Load) -> None:
        self.number = number
        self.started_at = time.time()
        self.last_used = time.monotonic()
        self.has_answered = False
        self._load = load
        self._process: subprocess.Popen[bytes] | None = None
        self._channel: AsyncChannel | None = None
        self._listener: asyncio.Task[None] | None = None
        self._reply: asyncio.Future[tuple[Message, list[memoryview]]] | None = None
        self._closed = asyncio.Event()
        self._is_doomed = False

    @property
    def pid(self) -> int:
        """Process id; 0 before the start."""
        return self._process.pid if self._process else 0

    @property
    def is_usable(self) -> bool:
        """Whether the process can be asked."""
        return self._listener is not None and not self._is_doomed and not self.is_closed

    @property
    def is_closed(self) -> bool:
        """Whether the process has ended."""
        return self._closed.is_set()

    def resident_bytes(self) -> int:
        """Memory of the process; 0 where the system does not tell (no /proc)."""
        try:
            pages = int(Path(f"/proc/{self.pid}/statm").read_text().split()[1])
        except OSError:
            return 0
        return pages * os.sysconf("SC_PAGE_SIZE")

    async def start(self, timeout_s: float) -> None:
        """Start the process and load the model.

        Raises:
            InvalidModel: when the model cannot be loaded, or not in time.
        """
        self._channel = self._launch()
        try:
            async with asyncio.timeout(timeout_s):
                await self._channel.send(self._load)
                message, _ = await self._channel.receive()
        except TimeoutError as error:
            await self.stop(0)
            msg = f"{self._load.handler} did not load within {timeout_s:g} s"
            raise InvalidModel(msg) from error
        except ChannelClosed as error:
            await self.stop(_REAP_S)
            msg = f"the worker {self._ending()} while it loaded {self._load.handler}"
            raise InvalidModel(msg) from error
        except asyncio.CancelledError:
            await self.stop(0)
            raise
        if not isinstance(message, Loaded):
            await self.stop(_REAP_S)
            reason = message.message if isinstance(message, LoadFailed) else repr(message)
            msg = f"{self._load.handler} cannot be loaded: {reason}"
            raise InvalidModel(msg)
        self.last_used = time.monotonic()
        self._listener = asyncio.create_task(self._listen(self._channel))

    async def run(self, items: Sequence[Item], timeout_s: float) -> Answer:
        """Let the worker work on a batch.

        Raises:
            NoWorker: when it was gone before it was told.
            WorkerDied: when it ends before it answers, or takes too long, which ends it.
        """
        packed = [pack(item) for item in items]
        buffers: list[Buffer] = [buffer for _, buffers in packed for buffer in buffers]
        self._reply = asyncio.get_running_loop().create_future()
        try:
            async with asyncio.timeout(timeout_s):
                await self._tell(Run(parts=tuple(part for part, _ in packed)), buffers)
                message, received = await self._reply
        except ChannelClosed as error:
            await self._closed.wait()
            msg = f"the worker {self._ending()} while it worked on this request"
            raise WorkerDied(msg) from error
        except TimeoutError as error:
            self._kill()
            msg = f"the worker was ended: it gave no answer within {timeout_s:g} s"
            raise WorkerDied(msg) from error
        except asyncio.CancelledError:
            # Half a message may have been sent: nobody can talk with it any more.
            self._kill()
            raise
        finally:
            self._reply = None
        self.last_used = time.monotonic()
        if not isinstance(message, Answered):
            self._kill()
            msg = f"the worker said {type(message).__name__} instead of an answer"
            raise WorkerDied(msg)
        self.has_answered = True
        return Answer(unpack(message.parts, received), message.seconds)

    async def wait_closed(self) -> None:
        """Wait until the process has ended."""
        await self._closed.wait()

    async def stop(self, grace_s: float) -> None:
        """End the process: ask by closing the channel, kill it after `grace_s` seconds."""
        if self._listener is not None:
            self._listener.cancel()
            await asyncio.wait([self._listener])
        if self._channel is not None:
            self._channel.close()
        await asyncio.to_thread(self._reap, grace_s)
        self._fail_reply()
        self._closed.set()

    def _launch(self) -> AsyncChannel:
        """Start the process; what it is to load is yet to be told."""
        channel = None
        try:
            ours, theirs = channel_pair()
            channel = AsyncChannel(ours)
            with theirs:
                self._process = _spawn(theirs.fileno(), self._load.context.threads)
        except OSError as error:
            if channel is not None:
                channel.close()
            msg = f"no process for {self._load.handler} can be started: {error}"
            raise InvalidModel(msg) from error
        return channel

    async def _listen(self, channel: AsyncChannel) -> None:
        """Hand answers on; notice the end of the process even while it is idle."""
        try:
            while True:
                received = await channel.receive()
                if self._reply is not None and not self._reply.done():
                    self._reply.set_result(received)
        except ChannelClosed:
            channel.close()
            await asyncio.to_thread(self._reap, _REAP_S)
            self._fail_reply()
            self._closed.set()

    async def _tell(self, message: Message, buffers: Sequence[Buffer]) -> None:
        try:
            if self._channel is None:
                raise ChannelClosed
            await self._channel.send(message, buffers)
        except ChannelClosed as error:
            self._kill()
            msg = "the worker was gone before it began"
            raise NoWorker(msg) from error

    def _fail_reply(self) -> None:
        if self._reply is not None and not self._reply.done():
            self._reply.set_exception(ChannelClosed())

    def _kill(self) -> None:
        self._is_doomed = True
        if self._process is not None:
            self._process.kill()

    def _reap(self, grace_s: float) -> None:
        """Wait for the process to end, at most `grace_s` seconds by itself; blocks."""
        if self._process is None:
            return
        try:
            self._process.wait(grace_s)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()

    def _ending(self) -> str:
        code = self._process.returncode if self._process else None
        if code is not None and code < 0:
            return f"was killed by signal {-code}"
        return f"ended with exit code {code}"


def _spawn(descriptor: int, threads: int) -> subprocess.Popen[bytes]:
    # A fresh interpreter instead of a fork: the server's threads and event loop stay out of it.
    command = [sys.executable, "-P", "-m", "serving.workers.worker"]
    return subprocess.Popen(
        [*command, str(descriptor), str(os.getpid())],
        env=_environment(threads),
        pass_fds=[descriptor],
        stdin=subprocess.DEVNULL,
    )


def _environment(threads: int) -> Mapping[str, str]:
    """The server's own, with its import path and the libraries' thread counts."""
    names = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")
    path = os.pathsep.join(entry or str(Path.cwd()) for entry in sys.path)
    return os.environ | {"PYTHONPATH": path} | dict.fromkeys(names, str(threads))
