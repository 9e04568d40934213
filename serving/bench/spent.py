"""Spent: where the time of a search went."""

from collections.abc import Sequence
from dataclasses import dataclass

from serving.bench.setting import Setting

__all__ = ("Spent",)


@dataclass
class Spent:
    """Where the time of a search went.

    Attributes:
        prepared: servers that were told another setting.
        preparing_s: seconds until the model was served so.
        loading_s: seconds of trials, with their warm-up and the answers that were waited for.
        planned_s: seconds of those that were to be measured.
        resumed: trials that were known from before, of which none of this tells.
    """

    prepared: int = 0
    preparing_s: float = 0.0
    loading_s: float = 0.0
    planned_s: float = 0.0
    resumed: int = 0

    def of_grid(self, settings: Sequence[Setting], whole_s: float) -> float:
        """How long a full grid takes at this pace, seconds.

        Args:
            settings: all of them.
            whole_s: of a whole trial.
        """
        served = len({setting.served for setting in settings})
        each_s = self.preparing_s / max(self.prepared, 1)
        # What surrounds the measuring is shorter in whole trials; so this is no flattery.
        return served * each_s + len(settings) * whole_s
