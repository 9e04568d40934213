"""Runs: the batches that a worker has been told to work on, until it has answered them."""

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import count

from serving.batching.deadlines import Deadlines
from serving.errors import ServingError
from serving.handlers.points import MetricPoint
from serving.protocol.exchange import RawReply
from serving.workers.messages import Outcome

__all__ = ("Answer", "OnAnswer", "OnChunk", "Run", "Runs", "answer_of")


@dataclass(frozen=True, slots=True, eq=False)
class Answer:
    """What a worker makes of a batch.

    Attributes:
        outcomes: one for each item, in order.
        seconds: what decoding, inference and encoding took together.
        points: what the handler measured meanwhile.
        input_s: of these seconds, those before the model was called; 0.0: not told apart.
        output_s: and those after it.
        began: when it was begun, monotonic seconds; 0.0: no process worked on it.
        place: the process that worked on it, and the device.
    """

    outcomes: Sequence[Outcome]
    seconds: float
    points: Sequence[MetricPoint] = ()
    input_s: float = 0.0
    output_s: float = 0.0
    began: float = 0.0
    place: tuple[int, str] = (0, "")


OnAnswer = Callable[[Answer | ServingError], None]
"""Takes the answer to a batch, or why there is none."""

OnChunk = Callable[[int, RawReply], bool]
"""Takes a part of the reply to the item of that index; False when nobody wants the rest."""


@dataclass(slots=True, eq=False)
class Run:
    """A batch that the worker has been told to work on.

    Attributes:
        number: by which it is known.
        on_answer: called once.
        on_chunk: takes what comes before the answer; None: nothing is expected.
        timeout_s: longest silence, seconds.
        deadline: of the present silence, in the event loop's seconds.
    """

    number: int
    on_answer: OnAnswer
    on_chunk: OnChunk | None
    timeout_s: float
    deadline: float

    def hear_later(self) -> None:
        """Begin the longest silence anew."""
        self.deadline = asyncio.get_running_loop().time() + self.timeout_s


class Runs:
    """The batches under way with one worker.

    Args:
        on_silence: called with a batch of which nothing was heard for too long.
    """

    def __init__(self, on_silence: Callable[[Run], None]) -> None:
        self._runs: dict[int, Run] = {}
        self._numbers = count(1)
        self._limits: Deadlines[Run] = Deadlines(on_silence)

    def __len__(self) -> int:
        """How many there are."""
        return len(self._runs)

    def next_number(self) -> int:
        """A number that no batch had."""
        return next(self._numbers)

    def add(self, run: Run) -> None:
        """Watch one of which the worker has been told."""
        self._runs[run.number] = run
        self._limits.add(run)

    def find(self, number: int) -> Run | None:
        """Find one; None when it is answered."""
        return self._runs.get(number)

    def finish(self, run: Run, answer: Answer | ServingError) -> None:
        """Tell what came of one, which is under way no longer."""
        del self._runs[run.number]
        self._limits.discard(run)
        run.on_answer(answer)

    def fail_all(self, error: Callable[[], ServingError]) -> None:
        """Tell each that there is no answer, with an error of its own."""
        for run in list(self._runs.values()):
            self.finish(run, error())


async def answer_of(post: Callable[[OnAnswer], Callable[[], None]]) -> Answer:
    """Wait for the answer to a batch.

    Args:
        post: begins it, and gives what ends it when nobody waits any more.

    Raises:
        ServingError: why there is none.
    """
    answer: asyncio.Future[Answer | ServingError] = asyncio.get_running_loop().create_future()

    def resolve(outcome: Answer | ServingError) -> None:
        if not answer.done():
            answer.set_result(outcome)

    interrupt = post(resolve)
    try:
        outcome = await answer
    except asyncio.CancelledError:
        interrupt()
        raise
    if isinstance(outcome, ServingError):
        raise outcome
    return outcome
