"""Mesh and Rig: all that is needed to move one figure."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from animator.core.skeleton import Skeleton
from animator.core.spaces import FigureToWorld

__all__ = ("Mesh", "Rig")


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


@dataclass(frozen=True, slots=True, eq=False)
class Rig:
    """Skeleton, mesh, texture and skinning of one figure; immutable, built once.

    Attributes:
        skeleton: figure space, rest pose; joints lie inside the mesh.
        mesh: world space, rest pose.
        texture: (h, w, 4) uint8 RGBA, figure space, straight alpha; alpha 0 outside the figure.
        bone_of: (T,) int16, for each triangle the index (skeleton order) of the far joint of the
            bone it follows; never 0, since the root ends no bone.
        to_world: the map from this figure's space to world space.
    """

    skeleton: Skeleton
    mesh: Mesh
    texture: NDArray[np.uint8]
    bone_of: NDArray[np.int16]
    to_world: FigureToWorld

    def __post_init__(self) -> None:
        if self.texture.ndim != 3 or self.texture.shape[2] != 4:
            msg = f"expected a texture (h, w, 4), got {self.texture.shape}"
            raise ValueError(msg)
        if self.bone_of.shape != (len(self.mesh.triangles),):
            msg = f"expected bone_of ({len(self.mesh.triangles)},), got {self.bone_of.shape}"
            raise ValueError(msg)
