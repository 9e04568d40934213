"""Verdict: that a canary is taken back, and why."""

from typing import Literal, NamedTuple

__all__ = ("Rule", "Verdict")

Rule = Literal["errors", "shedding", "rejections", "latency", "drift", "unready"]


class Verdict(NamedTuple):
    """Why a canary is taken back.

    Attributes:
        rule: which decided it.
        reason: a sentence with its numbers.
        numbers: those by name.
    """

    rule: Rule
    reason: str
    numbers: dict[str, float]
