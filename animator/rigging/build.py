"""Figure, mask and skeleton to a rig."""

import msgspec
import numpy as np
from numpy.typing import NDArray

from animator.core.drawing import Figure
from animator.core.mask import Mask
from animator.core.rig import Mesh, Rig
from animator.core.skeleton import Skeleton, joint_positions
from animator.core.spaces import FigureToWorld
from animator.rigging.mesh import triangulate
from animator.rigging.silhouette import clean_mask, nearest_inside, silhouette_from_mask
from animator.rigging.skinning import assign_bones, measure_bones
from animator.rigging.texture import cut_texture

__all__ = ("build_rig",)


def build_rig(figure: Figure, mask: Mask, skeleton: Skeleton) -> Rig:
    """All that is needed to move one figure.

    The rig's skeleton is the one given, with joints outside the mask moved to its nearest point.

    Raises:
        EmptyMask: when the mask holds no figure.
        InvalidSkeleton: when all joints lie in one place.
        ValueError: when the mask is not the size of the figure.
    """
    if mask.data.shape != figure.image.shape[:2]:
        msg = f"expected a mask {figure.image.shape[:2]}, got {mask.data.shape}"
        raise ValueError(msg)
    solid = clean_mask(mask)
    joints = nearest_inside(solid, joint_positions(skeleton))
    vertices, triangles = triangulate(silhouette_from_mask(solid))
    bones = measure_bones(joints, skeleton.parents, solid)
    bone_of = assign_bones(vertices, triangles, bones)
    rows = np.flatnonzero(solid.any(axis=1))
    to_world = FigureToWorld(
        root_x=float(joints[0, 0]),
        root_y=float(joints[0, 1]),
        height=float(rows[-1] - rows[0] + 1),
    )
    return Rig(
        skeleton=_moved(skeleton, joints),
        mesh=Mesh(to_world.apply(vertices.astype(np.float32)), triangles),
        texture=cut_texture(figure.image, solid),
        bone_of=bone_of,
        to_world=to_world,
    )


def _moved(skeleton: Skeleton, joints: NDArray[np.float32]) -> Skeleton:
    return Skeleton(
        joints=tuple(
            msgspec.structs.replace(joint, x=float(x), y=float(y))
            for joint, (x, y) in zip(skeleton.joints, joints, strict=True)
        )
    )
