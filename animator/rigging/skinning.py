"""Which bone each triangle follows: the nearest inside the figure, from its limb's skin."""

from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array
from scipy.sparse.csgraph import dijkstra

from animator.core.errors import InvalidSkeleton
from animator.rigging.edges import edges_with_neighbours
from animator.rigging.handles import locate

__all__ = ("Bones", "assign_bones", "measure_bones")

SAMPLES = 16
"""Points along each bone from which distance is measured."""

THICKEST = 0.08
"""Most half-width of a limb that counts, of the figure's longer side."""


@dataclass(frozen=True, slots=True, eq=False)
class Bones:
    """The bones that have a length.

    Attributes:
        far: (B,) int16, index of each one's far joint in the skeleton.
        samples: (B, S, 2) float64, figure space, points along each, from near to far.
        inside: (B, S) bool, which of them lie in the figure; both ends do.
        reach: (B,) float64, half-width of the figure around each, pixels; of a bone shorter than
            its limb is wide, half its length.
    """

    far: NDArray[np.int16]
    samples: NDArray[np.float64]
    inside: NDArray[np.bool_]
    reach: NDArray[np.float64]


def measure_bones(
    joints: NDArray[np.float32], parents: tuple[int, ...], mask: NDArray[np.bool_]
) -> Bones:
    """Sample the bones of a skeleton in its figure.

    joints: (J, 2) float32, figure space, all inside the mask.
    mask: (h, w) bool, figure space.

    Raises:
        InvalidSkeleton: when no bone has a length.
    """
    children = np.arange(1, len(parents))
    near, far = joints[list(parents[1:])], joints[children]
    long = np.hypot(*(far - near).T) > 0.5
    if not long.any():
        msg = "All joints lie in one place; please move them to where the limbs are."
        raise InvalidSkeleton(msg)
    share = np.linspace(0, 1, SAMPLES)[None, :, None]
    samples = (near[long, None, :] * (1 - share) + far[long, None, :] * share).astype(np.float64)
    depth = cv2.distanceTransform(
        np.pad(mask.astype(np.uint8), 1), cv2.DIST_L2, cv2.DIST_MASK_PRECISE
    )
    columns = np.clip(samples[..., 0].astype(int), 0, mask.shape[1] - 1) + 1
    rows = np.clip(samples[..., 1].astype(int), 0, mask.shape[0] - 1) + 1
    depths = depth[rows, columns].astype(np.float64)
    inside = depths > 0
    inside[:, [0, -1]] = True
    reach = np.nanmedian(np.where(inside, depths, np.nan), axis=1)
    limit = np.minimum(THICKEST * max(mask.shape), np.hypot(*(far - near)[long].T) / 2)
    return Bones(
        far=children[long].astype(np.int16),
        samples=samples,
        inside=inside,
        reach=np.minimum(reach, limit),
    )


def assign_bones(
    vertices: NDArray[np.float64], triangles: NDArray[np.int32], bones: Bones
) -> NDArray[np.int16]:
    """The far joint of the bone that each triangle follows: (T,) int16.

    Distance is walked along the edges of the mesh, so what touches nothing is far; it counts from
    the limb's skin, not from the bone, so that a thin arm beside a broad body takes its own paint
    only. Parts of the mesh that no bone enters go by distance through the air.

    vertices: (V, 2) float64, figure space.
    triangles: (T, 3) int32.
    """
    walked = _walk(vertices, triangles, bones) - bones.reach[:, None]
    flown = _fly(vertices, bones)
    distances = np.where(np.isfinite(walked).any(axis=0), walked, flown)
    return np.asarray(bones.far[distances[:, triangles].sum(axis=2).argmin(axis=0)])


def _walk(
    vertices: NDArray[np.float64], triangles: NDArray[np.int32], bones: Bones
) -> NDArray[np.float64]:
    """Distance (B, V) from each bone along the mesh, pixels; infinite where it cannot be walked."""
    edges, _ = edges_with_neighbours(triangles)
    lengths = np.hypot(*(vertices[edges[:, 0]] - vertices[edges[:, 1]]).T)
    bone, _ = np.nonzero(bones.inside)
    points = bones.samples[bones.inside]
    corners = triangles[locate(vertices, triangles, points)[0]]
    steps = np.linalg.norm(vertices[corners] - points[:, None, :], axis=2)
    count = len(vertices)
    rows = np.concatenate((edges[:, 0].astype(np.int64), count + np.repeat(bone, 3)))
    columns = np.concatenate((edges[:, 1], corners.ravel())).astype(np.int64)
    values = np.concatenate((lengths, steps.ravel()))
    return _shortest(rows, columns, values, count, len(bones.far))


def _shortest(
    rows: NDArray[np.int64],
    columns: NDArray[np.int64],
    values: NDArray[np.float64],
    vertices: int,
    bones: int,
) -> NDArray[np.float64]:
    """Walk from each bone's node; roads between vertices go both ways, those from bones one."""
    order = np.lexsort((values, columns, rows))
    rows, columns, values = rows[order], columns[order], values[order]
    first = np.ones(len(rows), dtype=bool)
    first[1:] = (rows[1:] != rows[:-1]) | (columns[1:] != columns[:-1])
    rows, columns, values = rows[first], columns[first], values[first]
    back = rows < vertices
    graph = csr_array(
        (
            np.concatenate((values, values[back])) + 1e-9,
            (
                np.concatenate((rows, columns[back])),
                np.concatenate((columns, rows[back])),
            ),
        ),
        shape=(vertices + bones, vertices + bones),
    )
    found = dijkstra(graph, indices=vertices + np.arange(bones))
    return np.asarray(found[:, :vertices])


def _fly(vertices: NDArray[np.float64], bones: Bones) -> NDArray[np.float64]:
    """Distance (B, V) from each bone straight through the air, pixels."""
    return np.asarray(
        np.stack(
            [
                np.linalg.norm(vertices[:, None, :] - samples[None], axis=2).min(axis=1)
                for samples in bones.samples
            ]
        )
    )
