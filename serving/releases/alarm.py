"""Alarm: evidence that is watched, and begun anew where it has come to speak for the version."""

import math

from serving.releases.evidence import Evidence, log_mean_exp

__all__ = ("Alarm",)

_HOPELESS = -3.0
"""Logarithm of evidence that speaks so clearly for a version that a later change of it would be
seen late: from there it is gathered anew."""


class Alarm:
    """Rings when events befall the candidate more often, at one or several thresholds.

    What comes between two looks counts as three events at most, against the candidate: a stall of a
    worker befalls many requests at once, and is no verdict.

    Each time the evidence is begun anew, less of the permitted rate of false alarms is spent on it:
    1/2, 1/6, 1/12 and so on, which is all of it for ever.

    Args:
        false_alarms: how likely it rings at all though there is no difference, in (0, 1).
        kinds: of events; their evidence is averaged, which is evidence again.
        round_number: how often it has been begun, >= 1.
    """

    __slots__ = ("_false_alarms", "_rounds", "round_number")

    def __init__(self, false_alarms: float, kinds: int = 1, round_number: int = 1) -> None:
        self._false_alarms = false_alarms
        self._rounds = [Evidence(is_wary=True) for _ in range(kinds)]
        self.round_number = round_number

    def add(self, share: float, *, is_candidate: bool, kind: int = 0) -> None:
        """Count an event, as `Evidence.add` does."""
        self._rounds[kind].add(share, is_candidate=is_candidate)

    @property
    def logarithm(self) -> float:
        """Of the mean evidence, at the last look."""
        return log_mean_exp([evidence.logarithm for evidence in self._rounds])

    @property
    def bound(self) -> float:
        """What the logarithm must reach for an alarm, > 0."""
        return math.log(self.round_number * (self.round_number + 1) / self._false_alarms)

    def rings(self) -> bool:
        """Look whether the difference is more than chance, and begin anew where that is remote."""
        for evidence in self._rounds:
            evidence.look()
        logarithm = self.logarithm
        if logarithm < _HOPELESS:
            self._rounds = [Evidence(is_wary=True) for _ in self._rounds]
            self.round_number += 1
        return logarithm >= self.bound
