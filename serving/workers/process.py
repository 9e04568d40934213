"""One worker from the server's side: the child process and the talk with it."""

import asyncio
import contextlib
import time
from collections.abc import Callable, Sequence

from serving.errors import (
    InvalidModel,
    NoWorker,
    ServerUnavailable,
    ServingError,
    WorkerDied,
)
from serving.observe.origin import carried_on
from serving.protocol.exchange import RawReply
from serving.protocol.tensors import Buffer
from serving.workers.async_channel import AsyncChannel
from serving.workers.channel import ChannelClosed
from serving.workers.child import Child
from serving.workers.health import Health, resident_bytes
from serving.workers.launch import WorkerSpec
from serving.workers.messages import (
    Answered,
    Chunk,
    Forget,
    Item,
    Loaded,
    Message,
    Ping,
    Pong,
    Run,
    pack_all,
    unpack_outcomes,
)
from serving.workers.runs import Answer, OnAnswer, OnChunk, Runs, answer_of
from serving.workers.runs import Run as RunUnderWay
from serving.workers.start import load_failure, start_process

__all__ = ("Answer", "OnAnswer", "OnChunk", "Worker")

_REAP_S = 0.5
"""How long a process may take to end by itself once its channel is closed, seconds."""


class Worker:
    """A child process with one loaded model.

    It works on one batch at a time, or with continuous batching on several.

    Args:
        number: unique among the model's workers.
        spec: what it shall hold, and how it is started.
    """

    def __init__(self, number: int, spec: WorkerSpec) -> None:
        self.number = number
        self.started_at = time.time()
        self.last_used = time.monotonic()
        self.has_answered = False
        self.is_raw = False
        self.load_s = 0.0
        self.on_closed: Callable[[], None] | None = None
        self._spec = spec
        self._load = spec.load
        self._child: Child | None = None
        self._channel: AsyncChannel | None = None
        self._first: asyncio.Future[Message] | None = None  # what it says of its loading
        self._runs = Runs(self._time_out)
        self._ending: asyncio.Future[None] | None = None
        self._is_loaded = False
        self._place = 0, ""
        self._closed = asyncio.Event()
        self._is_doomed = False
        self._verdict: ServingError | None = None
        self._health = Health(spec.memory_limit)

    @property
    def pid(self) -> int:
        """Process id; 0 before the start."""
        return self._child.pid if self._child else 0

    @property
    def is_usable(self) -> bool:
        """Whether the process can be asked."""
        return self._is_loaded and not self._is_doomed and not self.is_closed

    @property
    def is_closed(self) -> bool:
        """Whether the process has ended."""
        return self._closed.is_set()

    def resident_bytes(self) -> int:
        """Memory of the process; 0 where the system does not tell."""
        return resident_bytes(self.pid)

    def check(self) -> None:
        """End the process when it is halted, holds too much memory, or does not answer."""
        if not self.is_usable:
            return
        verdict = self._health.verdict(self.pid)
        if verdict is None and not self._runs:
            verdict = self._health.verdict_of_idle(self.last_used, self._ping)
        if verdict is not None:
            self._end(verdict)

    async def start(self, timeout_s: float) -> None:
        """Start the process and load the model.

        Raises:
            InvalidModel: when the model cannot be loaded, or not in time.
        """
        self._first = asyncio.get_running_loop().create_future()
        name = f"{self._spec.model} worker {self.number}"
        self._channel, self._child = start_process(self._spec, name, self._hear, self._lose)
        try:
            async with asyncio.timeout(timeout_s):
                self._channel.send(self._load)
                message = await self._first
        except TimeoutError as error:
            await self.stop(0)
            msg = f"{self._spec.described} did not load within {timeout_s:g} s"
            raise InvalidModel(msg) from error
        except ChannelClosed as error:
            await self.stop(_REAP_S)
            msg = f"the worker {self.ending()} while it loaded {self._spec.described}"
            raise InvalidModel(msg + self._last_words()) from error
        except asyncio.CancelledError:
            await self.stop(0)
            raise
        if not isinstance(message, Loaded):
            await self.stop(_REAP_S)
            raise load_failure(self._spec, message)
        self.is_raw = message.is_raw
        self.load_s = message.seconds
        self.last_used = time.monotonic()
        self._place = self.pid, self._load.context.device
        self._is_loaded = not self._is_doomed

    async def run(
        self, items: Sequence[Item], timeout_s: float, on_chunk: OnChunk | None = None
    ) -> Answer:
        """Let the worker work on a batch; the same as `post` for who has a task to wait in.

        Raises:
            NoWorker: when it was gone before it was told.
            WorkerDied: when it ends before it answers, or takes too long, which ends it.
        """
        return await answer_of(lambda on_answer: self.post(items, timeout_s, on_answer, on_chunk))

    def post(
        self,
        items: Sequence[Item],
        timeout_s: float,
        on_answer: OnAnswer,
        on_chunk: OnChunk | None = None,
    ) -> Callable[[], None]:
        """Let the worker work on a batch; what ends it when nobody waits any more.

        Args:
            items: the batch.
            timeout_s: longest silence, seconds.
            on_answer: called once, later: with the answer, or with the WorkerDied that tells why
                there is none.
            on_chunk: takes what comes before the answer; None: nothing is expected.

        Raises:
            NoWorker: when it was gone before it was told.
        """
        number = self._runs.next_number()
        deadline = asyncio.get_running_loop().time() + timeout_s
        parts, buffers = pack_all(items)
        self._tell(Run(number, parts, *carried_on()), buffers)
        self._runs.add(RunUnderWay(number, on_answer, on_chunk, timeout_s, deadline))
        return self._kill

    async def wait_closed(self) -> None:
        """Wait until the process has ended."""
        await self._closed.wait()

    async def stop(self, grace_s: float) -> None:
        """End the process: ask by closing the channel, kill it after `grace_s` seconds."""
        await asyncio.shield(self.begin_stop(grace_s))

    def begin_stop(self, grace_s: float) -> "asyncio.Future[None]":
        """Begin to end the process as `stop` does, though nobody waits; done when it has ended."""
        if self._channel is not None:
            self._channel.close()
        return self._reap(grace_s)

    def _reap(self, grace_s: float) -> "asyncio.Future[None]":
        """See to it that the process ends within `grace_s` seconds, and is waited for."""
        if self._child is None:
            nothing: asyncio.Future[None] = asyncio.get_running_loop().create_future()
            nothing.set_result(None)
            self._note_closed()
            return nothing
        ending = self._child.reap(grace_s)
        if self._ending is None:
            self._ending = ending
            ending.add_done_callback(lambda _: self._note_closed())
        return ending

    def _lose(self) -> None:
        """Learn that the process has ended, even while it is idle."""
        self._is_doomed = True
        if self._first is not None and not self._first.done():
            self._first.set_exception(ChannelClosed())
        else:
            self._reap(_REAP_S)

    def _hear(self, message: Message, buffers: list[memoryview]) -> None:
        """Hand what the worker says on to whom it concerns.

        Raises:
            ChannelClosed: when it says what a worker does not say; it is killed then.
        """
        match message:
            case _ if self._first is not None and not self._first.done():
                self._first.set_result(message)
            case Answered():
                self._hear_answer(message, buffers)
            case Chunk():
                self._hear_chunk(message, buffers)
            case Pong():
                self._health.hear()
            case _:
                self._kill()
                raise ChannelClosed

    def _hear_answer(self, answered: Answered, buffers: list[memoryview]) -> None:
        run = self._runs.find(answered.number)
        if run is None:
            return
        self.last_used = time.monotonic()
        self.has_answered = True
        outcomes = unpack_outcomes(answered.parts, buffers)
        times = answered.input_s, answered.output_s, answered.began
        answer = Answer(outcomes, answered.seconds, answered.points, *times, self._place)
        self._runs.finish(run, answer)

    def _time_out(self, run: RunUnderWay) -> None:
        late = WorkerDied(f"the worker was ended: it gave no answer within {run.timeout_s:g} s")
        self._end(late)
        self._runs.finish(run, late)

    def _hear_chunk(self, chunk: Chunk, buffers: list[memoryview]) -> None:
        run = self._runs.find(chunk.number)
        if run is None or run.on_chunk is None:
            return
        run.hear_later()
        (part,) = unpack_outcomes([chunk.part], buffers)
        is_wanted = isinstance(part, RawReply) and run.on_chunk(chunk.index, part)
        if not is_wanted and self._load.is_continuous:
            self._runs.finish(run, Answer([ServerUnavailable("nobody waits for it")], 0.0))
            with contextlib.suppress(NoWorker):
                self._tell(Forget(run.number), ())

    def _ping(self) -> None:
        with contextlib.suppress(NoWorker):
            self._tell(Ping(), ())

    def _tell(self, message: Message, buffers: Sequence[Buffer]) -> None:
        try:
            if self._channel is None:
                raise ChannelClosed
            self._channel.send(message, buffers)
        except ChannelClosed as error:
            self._kill()
            msg = "the worker was gone before it began"
            raise NoWorker(msg) from error

    def _note_closed(self) -> None:
        self._closed.set()
        self._runs.fail_all(self._cause_of_death)
        if self.on_closed is not None:
            self.on_closed()

    def _kill(self) -> None:
        self._is_doomed = True
        if self._child is not None:
            self._child.kill()

    def _end(self, verdict: ServingError) -> None:
        """Kill the process; what it works on fails with this error."""
        self._verdict = self._verdict or verdict
        self._kill()

    def _cause_of_death(self) -> ServingError:
        if self._verdict is not None:
            return type(self._verdict)(str(self._verdict))
        msg = f"the worker {self.ending()} while it worked on this request"
        return WorkerDied(msg + self._last_words())

    def _last_words(self) -> str:
        return self._child.last_words() if self._child is not None else ""

    def ending(self) -> str:
        """How the process ended, as the rest of a sentence."""
        if self._verdict is not None:
            return str(self._verdict).removeprefix("the worker ")
        return self._child.ending() if self._child is not None else "did not start"
