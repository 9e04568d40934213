"""Lines that a mesh must keep: outlines of parts and of holes, and seams."""

from dataclasses import dataclass
from itertools import pairwise

import cv2
import numpy as np
from numpy.typing import NDArray

from animator.rigging.sizing import SAG, Plane

__all__ = ("Lines", "closed_lines", "with_outlines", "with_seams")

Points = NDArray[np.float64]


@dataclass(frozen=True, slots=True, eq=False)
class Lines:
    """Points on lines, and which of them are neighbours.

    Attributes:
        points: (N, 2) float64, the meshing grid.
        pieces: (P, 2) int64, indices of points that an edge must join.
        is_seam: (P,) bool, whether the mesh is to be cut along a piece.
    """

    points: Points
    pieces: NDArray[np.int64]
    is_seam: NDArray[np.bool_]


def closed_lines(data: NDArray[np.uint8]) -> list[Points]:
    """Smooth lines (N, 2) around the parts and the holes; the first point is not repeated."""
    found, _ = cv2.findContours(data, cv2.RETR_CCOMP, cv2.CHAIN_APPROX_NONE)
    return [_smooth(chain[:, 0, :].astype(np.float64) + 0.5) for chain in found if len(chain) > 2]


def with_outlines(chains: list[Points], size: Plane) -> Lines:
    """Sample outlines as finely as the field of sizes (m, n) says, corners among the points."""
    points, pieces, start = [], [], 0
    for chain in chains:
        line = _sample_closed(chain, size)
        here = start + np.arange(len(line))
        points.append(line)
        pieces.append(np.stack((here, np.roll(here, -1)), axis=1))
        start += len(line)
    return Lines(np.concatenate(points), np.concatenate(pieces), np.zeros(start, dtype=bool))


def with_seams(lines: Lines, seams: list[Points], size: Plane) -> Lines:
    """Add seams; ends that come near to a line are tied to one of its points."""
    for seam in seams:
        lines = _with_seam(lines, _sample(seam, size), size)
    return lines


def _with_seam(lines: Lines, seam: Points, size: Plane) -> Lines:
    away = np.linalg.norm(lines.points[:, None] - seam[None], axis=2)
    local = _at(size, seam)
    nearest, distance = away.argmin(axis=0), away.min(axis=0)
    # the first and last points of the seam that stand free of other lines
    free = np.flatnonzero(distance > 0.7 * local)
    if len(free) == 0:
        return lines
    first, last = int(free[0]), int(free[-1])
    kept = [i for i in range(first, last + 1) if distance[i] > 0.7 * local[i]]
    chain = [len(lines.points) + k for k in range(len(kept))]
    if first > 0 or distance[0] < 1.5 * local[0]:
        chain.insert(0, int(nearest[max(first - 1, 0)]))
    end = len(seam) - 1
    if last < end or distance[end] < 1.5 * local[end]:
        chain.append(int(nearest[min(last + 1, end)]))
    if len(chain) < 2 or chain[0] == chain[-1]:
        return lines
    pieces = np.array(list(pairwise(chain)), dtype=np.int64)
    return Lines(
        np.concatenate((lines.points, seam[kept])),
        np.concatenate((lines.pieces, pieces)),
        np.concatenate((lines.is_seam, np.ones(len(pieces), dtype=bool))),
    )


def _sample_closed(chain: Points, size: Plane) -> Points:
    """Points of a closed line, its corners among them; at least three."""
    corners = cv2.approxPolyDP(chain.astype(np.float32), SAG, True)[:, 0]
    at = np.unique([int(np.argmin(((chain - corner) ** 2).sum(axis=1))) for corner in corners])
    if len(at) < 3:
        at = np.linspace(0, len(chain), 4).astype(int)[:3]
    turned = np.concatenate((chain[at[0] :], chain[: at[0] + 1]))
    ends = [*(at - at[0]), len(chain)]
    return np.concatenate([_sample(turned[a : b + 1], size)[:-1] for a, b in pairwise(ends)])


def _sample(line: Points, size: Plane) -> Points:
    """Points of a line (N, 2), first and last among them, as far apart as the field says."""
    step = np.hypot(*np.diff(line, axis=0).T)
    local = _at(size, line)
    along = np.concatenate(([0.0], np.cumsum(2 * step / (local[1:] + local[:-1]))))
    goal = np.linspace(0, along[-1], max(round(float(along[-1])), 1) + 1)
    return np.stack([np.interp(goal, along, line[:, k]) for k in range(2)], axis=1)


def _at(size: Plane, points: Points) -> NDArray[np.float32]:
    x, y = np.clip(points.astype(np.intp), 0, np.array(size.shape[::-1]) - 1).T
    return np.asarray(size[y, x])


def _smooth(chain: Points) -> Points:
    """A closed chain of pixels without its stairs."""
    shares = {-2: 0.1, -1: 0.25, 0: 0.3, 1: 0.25, 2: 0.1}
    return np.asarray(sum(share * np.roll(chain, k, axis=0) for k, share in shares.items()))
