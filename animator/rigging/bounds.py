"""What may become of a triangle: right side up, about as large as it was, not drawn out.

A triangle's map z -> turn * z + shear * conj(z) has the singular values |turn| + |shear| and
|turn| - |shear|; their product is the area against rest. It keeps its side up where
Re(turn / frame) > |shear| for some frame of length 1, and for a fixed frame that is a convex set:
Lipman, "Bounded Distortion Mapping Spaces for Triangular Meshes", ACM Transactions on Graphics
31(4), 2012.
"""

import numpy as np
from numpy.typing import NDArray

from animator.rigging.arap import Complex

__all__ = ("is_sound", "nearest_within", "size", "turn_frames")

Floats = NDArray[np.float32]

SOUND_AREA = (0.5, 2.0)
"""Areas of triangles against rest between which a frame's triangles lie, but for a few."""

FEW = 0.01
"""Share of a frame's triangles that may be smaller, and that may be larger."""

FLAT = np.float32(0.02)
"""Least width against rest of a triangle that counts as right side up."""

ASKED_AREA = (np.float32(0.62), np.float32(1.75))
"""Areas that triangles are asked to keep between: well inside what is sound."""

ASKED_WIDTH = np.float32(0.12)
"""Least width against rest that a triangle is asked for."""

RIGIDITY = np.float32(0.02)
"""Pull of the asked maps towards rotations, against 1 for the way from the mesh to them."""

TINY = np.float32(1e-12)


def is_sound(turn: Complex, shear: Complex) -> NDArray[np.bool_]:
    """Whether in each frame (F,) no triangle (T, F) is folded, and but few are of another size."""
    along, across = size(turn), size(shear)
    width = along - across
    area = width * (along + across)
    few = int(FEW * len(turn))
    squeezed, blown = ((area < SOUND_AREA[0]).sum(axis=0), (area > SOUND_AREA[1]).sum(axis=0))
    return np.asarray((width.min(axis=0) > FLAT) & (squeezed <= few) & (blown <= few))


def turn_frames(turn: Complex, shear: Complex, frame: Complex) -> Complex:
    """Frames (T, F) turned after the triangles that are well right side up; others keep theirs."""
    along = size(turn)
    upright = along - size(shear) > ASKED_WIDTH
    return np.where(upright, turn / np.where(upright, along, np.float32(1)), frame)


def nearest_within(turn: Complex, shear: Complex, frame: Complex) -> tuple[Complex, Complex]:
    """The maps (T, F) within the bounds that are nearest to these, drawn a little to rotations.

    The frame's set comes first, then the areas, each by a step that ends on the bound.
    """
    share = 1 / (1 + RIGIDITY)
    turn, shear = np.asarray((turn + RIGIDITY * frame) * share), np.asarray(shear * share)
    across = size(shear)
    _set_upright(turn, shear, frame, across)
    along_2, across_2 = turn.real * turn.real + turn.imag * turn.imag, across * across
    area = along_2 - across_2
    low = np.nonzero(area < ASKED_AREA[0])
    # one step of Newton's way to the hyperbola along_2 - across_2 = area, and then onto it
    less = 1 / (1 + (ASKED_AREA[0] - area[low]) / (2 * (along_2[low] + across_2[low])))
    shear[low] *= less
    turn[low] *= np.sqrt((ASKED_AREA[0] + across_2[low] * less * less) / along_2[low])
    high = np.nonzero(area > ASKED_AREA[1])
    less = np.sqrt(ASKED_AREA[1] / area[high])
    turn[high] *= less
    shear[high] *= less
    return turn, shear


def _set_upright(turn: Complex, shear: Complex, frame: Complex, across: Floats) -> None:
    """Turn triangles right side up, in place; `across` is |shear|, and stays so."""
    along = turn.real * frame.real + turn.imag * frame.imag
    low = np.nonzero(along - across < ASKED_WIDTH)
    was, bent = along[low], across[low]
    step = (ASKED_WIDTH - was + bent) / 2
    now = np.where(step > bent, np.maximum(was, ASKED_WIDTH), was + step)
    turn[low] += (now - was) * frame[low]
    across[low] = np.maximum(bent - step, 0)
    shear[low] *= across[low] / np.maximum(bent, TINY)


def size(numbers: Complex) -> Floats:
    """Absolute values; NumPy's own guard against overflow and take four times as long."""
    return np.asarray(np.sqrt(numbers.real * numbers.real + numbers.imag * numbers.imag))
