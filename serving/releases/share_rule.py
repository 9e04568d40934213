"""ShareRule: whether more of a canary's requests end badly than of the stable version's."""

from typing import Literal, NamedTuple

from serving.releases.alarm import Alarm
from serving.releases.arm import Arm
from serving.releases.tally import Tally
from serving.releases.trial import Trial
from serving.releases.verdict import Verdict

__all__ = ("DOUBT", "ShareRule", "ShareRuleName")

ShareRuleName = Literal["errors", "shedding", "rejections"]

DOUBT = 0.5
"""Share of what an alarm takes, from where on a canary gets no larger."""


class _Counts(NamedTuple):
    """How many requests ended so, of how many."""

    events: int
    requests: int

    @property
    def share(self) -> float:
        return self.events / self.requests if self.requests else 0.0


class _Words(NamedTuple):
    """How a rule speaks of its events: as a verb, and as a name in numbers."""

    verb: str
    name: str


_WORDS = {
    "errors": _Words("failed", "failures"),
    "shedding": _Words("shed, having too much to do,", "shed"),
    "rejections": _Words("rejected, as clients' mistakes,", "rejected"),
}


class ShareRule:
    """One way to end badly, as it befalls two versions.

    Args:
        name: which.
        most_excess: how much larger the candidate's share of its requests may be, in [0, 1].
        false_alarms: how likely it rings though there is no difference, in (0, 1).
        round_number: how often it has been begun, >= 1.
    """

    def __init__(
        self, name: ShareRuleName, most_excess: float, false_alarms: float, round_number: int
    ) -> None:
        self.name = name
        self._most_excess = most_excess
        self._alarm = Alarm(false_alarms, 1, round_number)

    @property
    def round_number(self) -> int:
        """How often it has been begun."""
        return self._alarm.round_number

    @property
    def progress(self) -> float:
        """How far it is on its way: at 1 the difference is no chance."""
        return max(self._alarm.logarithm, 0.0) / self._alarm.bound

    def add(self, trial: Trial, candidate: Arm) -> None:
        """Count a request that ended so."""
        odds = trial.odds[candidate.version]
        self._alarm.add(odds, is_candidate=trial.arm is candidate)

    def is_in_doubt(self, candidate: Arm, stable: Arm) -> bool:
        """Whether it is half on its way, by a difference that is not tolerated."""
        return self.progress >= DOUBT and self._excess(candidate, stable) > self._most_excess

    def judge(self, candidate: Arm, stable: Arm) -> Verdict | None:
        """Decide; None: nothing speaks against the candidate."""
        if not self._alarm.rings() or self._excess(candidate, stable) <= self._most_excess:
            return None
        ours, theirs = self._counts(candidate.total), self._counts(stable.total)
        words = _WORDS[self.name]
        reason = (
            f"version {candidate.version} {words.verb} {ours.events} of {ours.requests} requests, "
            f"version {stable.version} {theirs.events} of {theirs.requests}"
        )
        numbers = {
            words.name: ours.events,
            "requests": ours.requests,
            f"stable_{words.name}": theirs.events,
            "stable_requests": theirs.requests,
            "log_evidence": self._alarm.logarithm,
            "log_evidence_bound": self._alarm.bound,
        }
        return Verdict(self.name, reason, numbers)

    def _excess(self, candidate: Arm, stable: Arm) -> float:
        """By how much its share is larger: of the release, or of the step, where that is more."""
        return max(
            self._counts(ours).share - self._counts(theirs).share
            for ours, theirs in ((candidate.total, stable.total), (candidate.step, stable.step))
        )

    def _counts(self, tally: Tally) -> _Counts:
        if self.name == "errors":
            return _Counts(tally.failures, tally.requests)
        if self.name == "shedding":
            return _Counts(tally.shed, tally.valid)
        return _Counts(tally.rejected, tally.asked)
