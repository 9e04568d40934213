"""Keypoints to the sixteen joints of the drawn biped."""

import cv2
import numpy as np
from numpy.typing import NDArray

from animator.core.keypoints import COCO_KEYPOINTS, Keypoints
from animator.core.mask import Mask
from animator.core.skeleton import BIPED_PARENTS, Joint, Skeleton

__all__ = ("build_skeleton",)

Points = NDArray[np.float64]

_SEEN = 0.15
"""Score from which a keypoint is believed; others get a place in proportion to the rest."""

_SOURCES: dict[str, tuple[str, ...]] = {
    "root": ("left_hip", "right_hip"),
    "hip": ("left_hip", "right_hip"),
    "torso": ("left_shoulder", "right_shoulder"),
    "neck": ("nose",),
    "right_shoulder": ("right_shoulder",),
    "right_elbow": ("right_elbow",),
    "right_hand": ("right_wrist",),
    "left_shoulder": ("left_shoulder",),
    "left_elbow": ("left_elbow",),
    "left_hand": ("left_wrist",),
    "right_hip": ("right_hip",),
    "right_knee": ("right_knee",),
    "right_foot": ("right_ankle",),
    "left_hip": ("left_hip",),
    "left_knee": ("left_knee",),
    "left_foot": ("left_ankle",),
}
"""Each joint is the mean of these keypoints (AnimatedDrawings' convention)."""

_TEMPLATE: dict[str, tuple[float, float]] = {
    "nose": (0.50, 0.18),
    "left_eye": (0.53, 0.15),
    "right_eye": (0.47, 0.15),
    "left_ear": (0.57, 0.16),
    "right_ear": (0.43, 0.16),
    "left_shoulder": (0.58, 0.36),
    "right_shoulder": (0.42, 0.36),
    "left_elbow": (0.72, 0.40),
    "right_elbow": (0.28, 0.40),
    "left_wrist": (0.88, 0.42),
    "right_wrist": (0.12, 0.42),
    "left_hip": (0.55, 0.63),
    "right_hip": (0.45, 0.63),
    "left_knee": (0.61, 0.80),
    "right_knee": (0.39, 0.80),
    "left_ankle": (0.66, 0.97),
    "right_ankle": (0.34, 0.97),
}
"""Where keypoints lie in the box of a drawn figure, about the median of real drawings; shares."""


def build_skeleton(keypoints: Keypoints, mask: Mask) -> Skeleton:
    """Place the joints, in or beside the silhouette's middle where the model was wrong or unsure.

    keypoints: figure space of the mask.
    mask: at least one pixel true.
    """
    points = _complete(keypoints, mask)
    order = {name: i for i, name in enumerate(COCO_KEYPOINTS)}
    inner = _InnerPixels(mask)
    joints = []
    for name, parent in BIPED_PARENTS.items():
        rows = [order[source] for source in _SOURCES[name]]
        x, y = inner.nearest(points[rows].mean(axis=0))
        score = float(keypoints.scores[rows].min())
        joints.append(Joint(name=name, parent=parent, x=x, y=y, score=round(score, 4)))
    return Skeleton(joints=tuple(joints))


def _complete(keypoints: Keypoints, mask: Mask) -> Points:
    """All keypoints (17, 2); those not seen come from the template, fitted to those seen."""
    rows, columns = np.nonzero(mask.data)
    corner = np.array([columns.min(), rows.min()], float)
    size = np.array([columns.max() + 1, rows.max() + 1]) - corner
    template = corner + size * np.array([_TEMPLATE[name] for name in COCO_KEYPOINTS])
    seen = keypoints.scores >= _SEEN
    points = keypoints.points.astype(float)
    if seen.sum() >= 3:
        template = _fit(template, points, seen)
    points[~seen] = template[~seen]
    _straighten(points, seen)
    return points


def _fit(template: Points, points: Points, seen: NDArray[np.bool_]) -> Points:
    """Turn, scale and move the template onto the seen points (Umeyama 1991, without mirroring)."""
    source, target = template[seen], points[seen]
    a = (source - source.mean(axis=0)) @ np.array([1, 1j])
    b = (target - target.mean(axis=0)) @ np.array([1, 1j])
    turn = np.vdot(a, b) / max(float(np.vdot(a, a).real), 1e-9)
    moved = turn * ((template - source.mean(axis=0)) @ np.array([1, 1j]))
    return np.asarray(np.stack((moved.real, moved.imag), axis=1) + target.mean(axis=0))


def _straighten(points: Points, seen: NDArray[np.bool_]) -> None:
    """Put an unseen elbow or knee between its neighbours, and an unseen end beyond it, in place."""
    order = {name: i for i, name in enumerate(COCO_KEYPOINTS)}
    for limb in (("shoulder", "elbow", "wrist"), ("hip", "knee", "ankle")):
        for side in ("left", "right"):
            top, middle, end = (order[f"{side}_{part}"] for part in limb)
            if seen[top] and seen[end] and not seen[middle]:
                points[middle] = (points[top] + points[end]) / 2
            elif seen[top] and seen[middle] and not seen[end]:
                points[end] = 2 * points[middle] - points[top]


class _InnerPixels:
    """Finds the nearest pixel that lies safely inside a mask."""

    def __init__(self, mask: Mask) -> None:
        inner = cv2.erode(
            mask.data.astype(np.uint8), np.ones((3, 3), np.uint8), borderValue=0
        ).astype(bool)
        self._mask = mask.data
        rows, columns = np.nonzero(inner if inner.any() else mask.data)
        self._points = np.stack((columns, rows), axis=1) + 0.5

    def nearest(self, point: Points) -> tuple[float, float]:
        """The point itself when it lies in the mask."""
        column, row = (int(np.floor(value)) for value in point)
        height, width = self._mask.shape
        if 0 <= row < height and 0 <= column < width and self._mask[row, column]:
            return float(point[0]), float(point[1])
        away = ((self._points - point) ** 2).sum(axis=1)
        x, y = self._points[int(away.argmin())]
        return float(x), float(y)
