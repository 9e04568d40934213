"""The world of a soak: the product, who asks it, and what is written down."""

import random
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import msgspec

from benchmarks.soaking.ledger import Ledger
from benchmarks.soaking.product import Product
from benchmarks.soaking.visit import Waiting

__all__ = ("Answer", "Answers", "World")


class Answer(msgspec.Struct, frozen=True, kw_only=True):
    """What came of one thing that somebody did.

    Attributes:
        at: seconds since the beginning.
        action: what was done.
        code: of the refusal; "ok" when there was none.
        text: of the refusal.
    """

    at: float
    action: str
    code: str
    text: str = ""


@dataclass
class Answers:
    """What came of everything that was done.

    Attributes:
        clock: seconds since the beginning.
        given: all of them, in order.
    """

    clock: Callable[[], float]
    given: list[Answer] = field(default_factory=list)
    lock: threading.Lock = field(default_factory=threading.Lock)

    def note(self, action: str, code: str = "ok", text: str = "") -> None:
        """Write one down."""
        with self.lock:
            self.given.append(Answer(at=self.clock(), action=action, code=code, text=text))


@dataclass(frozen=True)
class World:
    """What people and faults work with.

    Attributes:
        product: what is soaked.
        drawings: real ones, as they are handed in.
        ledger: of the accepted jobs.
        answers: to all that was done.
        waiting: visits whose jobs were not over.
        done: set when nobody shall begin anything any more.
        clock: seconds since the beginning.
        has_own_disk: whether the data lie on a disk that nothing else lies on.
    """

    product: Product
    drawings: Sequence[bytes]
    ledger: Ledger
    answers: Answers
    waiting: Waiting
    done: threading.Event
    clock: Callable[[], float]
    has_own_disk: bool = False

    def picture(self, rng: random.Random) -> bytes:
        """A drawing that nobody handed in before: what follows its end is no part of it."""
        return rng.choice(self.drawings) + rng.randbytes(8)
