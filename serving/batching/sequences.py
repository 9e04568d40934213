"""Sequences: requests that must go to one and the same worker, one after another."""

import time
from collections.abc import Sequence
from dataclasses import dataclass

import msgspec

from serving.errors import BadInput, Overloaded, ServingError, WorkerDied

__all__ = ("SequenceLimits", "SequenceMark", "SequenceTable")


class SequenceLimits(msgspec.Struct, frozen=True, kw_only=True):
    """What sequences keep to.

    Attributes:
        most: sequences at a time, >= 1.
        queue_size: most requests of one sequence that are not answered yet, >= 1.
        max_idle_s: a sequence ends when nothing comes for so long, seconds; None: never.
        timeout_s: longest life of a sequence, seconds; None: no limit.
    """

    most: int
    queue_size: int
    max_idle_s: float | None
    timeout_s: float | None


@dataclass(frozen=True, slots=True)
class SequenceMark:
    """What a request says of its sequence.

    Attributes:
        id: of the sequence.
        is_start: whether it begins anew with this request.
        is_end: whether it ends with it.
    """

    id: str
    is_start: bool = False
    is_end: bool = False


@dataclass(slots=True)
class _Going:
    """A sequence under way; times are monotonic seconds."""

    lane: int
    began: float
    last_seen: float
    pending: int = 0
    is_ending: bool = False


class SequenceTable:
    """Which lane each sequence goes along. A lane is a worker's place, by its index.

    Args:
        limits: how many, and how long.
    """

    def __init__(self, limits: SequenceLimits) -> None:
        self._limits = limits
        self._going: dict[str, _Going] = {}
        # Those that ended before their clients said so, each with the error that tells it.
        self._cut_short: dict[str, ServingError] = {}

    def __len__(self) -> int:
        """Sequences under way."""
        self._forget_old(time.monotonic())
        return len(self._going)

    def enter(self, mark: SequenceMark, lanes: Sequence[int]) -> int:
        """Take a request in: which lane it goes along.

        A sequence that is not known begins, on the lane with the fewest.

        Args:
            mark: what the request says.
            lanes: those that are open.

        Raises:
            Overloaded: when there are too many sequences, or too many requests of this one.
            WorkerDied: when the worker that held the sequence is gone; told once.
            BadInput: when the sequence was given up, idle or too old; told once.
        """
        now = time.monotonic()
        self._forget_old(now)
        error = self._cut_short.pop(mark.id, None)
        if error is not None and not mark.is_start:
            raise error
        going = self._going.get(mark.id) or self._begin(mark, lanes, now)
        if going.pending >= self._limits.queue_size:
            msg = f"{going.pending} requests of sequence {mark.id} wait already"
            raise Overloaded(msg)
        going.pending += 1
        going.last_seen = now
        going.is_ending = going.is_ending or mark.is_end
        return going.lane

    def leave(self, mark: SequenceMark) -> None:
        """Learn that a request was answered, or was not."""
        going = self._going.get(mark.id)
        if going is None:
            return
        going.pending -= 1
        going.last_seen = time.monotonic()
        if going.is_ending and not going.pending:
            del self._going[mark.id]

    def end(self, name: str) -> None:
        """Learn that the model has ended a sequence; what waits of it is still answered."""
        going = self._going.get(name)
        if going is not None and going.pending:
            going.is_ending = True
        elif going is not None:
            del self._going[name]

    def lose(self, lane: int) -> None:
        """Learn that the worker of a lane has ended, and with it what it knew."""
        lost = [name for name, going in self._going.items() if going.lane == lane]
        for name in lost:
            msg = f"the worker that held sequence {name} ended: begin it anew"
            self._cut(name, WorkerDied(msg))

    def _cut(self, name: str, error: ServingError) -> None:
        del self._going[name]
        # What nobody asks for again must not be remembered for ever.
        if len(self._cut_short) >= 16 * self._limits.most:
            self._cut_short.clear()
        self._cut_short[name] = error

    def _begin(self, mark: SequenceMark, lanes: Sequence[int], now: float) -> _Going:
        if len(self._going) >= self._limits.most:
            msg = f"{len(self._going)} sequences are under way, no more may begin"
            raise Overloaded(msg)
        counts = dict.fromkeys(lanes, 0)
        for going in self._going.values():
            if going.lane in counts:
                counts[going.lane] += 1
        lane = min(counts, key=lambda index: (counts[index], index), default=0)
        going = self._going[mark.id] = _Going(lane, now, now)
        return going

    def _forget_old(self, now: float) -> None:
        idle_s, life_s = self._limits.max_idle_s, self._limits.timeout_s
        old = [
            name
            for name, going in self._going.items()
            if not going.pending
            and (
                (idle_s is not None and now - going.last_seen > idle_s)
                or (life_s is not None and now - going.began > life_s)
            )
        ]
        for name in old:
            msg = f"sequence {name} was given up, for it was idle or too old: begin it anew"
            self._cut(name, BadInput(msg))
