"""Rig and poses to the moved vertices of the whole clip."""

import numpy as np
from numpy.typing import NDArray

from animator.core.pose import JointTrack, PoseSequence, VertexTrack, pose_joints
from animator.core.rig import Rig
from animator.rigging.arap import Arap, Complex, pull_of, solve
from animator.rigging.handles import handle_places
from animator.rigging.motor import Motor, motor_of
from animator.rigging.turns import unwind
from animator.rigging.unfold import is_folded, unfold

__all__ = ("deform",)

ROUNDS = 3
"""Rounds of turning triangles and solving; the first takes its turns from the bones."""

HOPELESS = 0.5
"""Share of frames that cannot be unfolded with firm joints, from which none is tried any more: the
skeleton does not fit its figure."""

FRAMES_AT_ONCE = 32
"""Frames solved together; few enough for the processor's cache."""


def deform(rig: Rig, poses: PoseSequence) -> VertexTrack:
    """Move the mesh of a figure through all frames at once.

    Raises:
        ValueError: when the poses are of another skeleton.
    """
    count = len(rig.skeleton.joints)
    if poses.angles.shape[1] != count:
        msg = f"expected angles for {count} joints, got {poses.angles.shape[1]}"
        raise ValueError(msg)
    motor = motor_of(rig)
    group_of_joint = _groups(rig, poses.groups)
    return VertexTrack(
        fps=poses.fps,
        vertices=_move(rig, motor, poses),
        group_of=group_of_joint[rig.bone_of],
        order=np.argsort(poses.depths, axis=1, kind="stable").astype(np.int16),
    )


def _move(rig: Rig, motor: Motor, poses: PoseSequence) -> NDArray[np.float32]:
    """Vertices (F, V, 2) float32, world space."""
    parents = rig.skeleton.parents
    track = pose_joints(motor.rest, parents, poses)
    counted = unwind(track.turns, parents)
    vertices = np.empty((len(counted), len(rig.mesh.vertices), 2), np.float32)
    arap = motor.arap
    for start in range(0, len(counted), FRAMES_AT_ONCE):
        part = slice(start, start + FRAMES_AT_ONCE)
        some = JointTrack(places=track.places[part], turns=track.turns[part])
        places = handle_places(rig, motor.rest, motor.grip.bones, some)
        turns = np.exp(1j * (motor.weights @ counted[part].T))
        moved = _settle(arap, places, turns)
        folded = is_folded(arap, moved)
        if arap is motor.arap and folded.any():
            moved[:, folded] = _settle(motor.loose, places[folded], turns[:, folded])
            if folded.mean() > HOPELESS:
                arap = motor.loose
        vertices[part, :, 0], vertices[part, :, 1] = moved.real.T, moved.imag.T
    return vertices


def _settle(arap: Arap, places: NDArray[np.float64], turns: Complex) -> Complex:
    """Places (V, F) of the vertices for places (F, H, 2) of handles and turns (T, F) of bones."""
    pull = pull_of(arap, places)
    return unfold(arap, solve(arap, pull, turns, ROUNDS), pull, turns)


def _groups(rig: Rig, groups: tuple[tuple[str, ...], ...]) -> NDArray[np.int16]:
    """The limb group of each joint's bone; one that is in no group goes with its parent."""
    named = {name: place for place, names in enumerate(groups) for name in names}
    found = np.zeros(len(rig.skeleton.joints), dtype=np.int16)
    for i, (joint, parent) in enumerate(
        zip(rig.skeleton.joints, rig.skeleton.parents, strict=True)
    ):
        found[i] = named.get(joint.name, found[max(parent, 0)])
    return found
