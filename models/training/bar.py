"""The bar: what must be reached on real drawings, and a table of what was."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

__all__ = ("BAR", "BAR_HEADINGS", "Target", "bar_rows", "bar_table")


@dataclass(frozen=True, slots=True)
class Target:
    """One line of the bar.

    Attributes:
        name: of the score.
        limit: the least it must be, or the most, [0, 1].
        is_most: whether it must not be more.
        digits: of a value that is shown, after the point; a limit has one less.
    """

    name: str
    limit: float
    is_most: bool = False
    digits: int = 3

    def is_reached(self, value: float) -> bool:
        """Whether a value is good enough."""
        return value <= self.limit if self.is_most else value >= self.limit


BAR: tuple[Target, ...] = (
    Target("recall", 0.95),
    Target("precision", 0.92),
    Target("false on empty", 0.05, is_most=True),
    Target("mask IoU median", 0.95),
    Target("mask IoU tenth percentile", 0.85),
    Target("outline error", 0.002, is_most=True, digits=4),
    Target("PCK@0.05", 0.55),
    Target("PCK@0.1", 0.80),
    Target("PCK@0.2", 0.93),
    Target("orientation of four turns", 0.95),
)

BAR_HEADINGS = ("score", "must be", "is", "reached")


def bar_rows(scores: Mapping[str, float]) -> Sequence[tuple[str, ...]]:
    """A line a score under `BAR_HEADINGS`; what was not measured says so."""
    return [_row(target, scores.get(target.name)) for target in BAR]


def bar_table(scores: Mapping[str, float]) -> str:
    """The same as a Markdown table."""
    lines = (BAR_HEADINGS, ("---",) * len(BAR_HEADINGS), *bar_rows(scores))
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def _row(target: Target, value: float | None) -> tuple[str, ...]:
    limit = f"{'at most' if target.is_most else 'at least'} {target.limit:.{target.digits - 1}f}"
    if value is None:
        return target.name, limit, "not measured", "-"
    return (
        target.name,
        limit,
        f"{value:.{target.digits}f}",
        "yes" if target.is_reached(value) else "no",
    )
