"""Rotations as unit quaternions wxyz, vectorised over any leading axes; radians."""

from typing import Literal

import numpy as np
from numpy.typing import NDArray

__all__ = (
    "Axis",
    "compose_turns",
    "conjugate",
    "multiply",
    "normalise",
    "rotate",
    "to_zxy",
    "turn_about",
)

Floats = NDArray[np.float64]
Axis = Literal["X", "Y", "Z"]

_GIMBAL = 1.0 - 1e-12  # sine of the middle angle beyond which the outer axes coincide


def turn_about(axis: Axis, angles: Floats) -> Floats:
    """Rotations about one axis of the frame.

    angles: (...) float64, radians, counter-clockwise when looking against the axis.
    Returns (..., 4) float64.
    """
    turns = np.zeros((*np.shape(angles), 4))
    turns[..., 0] = np.cos(np.asarray(angles) / 2)
    turns[..., 1 + "XYZ".index(axis)] = np.sin(np.asarray(angles) / 2)
    return turns


def multiply(a: Floats, b: Floats) -> Floats:
    """Hamilton product: the rotation b followed by a; (..., 4) each, broadcast."""
    aw, ax, ay, az = _columns(a)
    bw, bx, by, bz = _columns(b)
    return np.stack(
        (
            aw * bw - ax * bx - ay * by - az * bz,
            aw * bx + ax * bw + ay * bz - az * by,
            aw * by - ax * bz + ay * bw + az * bx,
            aw * bz + ax * by - ay * bx + az * bw,
        ),
        axis=-1,
    )


def conjugate(quaternions: Floats) -> Floats:
    """Inverse of unit quaternions (..., 4)."""
    return np.asarray(quaternions * np.array([1.0, -1.0, -1.0, -1.0]))


def normalise(quaternions: Floats) -> Floats:
    """Scale quaternions (..., 4), none of them zero, to length one."""
    lengths = np.linalg.norm(quaternions, axis=-1, keepdims=True)
    return np.asarray(quaternions / lengths)


def rotate(quaternions: Floats, vectors: Floats) -> Floats:
    """Turn vectors (..., 3) by unit quaternions (..., 4), broadcast."""
    q = np.asarray(quaternions, dtype=np.float64)
    v = np.asarray(vectors, dtype=np.float64)
    twice = 2 * _cross(q[..., 1:], v)
    return np.asarray(v + q[..., :1] * twice + _cross(q[..., 1:], twice))


def compose_turns(axes: tuple[Axis, ...], angles: Floats) -> Floats:
    """Product of turns in the order given: the first axis is the outermost, as in BVH.

    angles: (..., n) float64, radians, one column an axis.
    Returns (..., 4) float64; no turn at all when there are no axes.
    """
    result = turn_about("X", np.zeros(angles.shape[:-1]))
    for i, axis in enumerate(axes):
        result = multiply(result, turn_about(axis, angles[..., i]))
    return result


def to_zxy(quaternions: Floats) -> Floats:
    """Angles (..., 3), radians, about Z, then X, then Y, with which `compose_turns` gives back.

    The middle angle lies in [-pi/2, pi/2]; where it is a right angle the last one is zero.
    """
    w, x, y, z = np.moveaxis(np.asarray(quaternions, dtype=np.float64), -1, 0)
    sine = np.clip(2 * (y * z + w * x), -1.0, 1.0)
    locked = np.abs(sine) > _GIMBAL
    outer = np.arctan2(2 * (w * z - x * y), 1 - 2 * (x * x + z * z))
    inner = np.arctan2(2 * (w * y - x * z), 1 - 2 * (x * x + y * y))
    alone = np.arctan2(2 * (x * y + w * z), 1 - 2 * (y * y + z * z))
    return np.stack(
        (np.where(locked, alone, outer), np.arcsin(sine), np.where(locked, 0.0, inner)), axis=-1
    )


def _cross(a: Floats, b: Floats) -> Floats:
    """Cross product of vectors (..., 3); numpy's own spends more on axes than on numbers."""
    ax, ay, az = _columns(a)
    bx, by, bz = _columns(b)
    return np.stack((ay * bz - az * by, az * bx - ax * bz, ax * by - ay * bx), axis=-1)


def _columns(values: Floats) -> tuple[Floats, ...]:
    """The numbers along the last axis, one array each."""
    array = np.asarray(values, dtype=np.float64)
    return tuple(array[..., i] for i in range(array.shape[-1]))
