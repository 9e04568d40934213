"""Rig and poses to the moved vertices of the whole clip."""

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from animator.core.pose import (
    JointTrack,
    PoseSequence,
    VertexTrack,
    group_of_joints,
    pose_joints,
    turn_joints,
)
from animator.core.rig import Rig
from animator.rigging.arap import Arap, pull_of
from animator.rigging.handles import handle_places
from animator.rigging.motor import Motor, motor_of
from animator.rigging.settle import settle
from animator.rigging.turns import unwind

__all__ = ("deform",)

FRAMES_AT_ONCE = 96
"""Frames settled together; few enough for the processor's cache."""

FITTING = 0.75
"""Share of a clip's frames that can be settled, from which the skeleton fits its figure; where it
does not, joints give way."""

AWAY = (0, 3, 8)
"""How many frames away from all that cannot be settled are those that lend them a pose; tried one
after the other."""


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
    return VertexTrack(
        fps=poses.fps,
        vertices=_move(rig, motor, poses),
        group_of=group_of_joints(poses, rig.skeleton)[rig.bone_of],
        order=np.argsort(poses.depths, axis=1, kind="stable").astype(np.int16),
    )


def _move(rig: Rig, motor: Motor, poses: PoseSequence) -> NDArray[np.float32]:
    """Vertices (F, V, 2) float32, world space."""
    parents = rig.skeleton.parents
    track = pose_joints(motor.rest, parents, poses)
    track = replace(track, turns=unwind(track.turns, parents))
    vertices, sound = _settled(rig, motor, motor.arap, track)
    if sound.mean() < FITTING:
        return _settled(rig, motor, motor.loose, track)[0]
    for away in AWAY:
        lent = np.flatnonzero(~sound)
        if len(lent) == 0:
            break
        lenders = np.flatnonzero(_far_from(~sound, away))
        if len(lenders) == 0:
            break
        # no mesh can take these poses; one between those before and after is near
        between = _between(motor, parents, track, lent, lenders)
        vertices[lent], sound[lent] = _settled(rig, motor, motor.arap, between)
    return vertices


def _far_from(chosen: NDArray[np.bool_], away: int) -> NDArray[np.bool_]:
    """Which frames (F,) are more than so many away from all the chosen ones, at least one."""
    apart = np.abs(np.arange(len(chosen))[:, None] - np.flatnonzero(chosen))
    return np.asarray(apart.min(axis=1) > away)


def _settled(
    rig: Rig, motor: Motor, arap: Arap, track: JointTrack
) -> tuple[NDArray[np.float32], NDArray[np.bool_]]:
    """Vertices (F, V, 2) float32 for turns without jumps, and whether each frame is sound."""
    count = len(track.turns)
    vertices = np.empty((count, len(rig.mesh.vertices), 2), np.float32)
    sound = np.empty(count, np.bool_)
    for start in range(0, count, FRAMES_AT_ONCE):
        # spans share a frame, so that the second begins as the first has ended
        part = slice(start, start + FRAMES_AT_ONCE + 1)
        some = JointTrack(places=track.places[part], turns=track.turns[part])
        places = handle_places(rig, motor.rest, motor.grip.bones, some)
        turns = np.exp(1j * (motor.weights @ some.turns.T)).astype(np.complex64)
        moved, sound[part] = settle(arap, pull_of(arap, places), turns)
        vertices[part, :, 0], vertices[part, :, 1] = moved.real.T, moved.imag.T
    return vertices, sound


def _between(
    motor: Motor,
    parents: tuple[int, ...],
    track: JointTrack,
    lent: NDArray[np.intp],
    lenders: NDArray[np.intp],
) -> JointTrack:
    """Some frames with their bones turned as between others."""
    every = np.concatenate((track.places[:, 0], track.turns), axis=1)
    mixed = np.stack([np.interp(lent, lenders, column[lenders]) for column in every.T], axis=1)
    return turn_joints(motor.rest, parents, mixed[:, :2], mixed[:, 2:])
