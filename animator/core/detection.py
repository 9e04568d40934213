"""Detection: where a model believes a figure to be."""

import msgspec

from animator.core.geometry import Box

__all__ = ("Detection",)


class Detection(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A box in drawing space with the model's confidence.

    Attributes:
        box: drawing space, clipped to the picture.
        score: confidence in [0, 1].
        label: the class, "drawn_humanoid".
    """

    box: Box
    score: float
    label: str = "drawn_humanoid"
