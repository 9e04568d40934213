"""Figure, mask and skeleton to a rig."""

import msgspec
import numpy as np
from numpy.typing import NDArray

from animator.core.drawing import Figure
from animator.core.mask import Mask
from animator.core.pose import joint_positions
from animator.core.rig import Mesh, Rig
from animator.core.rigging import USUAL, RigOptions
from animator.core.skeleton import Skeleton
from animator.core.spaces import FigureToWorld
from animator.rigging.bones import Bones, measure_bones
from animator.rigging.canvas import Canvas, canvas_of
from animator.rigging.ink import find_ink, hindrance
from animator.rigging.mesh import triangulate
from animator.rigging.seams import find_seams
from animator.rigging.silhouette import (
    Silhouette,
    clean_mask,
    nearest_inside,
    silhouette_from_mask,
)
from animator.rigging.sizing import half_widths
from animator.rigging.skinning import share_turns
from animator.rigging.territory import share_out
from animator.rigging.texture import cut_texture

__all__ = ("build_rig",)

BEND = 0.5
"""How far a bend spreads, of half the limb's width. A wider one leaves less room inside it: a fat
elbow is then crumpled."""

WIDEST_BEND = 0.12
"""How far it spreads at most, of the figure's longer side."""

STIFF = 30.0
"""How much more a stiff triangle resists than another."""


def build_rig(figure: Figure, mask: Mask, skeleton: Skeleton, options: RigOptions = USUAL) -> Rig:
    """All that is needed to move one figure.

    The rig's skeleton is the one given, with joints outside the mask moved to its nearest point;
    `moved_joints` names them.

    options: its template is not laid in here: the skeleton is the one to use.

    Raises:
        EmptyMask: when the mask holds no figure.
        InvalidSkeleton: when all joints lie in one place, or it lacks one that the options name.
        ValueError: when the mask is not the size of the figure.
    """
    if mask.data.shape != figure.image.shape[:2]:
        msg = f"expected a mask {figure.image.shape[:2]}, got {mask.data.shape}"
        raise ValueError(msg)
    canvas = canvas_of(figure, mask)
    solid = clean_mask(canvas.mask)
    drawn = canvas.from_figure(joint_positions(skeleton))
    joints = nearest_inside(solid, drawn)
    silhouette = silhouette_from_mask(solid)
    bones = measure_bones(
        silhouette.from_canvas(joints.astype(np.float64)), skeleton.parents, silhouette.solid
    )
    owner, seams = _divide(canvas, silhouette, bones)
    vertices, triangles = triangulate(silhouette.data, seams)
    x, y = vertices[triangles].mean(axis=1).astype(np.intp).T
    bone_of = bones.far[owner[y, x]]
    is_stiff = np.isin(bone_of, [skeleton.index(name) for name in options.stiff])
    spread = np.minimum(BEND * half_widths(silhouette.data)[y, x], WIDEST_BEND * max(owner.shape))
    moved = _moved(skeleton, canvas, joints, (joints != drawn).any(axis=1))
    to_world = _to_world(canvas, solid, joint_positions(moved)[0])
    places = canvas.to_figure(silhouette.to_canvas(vertices))
    return Rig(
        skeleton=moved,
        mesh=Mesh(to_world.apply(places), triangles),
        texture=cut_texture(canvas.image, solid),
        bone_of=bone_of,
        to_world=to_world,
        texels=canvas.scale,
        weights=share_turns(
            vertices, triangles, bone_of, np.where(is_stiff, 0.0, spread), len(joints)
        ),
        stiffness=np.where(is_stiff, STIFF, 1.0),
        stretchy=tuple(skeleton.index(name) for name in options.stretchy),
        moved_joints=tuple(
            joint.name
            for joint, before in zip(moved.joints, skeleton.joints, strict=True)
            if joint != before
        ),
    )


def _divide(
    canvas: Canvas, silhouette: Silhouette, bones: Bones
) -> tuple[NDArray[np.int16], list[NDArray[np.float64]]]:
    """The bone (an index into `bones`) of each pixel of the meshing grid, and where to cut."""
    ink = find_ink(canvas.image, silhouette)
    owner = share_out(silhouette, bones, hindrance(ink))
    return owner, find_seams(silhouette, owner, bones, ink)


def _to_world(canvas: Canvas, solid: NDArray[np.bool_], root: NDArray[np.float32]) -> FigureToWorld:
    rows = np.flatnonzero(solid.any(axis=1))
    return FigureToWorld(
        root_x=float(root[0]),
        root_y=float(root[1]),
        height=float(rows[-1] - rows[0] + 1) / canvas.scale[1],
    )


def _moved(
    skeleton: Skeleton,
    canvas: Canvas,
    joints: NDArray[np.float32],
    chosen: NDArray[np.bool_],
) -> Skeleton:
    """The skeleton with the chosen joints (J,) where they lie on the canvas."""
    places = canvas.to_figure(joints)
    return Skeleton(
        joints=tuple(
            msgspec.structs.replace(joint, x=float(x), y=float(y)) if is_moved else joint
            for joint, (x, y), is_moved in zip(skeleton.joints, places, chosen, strict=True)
        )
    )
