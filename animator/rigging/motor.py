"""What a rig needs to be moved, made once: grip, factors and weights."""

from dataclasses import dataclass, replace
from functools import cached_property
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import NDArray

from animator.core.rig import Mesh, Rig
from animator.rigging.arap import Arap, precompute
from animator.rigging.handles import Grip, grip_rig
from animator.rigging.kinematics import rest_joints

__all__ = ("Motor", "motor_of")

LOOSE_WEIGHT = 1.5
"""Pull of a joint that gives way, where a skeleton does not fit its figure."""


@dataclass(frozen=True, eq=False)
class Motor:
    """A rig made ready for any number of clips.

    Attributes:
        rest: (J, 2) float64, world space, the joints at rest.
        grip: how the bones hold the mesh.
        arap: the factorised system.
        weights: (T, J) float64, of the bones in the turns of the triangles.
        mesh: of the rig.
        stiffness: (T,) float64, of its triangles.
    """

    rest: NDArray[np.float64]
    grip: Grip
    arap: Arap
    weights: NDArray[np.float64]
    mesh: Mesh
    stiffness: NDArray[np.float64]

    @cached_property
    def loose(self) -> Arap:
        """The same system with joints that give way; few figures ever need it."""
        weights = self.grip.handles.weights.copy()
        weights[: len(self.rest)] = np.minimum(weights[: len(self.rest)], LOOSE_WEIGHT)
        handles = replace(self.grip.handles, weights=weights)
        return precompute(self.mesh, handles, self.stiffness)


_MOTORS: WeakKeyDictionary[Rig, Motor] = WeakKeyDictionary()
"""Those of the rigs that are still in use: the second clip of a figure costs no factorising."""


def motor_of(rig: Rig) -> Motor:
    """The rig's motor, made on first use and kept as long as the rig is."""
    found = _MOTORS.get(rig)
    if found is None:
        found = _MOTORS[rig] = _make(rig)
    return found


def _make(rig: Rig) -> Motor:
    rest = rest_joints(rig)
    stiffness = np.ones(len(rig.mesh.triangles)) if rig.stiffness is None else rig.stiffness
    grip = grip_rig(rig, rest, rig.weights)
    arap = precompute(rig.mesh, grip.handles, stiffness)
    return Motor(rest, grip, arap, rig.weights.astype(np.float64), rig.mesh, stiffness)
