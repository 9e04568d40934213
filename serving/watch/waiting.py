"""Waiting: something that was seen in a watched place, and is not dealt with yet; and why not."""

from dataclasses import dataclass

__all__ = ("NotNow", "Waiting")

_FIRST_WAIT_S, _LONGEST_WAIT_S = 5.0, 300.0
"""Before another attempt, where one failed by no fault of the archive."""


class NotNow(Exception):
    """A release of its model goes on; nothing was changed.

    Attributes:
        model: its name.
    """

    def __init__(self, model: str) -> None:
        super().__init__(f"a release of {model} goes on")
        self.model = model


@dataclass(slots=True)
class Waiting:
    """Something that was seen, and is not dealt with yet.

    Attributes:
        signature: of what was seen.
        model: whose release it waits for; "": for none.
        wait_s: before the next attempt, seconds.
        not_before: monotonic seconds.
    """

    signature: str
    model: str = ""
    wait_s: float = _FIRST_WAIT_S
    not_before: float = 0.0

    def postpone(self, now: float) -> None:
        """Try again later, each time after twice as long.

        Args:
            now: monotonic seconds.
        """
        self.not_before = now + self.wait_s
        self.wait_s = min(self.wait_s * 2, _LONGEST_WAIT_S)
