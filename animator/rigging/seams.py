"""Where a figure is cut: lines between paint of bones that are far apart in the skeleton."""

import cv2
import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array
from scipy.sparse.csgraph import dijkstra

from animator.rigging.bones import Bones
from animator.rigging.silhouette import Silhouette

__all__ = ("find_seams",)

Points = NDArray[np.float64]

DETOUR = 1.6
"""Bones are far apart where the way along the skeleton is longer by this than straight across."""

LEAST_WAY = 0.07
"""Such a way is no shorter than this, of the figure's longer side."""

SHORTEST = 24
"""Least pixels of a seam: a shorter one would free nothing."""

LEAST_INK = 0.08
"""Where two limbs lie side by side, a line of ink is darker than this on the median."""

SKIRT = 4.0
"""Without such a line, and without a gap, they are cut apart only where the way is longer by this:
legs close together, but not a skirt over both."""

NEAR = 9
"""Width of the stroke within which a line of ink counts as lying on a seam, pixels."""

SPLINTER = 12
"""Least pixels of a part that counts."""

TIED = 9
"""How near to the rim an end of a seam may be taken to lie on it, pixels."""

ROUND = 5
"""Half-width of the window that smooths seams, pixels."""


def find_seams(
    silhouette: Silhouette, owner: NDArray[np.int16], bones: Bones, ink: NDArray[np.float32]
) -> list[Points]:
    """Lines (N, 2) to cut along, on the meshing grid, smooth, a pixel's step from point to point.

    owner: (m, n) int16, the bone of each pixel.
    ink: (m, n) float32, how much darker each pixel is than what is around it, 0 to 1.
    """
    drawn = np.asarray(cv2.dilate(ink, np.ones((NEAR, NEAR), np.uint8)), np.float32)
    drawn[silhouette.solid == 0] = 1.0
    whole = silhouette.data.copy()
    found = []
    for pair, pixels in _borders(owner).items():
        limbs = [bool(bones.is_limb[bone]) for bone in pair]
        if not any(limbs):
            continue
        detour = _detour(silhouette, bones, pair, pixels)
        lines = _trace(pixels[detour > DETOUR])
        if all(limbs):
            inked = [line for line in lines if _median(drawn, line) > LEAST_INK]
            lines = inked or _trace(pixels[detour > SKIRT])
        found += [_smooth(line) for line in lines if not _severs(silhouette, whole, line)]
    return found


def _severs(silhouette: Silhouette, whole: NDArray[np.uint8], line: Points) -> bool:
    """Whether a cut through paint would make one part two; else it is made in `whole` (m, n)."""
    cut = whole.copy()
    cv2.polylines(cut, [np.floor(line).astype(np.int32)], False, (0.0,), 1)
    # the mesh ties the ends of a seam to the rim, if that is near
    for end in np.floor(line[[0, -1]]).astype(int).tolist():
        cv2.circle(cut, (end[0], end[1]), TIED, (0.0,), cv2.FILLED)
    x, y = line.astype(np.intp).T
    through_paint = float(np.median(silhouette.solid[y, x])) > 0
    if through_paint and _parts(cut) > _parts(whole):
        return True
    whole[:] = cut
    return False


def _parts(data: NDArray[np.uint8]) -> int:
    """Connected parts (side by side, not corner to corner) that are more than splinters."""
    count, _, stats, _ = cv2.connectedComponentsWithStats(data, connectivity=4)
    return int((stats[1:count, cv2.CC_STAT_AREA] >= SPLINTER).sum())


def _median(picture: NDArray[np.floating], line: Points) -> float:
    x, y = line.astype(np.intp).T
    return float(np.median(picture[y, x]))


def _borders(owner: NDArray[np.int16]) -> dict[tuple[int, int], NDArray[np.intp]]:
    """Pixels (N, 2), column and row, on the border of each two bones' paint."""
    height, width = owner.shape
    rows, columns, pairs = [], [], []
    for down, right in ((0, 1), (1, 0)):
        here, there = owner[: height - down, : width - right], owner[down:, right:]
        y, x = np.nonzero((here != there) & (here >= 0) & (there >= 0))
        rows.append(y)
        columns.append(x)
        pairs.append(np.sort(np.stack((here[y, x], there[y, x]), axis=1), axis=1))
    pixels = np.stack((np.concatenate(columns), np.concatenate(rows)), axis=1)
    both = np.concatenate(pairs)
    return {
        (int(one), int(other)): np.unique(pixels[(both == (one, other)).all(axis=1)], axis=0)
        for one, other in np.unique(both, axis=0)
    }


