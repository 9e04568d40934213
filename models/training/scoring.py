"""How found figures compare with annotated ones."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from animator.core.geometry import Box, intersection_over_union

__all__ = ("LIMITS", "FoundFigure", "TrueFigure", "match", "score_picture")

Point = tuple[float, float]

LIMITS = (0.05, 0.1, 0.2)
"""Distances within which a joint counts as right, as shares of the true box's longer side."""

_LEAST_OVERLAP = 0.5


@dataclass(frozen=True, slots=True)
class TrueFigure:
    """A figure as a person marked it.

    Attributes:
        box: drawing space.
        joints: those that are visible, by name, drawing space; empty for all but the main figure.
    """

    box: Box
    joints: Mapping[str, Point] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class FoundFigure:
    """A figure as the models see it.

    Attributes:
        box: drawing space.
        score: in [0, 1].
        joints: by name, drawing space.
    """

    box: Box
    score: float
    joints: Mapping[str, Point]


def match(truth: Sequence[TrueFigure], found: Sequence[FoundFigure]) -> dict[int, int]:
    """Index of the found figure by index of the true one: greedy by score, IoU of 0.5 or more."""
    pairs: dict[int, int] = {}
    for place in sorted(range(len(found)), key=lambda k: -found[k].score):
        overlaps = {
            t: intersection_over_union(figure.box, found[place].box)
            for t, figure in enumerate(truth)
            if t not in pairs
        }
        # Of equal overlaps the last one counts: the order of truth decides, as it does elsewhere.
        best = max(overlaps, key=lambda t: (overlaps[t], t), default=None)
        if best is not None and overlaps[best] >= _LEAST_OVERLAP:
            pairs[best] = place
    return pairs


def score_picture(truth: Sequence[TrueFigure], found: Sequence[FoundFigure]) -> Counter[str]:
    """Counts that add up over pictures.

    `figures`, `predicted`, `matched`; `joints` and `right@0.1` and so on. A joint of a figure that
    was not found, or that was not given, is wrong. A picture without a figure counts as `empty`,
    and as `empty_false` when one was found in it.
    """
    if not truth:
        return Counter(empty=1, empty_false=int(bool(found)))
    pairs = match(truth, found)
    tally = Counter(figures=len(truth), predicted=len(found), matched=len(pairs))
    for t, figure in enumerate(truth):
        joints = found[pairs[t]].joints if t in pairs else {}
        side = max(figure.box.width, figure.box.height)
        for name, (x, y) in figure.joints.items():
            tally["joints"] += 1
            if name in joints:
                px, py = joints[name]
                share = ((px - x) ** 2 + (py - y) ** 2) ** 0.5 / side
                tally.update({f"right@{limit}": 1 for limit in LIMITS if share <= limit})
    return tally
