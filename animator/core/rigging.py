"""RigOptions: how figures are made movable, if not in the usual way; skeletons to lay in."""

from typing import Annotated

import msgspec

from animator.core.skeleton import BIPED_PARENTS, Joint, Skeleton

__all__ = ("TEMPLATES", "USUAL", "RigOptions", "lay_out")

Names = Annotated[
    tuple[Annotated[str, msgspec.Meta(min_length=1, max_length=100)], ...],
    msgspec.Meta(max_length=64),
]

Place = tuple[str | None, float, float]
"""A joint of a template: its parent, and where it lies in the figure's box, as shares of its width
and of its height from the top."""


class RigOptions(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What is asked of the rigs.

    Attributes:
        stiff: bones, by far joint, whose paint does not bend: "torso" for a body of wood. They
            turn as a whole, and what hangs on them bends around them.
        stretchy: bones, by far joint, that may become longer or shorter where their paint likes to;
            others keep their length within a hundredth.
        skeleton: name of a template that is laid into every figure instead of its own skeleton;
            None keeps what was found.

    Raises:
        ValueError: when there is no template of that name.
    """

    stiff: Names = ()
    stretchy: Names = ()
    skeleton: str | None = None

    def __post_init__(self) -> None:
        if self.skeleton is not None and self.skeleton not in TEMPLATES:
            msg = f"skeleton must be one of {', '.join(TEMPLATES)}, got {self.skeleton!r}"
            raise ValueError(msg)


_TRUNK = {"root": (0.5, 0.63), "hip": (0.5, 0.63), "torso": (0.5, 0.36), "neck": (0.5, 0.18)}
_HALF = {
    "shoulder": (0.08, 0.36),
    "elbow": (0.24, 0.38),
    "hand": (0.42, 0.40),
    "hip": (0.06, 0.63),
    "knee": (0.10, 0.80),
    "foot": (0.13, 0.96),
}
"""Joints of one side: how far from the middle, and how far down."""


def _both(joint: str, parent: str, away: float, down: float, number: str = "") -> dict[str, Place]:
    """A joint on either side; the figure's right is on the left of the drawing."""
    found: dict[str, Place] = {}
    for side, sign in (("right", -1), ("left", 1)):
        hangs_on = parent if parent in _TRUNK else f"{side}_{parent}"
        found[f"{side}_{joint}{number}"] = (hangs_on, 0.5 + sign * away, down)
    return found


def _biped() -> dict[str, Place]:
    found: dict[str, Place] = {}
    for name, parent in BIPED_PARENTS.items():
        if name in _TRUNK:
            found[name] = (parent, *_TRUNK[name])
        else:
            side, part = name.split("_")
            away, down = _HALF[part]
            found[name] = (parent, 0.5 + (-away if side == "right" else away), down)
    return found


def _without_arms() -> dict[str, Place]:
    arms = ("shoulder", "elbow", "hand")
    return {name: place for name, place in _biped().items() if not name.endswith(arms)}


def _six_arms() -> dict[str, Place]:
    found = _without_arms()
    for number, down in (("1", 0.50), ("2", 0.40), ("3", 0.30)):
        found |= _both("shoulder", "torso", 0.14, down, number)
        found |= _both("elbow", f"shoulder{number}", 0.28, down, number)
        found |= _both("hand", f"elbow{number}", 0.42, down, number)
    return found


def _winged() -> dict[str, Place]:
    wings = _both("wing", "torso", 0.14, 0.32)
    tips = _both("wing_tip", "wing", 0.42, 0.20)
    return _without_arms() | wings | tips


def _tailed() -> dict[str, Place]:
    return _biped() | {
        "tail": ("root", 0.62, 0.66),
        "tail_middle": ("tail", 0.76, 0.70),
        "tail_tip": ("tail_middle", 0.92, 0.70),
    }


def _four_legs() -> dict[str, Place]:
    """An animal from the side, its head on the right."""
    found: dict[str, Place] = {
        "root": (None, 0.30, 0.50),
        "hip": ("root", 0.30, 0.50),
        "torso": ("hip", 0.70, 0.48),
        "neck": ("torso", 0.86, 0.28),
        "tail": ("root", 0.18, 0.42),
        "tail_tip": ("tail", 0.06, 0.36),
    }
    for name, x in (("right_b", 0.20), ("left_b", 0.33), ("right_f", 0.64), ("left_f", 0.77)):
        side, end = name.split("_")
        found[f"{side}_hip_{end}"] = ("root", x, 0.58)
        found[f"{side}_knee_{end}"] = (f"{side}_hip_{end}", x, 0.78)
        found[f"{side}_foot_{end}"] = (f"{side}_knee_{end}", x, 0.95)
    return found


TEMPLATES: dict[str, dict[str, Place]] = {
    "biped": _biped(),
    "no-arms": _without_arms(),
    "six-arms": _six_arms(),
    "four-legs": _four_legs(),
    "tail": _tailed(),
    "wings": _winged(),
}
"""Skeletons by name; joints in order, parents first. The joints of the biped have the names that
AnimatedDrawings uses, as have those of its six-armed and four-legged figures."""


def lay_out(name: str, box: tuple[float, float, float, float]) -> Skeleton:
    """A template's skeleton in a box (x1, y1, x2, y2), figure space, around a figure's paint."""
    x1, y1, x2, y2 = box
    return Skeleton(
        joints=tuple(
            Joint(name=joint, parent=parent, x=x1 + x * (x2 - x1), y=y1 + y * (y2 - y1))
            for joint, (parent, x, y) in TEMPLATES[name].items()
        )
    )


USUAL = RigOptions()
"""A figure's own skeleton, bones that keep their length, paint that bends."""
