"""How long the edges of a mesh should be: short in thin limbs and at details, else long."""

import cv2
import numpy as np
from numpy.typing import NDArray

__all__ = ("SAG", "Plane", "edge_lengths", "half_widths")

Points = NDArray[np.float64]
Plane = NDArray[np.float32]

BUDGET = 1200
"""Vertices of a mesh, at most about."""

PER_WIDTH = 0.55
"""Length of an edge against the width of the limb it lies in."""

SPACING = (4.5, 18.0)
"""Bounds on the length of an edge before the budget is looked at, pixels of the meshing grid."""

GRADING = 0.35
"""How much longer edges may be a pixel further on: neighbours are of like size."""

SAG = 1.6
"""How far an edge may cut a corner off, pixels of the meshing grid."""

COARSE = 4
"""Pixels of the meshing grid a pixel of the field of lengths."""


def edge_lengths(data: NDArray[np.uint8], chains: list[Points]) -> Plane:
    """Length that edges should have at each pixel: (m, n) float32, pixels of the meshing grid.

    data: (m, n) uint8, 1 inside.
    chains: closed lines (N, 2) around it.
    """
    rows, columns = (-(-side // COARSE) for side in data.shape)
    field = np.clip(2 * PER_WIDTH * half_widths(data), *SPACING)
    wide = ((0, rows * COARSE - data.shape[0]), (0, columns * COARSE - data.shape[1]))
    blocks = np.pad(field, wide, mode="edge").reshape(rows, COARSE, columns, COARSE)
    small = blocks.min(axis=(1, 3))
    for chain in chains:
        corners = cv2.approxPolyDP(chain.astype(np.float32), SAG, True)[:, 0]
        sides = np.hypot(*(corners - np.roll(corners, 1, axis=0)).T)
        x, y = (corners / COARSE).astype(np.intp).T
        np.minimum.at(small, (y, x), np.clip(np.minimum(sides, np.roll(sides, -1)), *SPACING))
    large = cv2.resize(
        _graded(small), (columns * COARSE, rows * COARSE), interpolation=cv2.INTER_LINEAR
    )
    field = np.asarray(large, np.float32)[: data.shape[0], : data.shape[1]]
    count = float((data / (0.6 * field**2)).sum())
    return np.asarray(field * max(np.sqrt(count / BUDGET), 1.0), np.float32)


def half_widths(data: NDArray[np.uint8]) -> Plane:
    """Half the width of the limb around each pixel: (m, n) float32, the depth of its middle."""
    depth = cv2.distanceTransform(np.pad(data, 1), cv2.DIST_L2, 5)
    ridge = (depth >= cv2.dilate(depth, np.ones((3, 3), np.uint8))) & (depth > 0)
    _, labels = cv2.distanceTransformWithLabels(
        (~ridge).astype(np.uint8), cv2.DIST_L2, 5, labelType=cv2.DIST_LABEL_PIXEL
    )
    half = np.zeros(labels.max() + 1, np.float32)
    half[labels[ridge]] = depth[ridge]
    return np.asarray(half[labels][1:-1, 1:-1])


def _graded(field: Plane) -> Plane:
    """The largest field below this one that grows no faster than GRADING."""
    step = np.float32(GRADING * COARSE)
    for _ in range(int((SPACING[1] - SPACING[0]) / step) + 1):
        near = np.asarray(cv2.erode(field, np.ones((3, 3), np.uint8)), np.float32)
        field = np.minimum(field, near + step)
    return field
