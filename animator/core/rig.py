"""Mesh and Rig: all that is needed to move one figure."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from animator.core.skeleton import Skeleton
from animator.core.spaces import FigureToWorld

__all__ = ("Mesh", "Rig", "corner_angles")


@dataclass(frozen=True, slots=True, eq=False)
class Mesh:
    """Triangles over a figure in its rest pose.

    Attributes:
        vertices: (V, 2) float32, world space. Mapped back to figure space they are the texture
            coordinates.
        triangles: (T, 3) int32, indices of vertices, counter-clockwise in world space.

    Raises:
        ValueError: when an array has another shape, or an index is out of range.
    """

    vertices: NDArray[np.float32]
    triangles: NDArray[np.int32]

    def __post_init__(self) -> None:
        if self.vertices.ndim != 2 or self.vertices.shape[1] != 2:
            msg = f"expected vertices (V, 2), got {self.vertices.shape}"
            raise ValueError(msg)
        if self.triangles.ndim != 2 or self.triangles.shape[1] != 3:
            msg = f"expected triangles (T, 3), got {self.triangles.shape}"
            raise ValueError(msg)
        count = len(self.vertices)
        if self.triangles.size and not (self.triangles.min() >= 0 and self.triangles.max() < count):
            msg = f"triangles must index {count} vertices, got up to {self.triangles.max()}"
            raise ValueError(msg)

    @property
    def least_angle(self) -> float:
        """The smallest angle of any triangle, degrees; 60 at best, 0 without triangles."""
        angles = corner_angles(self.vertices[self.triangles].astype(np.float64))
        return float(np.degrees(angles.min(initial=np.pi))) if angles.size else 0.0


def corner_angles(places: NDArray[np.float64]) -> NDArray[np.float64]:
    """The angles (T, 3) float64, radians, at the corners of triangles (T, 3, 2) float64."""
    ahead, behind = np.roll(places, -1, axis=1) - places, np.roll(places, 1, axis=1) - places
    cross = ahead[..., 0] * behind[..., 1] - ahead[..., 1] * behind[..., 0]
    return np.asarray(np.abs(np.arctan2(cross, (ahead * behind).sum(axis=2))))


@dataclass(frozen=True, slots=True, eq=False, weakref_slot=True)
class Rig:
    """Skeleton, mesh, texture and skinning of one figure; immutable, built once.

    Attributes:
        skeleton: figure space, rest pose; joints lie inside the mesh.
        mesh: world space, rest pose.
        texture: (h, w, 4) uint8 RGBA, straight alpha; alpha 0 outside the figure. Figure space, but
            `texels` pixels a pixel of it: that of a large photograph is smaller.
        bone_of: (T,) int16, for each triangle the index (skeleton order) of the far joint of the
            bone it follows; never 0, since the root ends no bone.
        to_world: the map from this figure's space to world space.
        weights: (T, J) float32, the share of each bone (by far joint) in how far a triangle turns;
            rows add to 1.
        texels: pixels of the texture per pixel of figure space, (x, y), > 0.
        stiffness: (T,) float64, > 0, how much a triangle resists being bent; 1 is usual, and
            None means 1 for all.
        stretchy: far joints of the bones that may become longer or shorter, indices.
        moved_joints: names of the joints that lay outside the mask and were moved onto it.
    """

    skeleton: Skeleton
    mesh: Mesh
    texture: NDArray[np.uint8]
    bone_of: NDArray[np.int16]
    to_world: FigureToWorld
    weights: NDArray[np.float32]
    texels: tuple[float, float] = (1.0, 1.0)
    stiffness: NDArray[np.float64] | None = None
    stretchy: tuple[int, ...] = ()
    moved_joints: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if self.texture.ndim != 3 or self.texture.shape[2] != 4:
            msg = f"expected a texture (h, w, 4), got {self.texture.shape}"
            raise ValueError(msg)
        if self.bone_of.shape != (len(self.mesh.triangles),):
            msg = f"expected bone_of ({len(self.mesh.triangles)},), got {self.bone_of.shape}"
            raise ValueError(msg)
        expected = (len(self.mesh.triangles), len(self.skeleton.joints))
        if self.weights.shape != expected:
            msg = f"expected weights {expected}, got {self.weights.shape}"
            raise ValueError(msg)
        if self.stiffness is not None and self.stiffness.shape != self.bone_of.shape:
            msg = f"expected stiffness {self.bone_of.shape}, got {self.stiffness.shape}"
            raise ValueError(msg)

    def texture_places(self) -> NDArray[np.float64]:
        """Where the vertices lie in the texture: (V, 2), pixels, centre of pixel i at i + 0.5."""
        return self.to_world.invert(self.mesh.vertices).astype(np.float64) * self.texels
