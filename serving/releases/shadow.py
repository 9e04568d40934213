"""Shadow: asks another version the same as was answered, and compares; nobody waits for it.

A copy begins when its request has been answered: it cannot delay it, nor fail it. It is dropped
when too many are under way, when the new version has work to do, or when requests wait for the
version that answers: whatever is short then, live requests have it first.
"""

import asyncio
import random
import time
from dataclasses import dataclass, field

from serving.errors import DeadlineExceeded, ServerUnavailable, ServingError
from serving.protocol.exchange import RawReply
from serving.registry.endpoint import Endpoint
from serving.registry.routing import Again
from serving.releases.agreement import Tolerance, agree
from serving.releases.intervals import Moments
from serving.releases.plan import ShadowPlan

__all__ = ("Shadow", "ShadowCounts")


@dataclass(slots=True)
class ShadowCounts:
    """What has come of copies.

    Attributes:
        agreed: they said what the client was told.
        differed: they said something else.
        failed: they failed where the client got an answer.
        dropped: they were not asked.
        latency: moments of the copies' times, seconds.
        live_latency: of the times of those requests that were copied, seconds.
    """

    agreed: int = 0
    differed: int = 0
    failed: int = 0
    dropped: int = 0
    latency: Moments = field(default_factory=Moments)
    live_latency: Moments = field(default_factory=Moments)


class Shadow:
    """Copies of requests to one version.

    Args:
        plan: how many, and how they are compared.

    Attributes:
        counts: what has come of them.
    """

    def __init__(self, plan: ShadowPlan) -> None:
        self._plan = plan
        self._tolerance = Tolerance(plan.relative_tolerance, plan.absolute_tolerance)
        self._copies: set[asyncio.Task[None]] = set()
        self.counts = ShadowCounts()

    def offer(
        self, pair: tuple[Endpoint, Endpoint], again: Again, live: object, live_s: float
    ) -> None:
        """Copy a request that was answered, perhaps.

        Args:
            pair: the version that answered, and the one to be asked.
            again: asks it.
            live: the answer.
            live_s: after how long it came, seconds.
        """
        is_drawn = random.random() < self._plan.share  # nosec B311: a draw is no secret
        if not is_drawn or _is_beyond_comparison(live):
            return
        stable, candidate = pair
        if (
            len(self._copies) >= self._plan.most_at_once
            or not candidate.is_ready
            or candidate.in_flight > len(self._copies)
            or stable.waiting
        ):
            self.counts.dropped += 1
            return
        copying = asyncio.get_running_loop().create_task(self._copy(candidate, again, live, live_s))
        self._copies.add(copying)
        copying.add_done_callback(self._copies.discard)

    def stop(self) -> None:
        """Give up what is under way."""
        for copying in self._copies:
            copying.cancel()

    async def _copy(self, candidate: Endpoint, again: Again, live: object, live_s: float) -> None:
        began = time.monotonic()
        copy: object
        try:
            copy = await again(candidate)
        except ServingError as error:
            copy = error
        seconds = time.monotonic() - began
        if isinstance(copy, RawReply) and copy.rest is not None:
            await copy.rest.aclose()
            self.counts.dropped += 1
            return
        counts = self.counts
        if isinstance(copy, Exception) and not isinstance(live, Exception):
            counts.failed += 1
            return
        if await asyncio.to_thread(agree, live, copy, self._tolerance):
            counts.agreed += 1
        else:
            counts.differed += 1
        counts.latency.add(seconds)
        counts.live_latency.add(live_s)


def _is_beyond_comparison(live: object) -> bool:
    """Whether it was not the model that answered, or the answer is still being made."""
    if isinstance(live, RawReply):
        return live.rest is not None
    return isinstance(live, ServerUnavailable | DeadlineExceeded)
