"""How much each bone turns each triangle: whole inside a limb, shared gradually around joints."""

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import coo_array, diags_array

from animator.rigging.edges import twin_sides
from animator.rigging.factors import factorise

__all__ = ("share_turns",)

PASSES = 2
"""Times that the shares are spread: twice makes bends round, without a kink in the middle."""


def share_turns(
    vertices: NDArray[np.float64],
    triangles: NDArray[np.int32],
    bone_of: NDArray[np.int16],
    spread: NDArray[np.float64],
    joints: int,
) -> NDArray[np.float32]:
    """Shares (T, J) float32 of the bones, by far joint, in each triangle's turn; rows add to 1.

    They spread along the mesh as heat does, so not across a cut.

    vertices: (V, 2) float64.
    triangles: (T, 3) int32.
    bone_of: (T,) int16, the bone that each triangle follows.
    spread: (T,) float64, how far shares spread there, the unit of the vertices; 0 in stiff parts.
    """
    twins = twin_sides(triangles)
    one, other = twins.one // 3, twins.other // 3
    corners = triangles.ravel()
    next_corner = triangles[:, [1, 2, 0]].ravel()
    places = vertices[triangles]
    middle = places.mean(axis=1)
    u, v = places[:, 1] - places[:, 0], places[:, 2] - places[:, 0]
    area = np.abs(u[:, 0] * v[:, 1] - u[:, 1] * v[:, 0]) / 2
    length = np.linalg.norm(vertices[corners[twins.one]] - vertices[next_corner[twins.one]], axis=1)
    apart = np.linalg.norm(middle[one] - middle[other], axis=1)
    flow = np.minimum(spread[one], spread[other]) ** 2 * length / np.maximum(apart, 1e-9)
    count = len(triangles)
    there = coo_array((flow, (one, other)), shape=(count, count)).tocsr()
    between = there + there.T
    factors = factorise(diags_array(area + between.sum(axis=1)) - between)
    shares = np.zeros((count, joints))
    shares[np.arange(count), bone_of] = 1
    for _ in range(PASSES):
        shares = factors.solve(area[:, None] * shares)
    return shares.astype(np.float32)