def _detour(
    silhouette: Silhouette, bones: Bones, pair: tuple[int, int], pixels: NDArray[np.intp]
) -> NDArray[np.float64]:
    """How much longer the way along the skeleton is than straight across, at pixels of a border.

    0 where that way is short anyway; without bound in a gap, unless the way is shorter still.
    """
    middles = pixels.astype(np.float64) + 0.5
    one, other = (_ways_to_joints(bones, bone, middles) for bone in pair)
    ways = (one[0] + other[0]).min(axis=1)
    detour = ways / np.maximum(one[1] + other[1], 1.0)
    column, row = pixels.T
    gap = (silhouette.solid[row, column] == 0) & (detour > 0.5)
    short = ways <= LEAST_WAY * max(silhouette.solid.shape)
    return np.asarray(np.where(gap, np.inf, np.where(short, 0.0, detour)))


def _ways_to_joints(
    bones: Bones, bone: int, points: Points
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Ways (N, J) to all joints from the place on a bone nearest to each point, and its distance.

    In the trunk ways are straight: it is one piece, whatever bones lie in it.
    """
    share, off = _project(points, bones.ends[bone])
    along = share * bones.lengths[bone]
    if bones.is_limb[bone]:
        near = along[:, None] + bones.ways[bones.near[bone]]
        far = (bones.lengths[bone] - along)[:, None] + bones.ways[bones.far[bone]]
        return np.minimum(near, far), off
    start, end = bones.ends[bone]
    places = start + share[:, None] * (end - start)
    trunk = np.flatnonzero(bones.is_trunk)
    straight = np.linalg.norm(places[:, None] - bones.joints[trunk], axis=2)
    return (straight[:, :, None] + bones.ways[trunk]).min(axis=1), off


def _project(points: Points, ends: Points) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Share along a segment (2, 2) of the place nearest to each point, and distance from it."""
    arm = ends[1] - ends[0]
    share = np.clip((points - ends[0]) @ arm / (arm @ arm), 0, 1)
    return share, np.hypot(*(points - ends[0] - share[:, None] * arm).T)


def _trace(pixels: NDArray[np.intp]) -> list[Points]:
    """The longest way through each connected set of pixels."""
    if len(pixels) < SHORTEST:
        return []
    low = pixels.min(axis=0) - 1
    picture = np.zeros((pixels.max(axis=0) - low + 2)[::-1], np.uint8)
    picture[tuple((pixels - low).T[::-1])] = 1
    count, labels = cv2.connectedComponents(picture)
    lines = [_longest(labels == label) for label in range(1, count)]
    return [line + low + 1.0 for line in lines if len(line) >= SHORTEST]


def _longest(part: NDArray[np.bool_]) -> Points:
    """The pixels (N, 2), column and row, of the way between the two ends farthest apart."""
    rows, columns = np.nonzero(part)
    number = np.full(part.shape, -1)
    number[rows, columns] = np.arange(len(rows))
    starts, ends, costs = [], [], []
    for down, right in ((0, 1), (1, 0), (1, 1), (1, -1)):
        there = number[rows + down, columns + right]
        starts.append(np.flatnonzero(there >= 0))
        ends.append(there[there >= 0])
        costs.append(np.full(len(ends[-1]), np.hypot(down, right)))
    graph = csr_array(
        (np.concatenate(costs), (np.concatenate(starts), np.concatenate(ends))),
        shape=(len(rows), len(rows)),
    )
    first = int(np.argmax(dijkstra(graph, directed=False, indices=0)))
    away, before = dijkstra(graph, directed=False, indices=first, return_predecessors=True)
    way = [int(np.argmax(away))]
    while before[way[-1]] >= 0:
        way.append(int(before[way[-1]]))
    return np.stack((columns[way], rows[way]), axis=1).astype(np.float64)


def _smooth(line: Points) -> Points:
    """A moving mean whose ends stay where they are."""
    head = 2 * line[0] - line[1 : ROUND + 1][::-1]
    tail = 2 * line[-1] - line[-ROUND - 1 : -1][::-1]
    total = np.cumsum(np.concatenate((np.zeros((1, 2)), head, line, tail)), axis=0)
    window = 2 * ROUND + 1
    return np.asarray((total[window:] - total[:-window]) / window)
