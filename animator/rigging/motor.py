"""What a rig needs to be moved, made once: grip, factors and weights."""

from dataclasses import dataclass
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import NDArray

from animator.core.rig import Rig
from animator.rigging.arap import Arap, precompute
from animator.rigging.handles import Grip, grip_rig
from animator.rigging.kinematics import rest_joints

__all__ = ("Motor", "motor_of")


@dataclass(frozen=True, slots=True, eq=False)
class Motor:
    """A rig made ready for any number of clips.

    Attributes:
        rest: (J, 2) float64, world space, the joints at rest.
        grip: how the bones hold the mesh.
        arap: the factorised system.
        weights: (T, J) float64, of the bones in the turns of the triangles.
    """

    rest: NDArray[np.float64]
    grip: Grip
    arap: Arap
    weights: NDArray[np.float64]


_MOTORS: WeakKeyDictionary[Rig, Motor] = WeakKeyDictionary()
"""Those of the rigs that are still in use: the second clip of a figure costs no factorising."""


def motor_of(rig: Rig) -> Motor:
    """The rig's motor, made on first use and kept as long as the rig is."""
    found = _MOTORS.get(rig)
    if found is None:
        found = _MOTORS[rig] = _make(rig)
    return found


def _make(rig: Rig) -> Motor:
    count = len(rig.mesh.triangles)
    rest = rest_joints(rig)
    weights = rig.weights
    if weights is None:
        weights = np.zeros((count, len(rest)), np.float32)
        weights[np.arange(count), rig.bone_of] = 1
    stiffness = np.ones(count) if rig.stiffness is None else rig.stiffness
    grip = grip_rig(rig, rest, weights)
    arap = precompute(rig.mesh, grip.handles, stiffness)
    return Motor(rest, grip, arap, weights.astype(np.float64))
