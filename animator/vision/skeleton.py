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

_ONE_PLACE = 0.03
"""Both limbs of a pair that lie closer to each other, as a share of the figure's longer side, were
found on the same stroke."""

_LIMBS = (("shoulder", "elbow", "wrist"), ("hip", "knee", "ankle"))

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

_ORDER = {name: i for i, name in enumerate(COCO_KEYPOINTS)}


def build_skeleton(keypoints: Keypoints, mask: Mask) -> Skeleton:
    """Place the joints, in or beside the silhouette's middle where the model was wrong or unsure.

    keypoints: figure space of the mask.
    mask: at least one pixel true.
    """
    keypoints = _drop_doubles(keypoints, max(mask.data.shape))
    scores = keypoints.scores
    points = _complete(keypoints.points.astype(float), scores >= _SEEN, mask)
    inner = _InnerPixels(mask)
    joints = []
    for name, parent in BIPED_PARENTS.items():
        rows = [_ORDER[source] for source in _SOURCES[name]]
        x, y = inner.nearest(points[rows].mean(axis=0))
        score = float(scores[rows].min())
        joints.append(Joint(name=name, parent=parent, x=x, y=y, score=round(score, 4)))
    return Skeleton(joints=tuple(joints))


def _drop_doubles(keypoints: Keypoints, side: int) -> Keypoints:
    """The same without a limb that was found where its twin is.

    Of two arms on one stroke the surer is there. Two legs on one stroke are the trunk's end, and
    neither is there.
    """
    points, scores = keypoints.points.copy(), keypoints.scores.copy()
    left, right = _rows("left", "elbow", "wrist"), _rows("right", "elbow", "wrist")
    if _is_one_place(keypoints, left, right, side):
        scores[min(left, right, key=lambda rows: float(scores[rows].sum()))] = 0.0
    left, right = _rows("left", "knee", "ankle"), _rows("right", "knee", "ankle")
    if _is_one_place(keypoints, left, right, side):
        scores[left + right] = 0.0
        points[_rows("left", "hip") + _rows("right", "hip")] = points[[left[1], right[1]]].mean(0)
    return Keypoints(points=points, scores=scores)


def _rows(side: str, *parts: str) -> list[int]:
    return [_ORDER[f"{side}_{part}"] for part in parts]


def _is_one_place(keypoints: Keypoints, left: list[int], right: list[int], side: int) -> bool:
    """Whether both limbs were seen, and each keypoint where its twin is."""
    apart = np.hypot(*(keypoints.points[left] - keypoints.points[right]).T)
    seen = keypoints.scores[left + right] >= _SEEN
    return bool((apart < _ONE_PLACE * side).all() and seen.all())


def _complete(points: Points, seen: NDArray[np.bool_], mask: Mask) -> Points:
    """All keypoints (17, 2); those not seen come from the template, fitted to those seen."""
    rows, columns = (np.flatnonzero(mask.data.any(axis=axis)) for axis in (1, 0))
    corner = np.array([columns[0], rows[0]], float)
    size = np.array([columns[-1] + 1, rows[-1] + 1]) - corner
    template = corner + size * np.array([_TEMPLATE[name] for name in COCO_KEYPOINTS])
    if seen.sum() >= 3:
        template = _fit(template, points, seen)
    points = np.where(seen[:, None], points, template)
    for limb in _LIMBS:
        for side in ("left", "right"):
            _straighten(points, seen, _rows(side, *limb), mask)
    return points


def _fit(template: Points, points: Points, seen: NDArray[np.bool_]) -> Points:
    """Turn, scale and move the template onto the seen points (Umeyama 1991, without mirroring)."""
    source, target = template[seen], points[seen]
    a = (source - source.mean(axis=0)) @ np.array([1, 1j])
    b = (target - target.mean(axis=0)) @ np.array([1, 1j])
    turn = np.vdot(a, b) / max(float(np.vdot(a, a).real), 1e-9)
    moved = turn * ((template - source.mean(axis=0)) @ np.array([1, 1j]))
    return np.asarray(np.stack((moved.real, moved.imag), axis=1) + target.mean(axis=0))


def _straighten(points: Points, seen: NDArray[np.bool_], limb: list[int], mask: Mask) -> None:
    """Lay the unseen part of a limb (rows of top, middle, end) straight, in place.

    A middle lies between its neighbours, an end beyond it. A limb of which nothing was seen goes as
    far as the silhouette does, the way it would go: in a dress to the hem; nowhere without a leg.
    """
    top, middle, end = limb
    if seen[middle] and seen[end]:
        return
    if seen[middle]:
        if seen[top]:
            points[end] = 2 * points[middle] - points[top]
        return
    if not seen[end]:
        points[end] = _last_inside(points[top], points[end], mask)
    if seen[end] or seen[top]:
        points[middle] = (points[top] + points[end]) / 2


def _last_inside(start: Points, end: Points, mask: Mask) -> Points:
    """The last point on the way from start to end before it leaves the silhouette."""
    way = start + np.linspace(0.0, 1.0, 65)[:, None] * (end - start)
    columns, rows = np.floor(way).astype(int).T
    height, width = mask.data.shape
    inside = (columns >= 0) & (columns < width) & (rows >= 0) & (rows < height)
    inside[inside] = mask.data[rows[inside], columns[inside]]
    return np.asarray(way[max(int(np.argmin(np.append(inside, False))) - 1, 0)])


class _InnerPixels:
    """Finds the nearest pixel that lies safely inside a mask."""

    def __init__(self, mask: Mask) -> None:
        self._mask = mask.data
        self._rim: Points | None = None

    def nearest(self, point: Points) -> tuple[float, float]:
        """The point itself when it lies in the mask."""
        column, row = (int(np.floor(value)) for value in point)
        height, width = self._mask.shape
        if 0 <= row < height and 0 <= column < width and self._mask[row, column]:
            return float(point[0]), float(point[1])
        if self._rim is None:
            self._rim = _rim_of(self._mask)
        away = ((self._rim - point) ** 2).sum(axis=1)
        x, y = self._rim[int(away.argmin())]
        return float(x), float(y)


def _rim_of(mask: NDArray[np.bool_]) -> Points:
    """Middles (N, 2) of the outermost pixels that lie safely inside: no other is nearer to outside.

    A large photo's mask has tens of millions of pixels, and its rim some thousands.
    """
    whole = mask.view(np.uint8)
    inner = _shave(whole)
    rim = inner - _shave(inner) if inner.any() else whole
    return np.asarray(cv2.findNonZero(rim).reshape(-1, 2) + 0.5)


def _shave(bits: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """Without the pixels that touch what is outside, the picture's border too."""
    square = np.ones((3, 3), np.uint8)
    return np.asarray(cv2.erode(bits, square, borderValue=0), np.uint8)
