"""Tuner: what is known of a model version that keeps an SLO; pure, times are monotonic seconds."""

import logging
import math
from collections.abc import Hashable

from serving.batching.cost import Costs

__all__ = ("Tuner",)

_LATE = 0.005
"""Share of the answers near the limit that may be late. Half of what a p99 allows, for a p99 is
also measured over times that are too short to be exact."""

_STEP = 0.1
"""How much of the aim a late answer costs, of 1."""

_AIMS = (0.5, 0.9, 0.98)
"""Least, first and greatest aim."""

_SURE = 5
"""How many batches must have been seen before it is told that an SLO cannot be kept."""

_HOPE = 0.9
"""An SLO that could not be kept can be again once a lone item takes no more than this of it."""

_EASE = 0.02
"""How much of what requests took more, beside queue and model, each one forgets, of 1."""

_log = logging.getLogger(__name__)


class Tuner:
    """What is known of one model version and its SLO; its queues share it.

    Args:
        slo_s: as in `BatchLimits`.

    Attributes:
        name: of the version, for the log.
        slo_s: as in `BatchLimits`; may change.
        costs: what batches take.
        aim: share, in (0, 1), that what is expected is of what is planned for it; the rest is for
            errors.
        is_hopeless: whether even a lone item takes longer than the SLO; nothing is refused then.
    """

    def __init__(self, slo_s: float | None = None) -> None:
        self.name = ""
        self.slo_s = slo_s
        self.costs = Costs()
        self.aim = _AIMS[1]
        self.is_hopeless = False
        self._is_told = False
        self._beside_s = 0.0

    @property
    def target_s(self) -> float:
        """From arrival to answer, as it is planned, seconds."""
        return math.inf if self.slo_s is None else self.aim * self.slo_s

    @property
    def is_keeping(self) -> bool:
        """Whether there is an SLO, and it can be kept."""
        return self.slo_s is not None and not self.is_hopeless

    def size(self, most: int) -> int:
        """The largest batch, of at most `most`, that an item which has just come can go in."""
        if not self.is_keeping:
            return most
        if not self.costs.overall.count:
            return 1
        cost = self.costs.overall
        return max(cost.fitting(self.target_s, cost.worthwhile(most)), 1)

    def delay_s(self, most_s: float) -> float:
        """The longest that a lone item can wait for company, at most `most_s`, seconds."""
        if self.slo_s is None or self.is_hopeless:
            return most_s
        return min(max(self.slo_s - self.costs.overall.seconds(1) / self.aim, 0.0), most_s)

    def due(self, arrived: float, deadline: float) -> float:
        """When an item must be answered, by the SLO or its own deadline."""
        if self.slo_s is None:
            return deadline
        return min(arrived + self.slo_s - self._beside_s, deadline)

    def note_beside(self, seconds: float) -> None:
        """Learn what a request took beside queue and model: bodies may be decoded elsewhere.

        The most of late is what counts: no answer is in time by what most requests take. More than
        the SLO counts as that, so that one that was held up for long is forgotten as soon.
        """
        most_s = max(seconds, self._beside_s + _EASE * (seconds - self._beside_s))
        self._beside_s = min(most_s, self.slo_s or math.inf)

    def note_batch(self, kind: Hashable, size: int, seconds: float) -> None:
        """Learn what a batch took from leaving the queue to its answers, seconds."""
        slo_s = self.slo_s or math.inf
        self.costs.note(kind, size, seconds)
        alone_s = self.costs.overall.seconds(1)
        room_s = slo_s - self._beside_s
        self.is_hopeless = alone_s > room_s * (_HOPE if self.is_hopeless else 1)
        if self.is_hopeless == self._is_told or self.costs.overall.count < _SURE:
            return
        self._is_told = self.is_hopeless
        if self.is_hopeless:
            _log.warning(
                "%s: slo_p99_ms = %g cannot be kept, for one item alone takes %.3g ms; nothing is "
                "refused for it: give the model more threads or a faster device, or more time",
                self.name, slo_s * 1000, alone_s * 1000,
            )  # fmt: skip
        else:
            _log.info("%s: slo_p99_ms = %g can be kept again", self.name, slo_s * 1000)

    def note_answers(self, near: int, late: int) -> None:
        """Learn how many answers of a batch came near the limit, and how many of these after it.

        The aim moves up by a little for each that is in time and down by much for one that is not,
        so that it rests where the share `_LATE` of them is late, whatever the reason (Gibbs and
        Candès, "Adaptive Conformal Inference Under Distribution Shift", 2021).
        """
        if near:
            least, _, most = _AIMS
            self.aim = min(max(self.aim + _STEP * (_LATE - late / near), least), most)
