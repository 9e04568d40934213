"""Evidence: whether an event befalls one version's requests more often than another's.

An event is a failure, or an answer that took too long. Requests are drawn for the versions with a
known probability, so if the version makes no difference, each event belongs to the candidate with
just that probability: whatever the traffic, the hour, or an outage that befalls both. The product
of likelihood ratios against that, averaged over how much more often it might be, is a martingale
that starts at 1, and reaches 1/a with a probability of a at most, however often it is looked at
(Ville). That is the test for counts of Lindon and Malek (Anytime-Valid Inference For Multinomial
Count Data, NeurIPS 2022), here with a mixture of some ratios in place of a Beta distribution, so
that the probability may change from step to step.
"""

import math
from collections.abc import Sequence

__all__ = ("EITHER_WAY", "MORE_OFTEN", "Evidence", "log_mean_exp")

MORE_OFTEN = (1.25, 1.5, 2.0, 3.0, 5.0, 10.0, 30.0, 100.0)
"""How many times as often the event may befall the candidate: what a canary is asked."""

EITHER_WAY = (*(1 / ratio for ratio in reversed(MORE_OFTEN)), *MORE_OFTEN)
"""More often, or more seldom: what an A/B test asks."""


_MOST_AT_ONCE = 3
"""Events between two looks that wary evidence counts."""


def log_mean_exp(logarithms: Sequence[float]) -> float:
    """The logarithm of the mean of what these are the logarithms of."""
    most = max(logarithms)
    return most + math.log(sum(math.exp(each - most) for each in logarithms) / len(logarithms))


class Evidence:
    """The likelihood ratio that has gathered.

    Args:
        ratios: of the risks, each as likely as the others beforehand.
        is_wary: whether all that comes between two looks gains no more than three events would: a
            worker that stalls for a moment befalls many requests at once, and is no verdict. What
            gains less than a martingale is as safe, or safer.
    """

    __slots__ = ("_counts", "_is_wary", "_logarithms", "_ratios")

    def __init__(self, ratios: Sequence[float] = MORE_OFTEN, *, is_wary: bool = False) -> None:
        self._ratios = ratios
        self._is_wary = is_wary
        self._logarithms = [0.0] * len(ratios)
        self._counts: dict[float, list[int]] = {}

    def add(self, share: float, *, is_candidate: bool) -> None:
        """Count an event.

        Args:
            share: the probability with which its request was drawn for the candidate; at 0 and 1
                nothing can be compared.
            is_candidate: whether it was.
        """
        pair = self._counts.get(share)
        if pair is None:
            pair = self._counts[share] = [0, 0]
        pair[is_candidate] += 1

    @property
    def logarithm(self) -> float:
        """The natural logarithm of the mean ratio; 0 at the beginning.

        Of wary evidence as it was at the last look, however often it is read.
        """
        if not self._is_wary:
            self.look()
        return log_mean_exp(self._logarithms)

    @property
    def p_value(self) -> float:
        """An always-valid p-value: it may be looked at at any time, in (0, 1]."""
        return math.exp(-max(self.logarithm, 0.0))

    def look(self) -> None:
        """Weigh what was counted since the last look: requests are many, looks are few."""
        counts, self._counts = self._counts, {}
        for index, ratio in enumerate(self._ratios):
            gained, most = 0.0, 0.0
            for share, (others, own) in counts.items():
                if not 0 < share < 1:
                    continue
                # With a ratio r an event is the candidate's with probability pr / (pr + 1 - p).
                gain = -math.log1p(share * (ratio - 1))
                gained += (others + own) * gain + own * math.log(ratio)
                most = max(most, gain + math.log(ratio))
            bound = _MOST_AT_ONCE * most if self._is_wary else math.inf
            self._logarithms[index] += min(gained, bound)
