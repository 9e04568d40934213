"""What is drawn before what: limb groups back to front, and in a limb the far bones last."""

import numpy as np
from numpy.typing import NDArray

from animator.core.pose import VertexTrack
from animator.core.rig import Rig

__all__ = ("back_to_front",)


def back_to_front(rig: Rig, track: VertexTrack, order: NDArray[np.integer]) -> NDArray[np.int64]:
    """The triangles of a mesh, (T,) indices, in the order in which they are drawn.

    Far bones come after near ones, so a bent forearm lies over its own upper arm with its soft
    edge.

    order: (G,), limb groups from back to front.
    """
    rank = np.argsort(order)
    return np.lexsort((rig.bone_of, rank[track.group_of]))
