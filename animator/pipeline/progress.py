"""What the walk tells while it goes on."""

from collections.abc import Callable

from animator.core.annotation import Annotation
from animator.core.job import Step

__all__ = ("Progress", "Show", "say_nothing")

Progress = Callable[[Step, float], None]
"""Told of each step as it begins, with the share of the whole job that is done, in [0, 1]."""

Show = Callable[[Annotation], None]
"""Told of what is known of a drawing so far; figures lack what is yet to be found."""


def say_nothing(_step: Step, _share: float) -> None:
    """The progress of what nobody watches."""
