"""The bones that have a length, on the meshing grid."""

from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray
from scipy.sparse.csgraph import shortest_path

from animator.core.errors import InvalidSkeleton

__all__ = ("Bones", "measure_bones")

STEP = 3.0
"""Distance of samples along a bone, pixels of the meshing grid."""

THICKEST = 0.08
"""Most half-width of a limb that counts, of the figure's longer side."""


@dataclass(frozen=True, slots=True, eq=False)
class Bones:
    """The bones that have a length; lengths in pixels of the meshing grid.

    Attributes:
        near: (B,) int16, index of each one's near joint in the skeleton.
        far: (B,) int16, index of its far joint.
        ends: (B, 2, 2) float64, near and far end, the meshing grid.
        lengths: (B,) float64.
        reach: (B,) float64, half-width of the figure around each; of a bone shorter than its limb
            is wide, half its length.
        ways: (J, J) float64, from joint to joint along the limbs, and straight across the trunk.
        joints: (J, 2) float64, the meshing grid.
        is_trunk: (J,) bool, whether a joint belongs to the trunk: it ends none of the limbs' bones.
        is_limb: (B,) bool, whether it belongs to an arm or a leg, say, and not to the trunk: it
            lies beyond the first bone that leaves a joint where the skeleton branches.
    """

    near: NDArray[np.int16]
    far: NDArray[np.int16]
    ends: NDArray[np.float64]
    lengths: NDArray[np.float64]
    reach: NDArray[np.float64]
    ways: NDArray[np.float64]
    joints: NDArray[np.float64]
    is_trunk: NDArray[np.bool_]
    is_limb: NDArray[np.bool_]

    def pixels(
        self, bone: int, shape: tuple[int, ...]
    ) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
        """Rows and columns that a bone passes, clipped to a picture of this shape."""
        share = np.linspace(0, 1, max(int(self.lengths[bone] / STEP), 2) + 1)[:, None]
        points = self.ends[bone, 0] * (1 - share) + self.ends[bone, 1] * share
        x, y = np.clip(points.astype(np.intp), 0, np.array(shape[1::-1]) - 1).T
        return y, x


def measure_bones(
    joints: NDArray[np.float64], parents: tuple[int, ...], solid: NDArray[np.uint8]
) -> Bones:
    """Measure the bones of a skeleton in its figure.

    joints: (J, 2) float64, the meshing grid.
    solid: (m, n) uint8, 1 on the figure.

    Raises:
        InvalidSkeleton: when no bone has a length.
    """
    children, near = np.arange(1, len(parents)), np.array(parents[1:], dtype=np.int64)
    lengths = np.hypot(*(joints[children] - joints[near]).T)
    long = lengths > 1.0
    if not long.any():
        msg = "All joints lie in one place; please move them to where the limbs are."
        raise InvalidSkeleton(msg)
    is_limb = _limbs(parents, np.concatenate(([False], long)))
    bones = Bones(
        near=near[long].astype(np.int16),
        far=children[long].astype(np.int16),
        ends=np.stack((joints[near], joints[children]), axis=1)[long],
        lengths=lengths[long],
        reach=np.zeros(int(long.sum())),
        ways=_ways(joints, parents, is_limb),
        joints=joints,
        is_trunk=~is_limb,
        is_limb=is_limb[children[long]],
    )
    depth = cv2.distanceTransform(np.pad(solid, 1), cv2.DIST_L2, 5)[1:-1, 1:-1]
    for bone in range(len(bones.far)):
        found = depth[bones.pixels(bone, solid.shape)]
        width = float(np.median(found[found > 0])) if (found > 0).any() else 0.0
        limit = min(THICKEST * max(solid.shape), bones.lengths[bone] / 2)
        bones.reach[bone] = min(width, limit)
    return bones


def _ways(
    joints: NDArray[np.float64], parents: tuple[int, ...], is_limb: NDArray[np.bool_]
) -> NDArray[np.float64]:
    """Shortest ways (J, J) between joints; those of the trunk are joined by straight lines."""
    straight = np.linalg.norm(joints[:, None] - joints[None], axis=2) + 1e-6
    joined = ~is_limb[:, None] & ~is_limb[None]
    children = np.arange(1, len(parents))
    joined[children, list(parents[1:])] = True
    return np.asarray(shortest_path(np.where(joined, straight, 0), directed=False))


def _limbs(parents: tuple[int, ...], long: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Whether the bone that ends in each joint lies beyond the first long one of its limb: (J,)."""
    count = np.bincount(np.array(parents[1:], dtype=np.int64), minlength=len(parents))
    steps = np.zeros(len(parents), dtype=np.int64)
    for joint, parent in enumerate(parents[1:], start=1):
        begun = 0 if parent == 0 or count[parent] > 1 else steps[parent]
        steps[joint] = begun + long[joint]
        if count[joint] > 1:
            steps[joint] = 0
    return np.asarray(steps > 1)
