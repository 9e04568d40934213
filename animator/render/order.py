"""What is drawn before what: limb groups back to front, and in a limb the far bones last."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from animator.core.pose import VertexTrack
from animator.core.rig import Rig

__all__ = ("Layer", "layers", "stack")


@dataclass(frozen=True, slots=True, eq=False)
class Layer:
    """Triangles that are laid over what is behind them in one go.

    Attributes:
        group: the limb group they belong to.
        triangles: (N,) int64, indices into the mesh.
    """

    group: int
    triangles: NDArray[np.int64]


def layers(rig: Rig, track: VertexTrack) -> tuple[Layer, ...]:
    """One layer for each bone of each limb group, near bones before far ones.

    Layers by bone let a bent forearm lie over its own upper arm with its soft edge.
    """
    found = []
    for group in np.unique(track.group_of):
        for bone in np.unique(rig.bone_of[track.group_of == group]):
            chosen = (track.group_of == group) & (rig.bone_of == bone)
            found.append(Layer(group=int(group), triangles=np.flatnonzero(chosen)))
    return tuple(found)


def stack(found: tuple[Layer, ...], order: NDArray[np.int16]) -> tuple[Layer, ...]:
    """Layers from back to front for one frame; order: (G,) int16, groups from back to front."""
    rank = np.argsort(order)
    return tuple(sorted(found, key=lambda layer: rank[layer.group]))
