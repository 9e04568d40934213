"""How a figure's mask compares with one that a person made."""

import json
from dataclasses import dataclass
from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray

__all__ = ("MaskScore", "TrueMask", "read_mask", "score_mask")

Bits = NDArray[np.bool_]

_SIDE = 1000.0
"""The figure's longer side for which outline errors are stated, pixels."""


@dataclass(frozen=True, slots=True, eq=False)
class TrueMask:
    """The silhouette of one figure of a drawing, as a person drew it.

    Attributes:
        drawing: name of the picture's file.
        data: (H, W) bool, drawing space.
    """

    drawing: str
    data: Bits


@dataclass(frozen=True, slots=True)
class MaskScore:
    """How well a mask fits.

    Attributes:
        overlap: intersection over union, in [0, 1].
        typical: the median distance of a pixel of either outline to the other outline, pixels of a
            figure whose longer side has 1,000; infinite where nothing was found.
        mean: the mean of these distances.
    """

    overlap: float
    typical: float
    mean: float


def read_mask(file: Path) -> TrueMask:
    """Read `{"drawing", "width", "height", "outer": [ring...], "holes": [ring...]}`.

    A ring is a list of pixels [x, y]; it covers the pixels on it and inside it.

    Raises:
        ValueError: when it is something else.
    """
    try:
        document = json.loads(file.read_text(encoding="utf-8"))
        canvas = np.zeros((document["height"], document["width"]), np.uint8)
        for rings, value in ((document["outer"], 1), (document["holes"], 0)):
            for ring in rings:
                cv2.fillPoly(canvas, [np.array(ring, np.int32).reshape(-1, 1, 2)], value)
        return TrueMask(drawing=str(document["drawing"]), data=canvas > 0)
    except (KeyError, TypeError, ValueError) as error:
        msg = f"{file.name} is no mask: {type(error).__name__}: {error}"
        raise ValueError(msg) from error


def score_mask(found: Bits, true: Bits) -> MaskScore:
    """Compare a mask (H, W) with the true one (H, W), which is not empty."""
    overlap = float((found & true).sum() / (found | true).sum())
    if not found.any():
        return MaskScore(overlap=0.0, typical=float("inf"), mean=float("inf"))
    _, _, width, height = cv2.boundingRect(true.astype(np.uint8))
    here, there = _outline(found), _outline(true)
    away = np.concatenate((_distances(here, there), _distances(there, here)))
    away *= _SIDE / max(width, height)
    return MaskScore(overlap=overlap, typical=float(np.median(away)), mean=float(away.mean()))


def _outline(mask: Bits) -> Bits:
    """The pixels of a mask that touch what is not of it."""
    inner = cv2.erode(mask.astype(np.uint8), np.ones((3, 3), np.uint8), borderValue=0)
    return np.asarray(mask & (inner == 0), bool)


def _distances(pixels: Bits, target: Bits) -> NDArray[np.float32]:
    """Distance of each of some pixels to the nearest of others, (N,)."""
    away = cv2.distanceTransform((~target).astype(np.uint8), cv2.DIST_L2, cv2.DIST_MASK_PRECISE)
    return np.asarray(away[pixels], np.float32)
