"""Trial: one request that a release chose a version for, until it is answered."""

import time
from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Protocol, TypeVar

from serving.errors import ServingError
from serving.protocol.exchange import RawRequest
from serving.registry.endpoint import Endpoint
from serving.registry.routing import Again
from serving.releases.arm import Arm
from serving.workers.messages import Item, Outcome

__all__ = ("Trial", "TrialEnd")

_Answer = TypeVar("_Answer")


class TrialEnd(Protocol):
    """Who wants to know how trials end."""

    def ended(self, trial: "Trial", seconds: float, outcome: object, again: Again) -> None:
        """Learn that a request was answered, with what, and after how long."""
        ...


class Trial:
    """One request; `serving.registry.routing.Choice` says what it does.

    Args:
        arm: of the version that was chosen.
        odds: by version, the probability with which that one was, and not the stable one, in
            [0, 1].
        headers: what the answer tells of the choice.
        release: told how it ends.

    Attributes:
        entered: when it was chosen, monotonic seconds.
        slow_kinds: how many bounds of time it is known to have passed.
    """

    __slots__ = ("_release", "arm", "entered", "headers", "odds", "slow_kinds")

    def __init__(
        self,
        arm: Arm,
        odds: Mapping[str, float],
        headers: Sequence[tuple[str, str]],
        release: TrialEnd,
    ) -> None:
        self.arm = arm
        self.odds = odds
        self.headers = headers
        self.entered = time.monotonic()
        self.slow_kinds = 0
        self._release = release

    async def watch(self, work: Awaitable[_Answer], again: Again) -> _Answer:
        """Wait for the answer, and count it; who hangs up is not counted."""
        self.arm.in_flight.add(self)
        try:
            answer = await work
        except ServingError as error:
            self._end(error, again)
            raise
        finally:
            self.arm.in_flight.discard(self)
        self._end(answer, again)
        return answer

    def post(
        self,
        endpoint: Endpoint,
        item: Item,
        on_outcome: Callable[[Outcome], None],
        timeout_s: float | None,
        priority: int,
    ) -> Callable[[], None] | None:
        """Let the endpoint answer, and count that.

        Raises:
            ServingError: why it was not taken; that is counted, too.
        """

        async def again(other: Endpoint) -> object:
            if isinstance(item, RawRequest):
                return await other.ask(item, timeout_s, priority)
            return await other.infer(item, timeout_s, priority)

        def heard(outcome: Outcome) -> None:
            self.arm.in_flight.discard(self)
            on_outcome(outcome)
            self._end(outcome, again)

        try:
            posted = endpoint.post(item, heard, timeout_s, priority)
        except ServingError as error:
            self._end(error, again)
            raise
        if posted is None:
            return None
        self.arm.in_flight.add(self)
        cancel = posted.cancel

        def give_up() -> None:
            self.arm.in_flight.discard(self)
            cancel()

        return give_up

    def _end(self, outcome: object, again: Again) -> None:
        self._release.ended(self, time.monotonic() - self.entered, outcome, again)
