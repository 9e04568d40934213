"""Folded triangles turned right side up again.

A triangle's map z -> turn * z + shear * conj(z) keeps its side up where
Re(turn / frame) > |shear| for some frame of length 1, and for a fixed frame that is a convex set:
Lipman, "Bounded Distortion Mapping Spaces for Triangular Meshes", ACM Transactions on Graphics
31(4), 2012. So frames are held, the nearest mesh inside all the sets is looked for by alternating
directions (Boyd et al. 2011) with the factors that are there already, and the frames are turned
after the mesh now and then. Frames of a clip without a fold are not touched.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from animator.rigging.arap import Arap, Complex, Targets, fit

__all__ = ("is_folded", "unfold")

LEAST = 0.12
"""How far inside its set a triangle is asked to be: about its least width against rest."""

MOST = 3.0
"""|turn| and |shear| together that a triangle is asked to keep below: its most length against
rest."""

ENOUGH = 0.02
"""|turn| less |shear| from which a triangle counts as right side up."""

RIGIDITY = 0.05
"""Pull of the wanted maps towards rotations, against 1 for the way from the mesh to them."""

LESS, LATE = 0.05, 80
"""What it is asked instead after so many rounds: some bends leave no more room."""

EAGERNESS = 1.6
"""How far the mesh is thought to have gone beyond what was wanted, 1 to 2; fewer rounds do then."""

ROUNDS = 160
"""Rounds, at most."""

TURN_EVERY = 5
"""Rounds from one turning of the frames to the next."""


@dataclass(slots=True, eq=False)
class _Search:
    """The frames of a clip that are still folded; arrays of one column a frame."""

    live: NDArray[np.intp]
    pull: Complex
    frame: Complex
    turn: Complex
    shear: Complex
    turn_owed: Complex
    shear_owed: Complex
    turn_wanted: Complex
    shear_wanted: Complex

    def keep(self, chosen: NDArray[np.bool_]) -> None:
        self.live = self.live[chosen]
        for name in self.__slots__[1:]:
            setattr(self, name, getattr(self, name)[:, chosen])


def is_folded(arap: Arap, moved: Complex) -> NDArray[np.bool_]:
    """Whether each frame of places (V, F) has a triangle that is folded over or squeezed flat."""
    return _folded(arap.turn @ moved, arap.shear @ moved)


def unfold(arap: Arap, moved: Complex, pull: Complex, frame: Complex) -> Complex:
    """Places (V, F) without folded triangles, or with as few as could be had.

    moved: (V, F) complex, where the vertices are.
    pull: (V, F) complex, of the handles.
    frame: (T, F) complex, of length 1, about how far each triangle should be turned.
    """
    turn, shear = arap.turn @ moved, arap.shear @ moved
    folded = _folded(turn, shear)
    if not folded.any():
        return moved
    nothing = np.zeros_like(turn)
    search = _Search(
        *(np.arange(len(folded)), pull, frame, turn, shear),
        *(nothing, nothing, turn, shear),
    )
    search.keep(folded)
    found = moved.copy()
    for round_ in range(ROUNDS):
        if round_ % TURN_EVERY == 0 and round_ > 0:
            search.frame = _turned(search)
        places = _step(arap, search, LEAST if round_ < LATE else LESS)
        found[:, search.live] = places
        search.keep(_folded(search.turn, search.shear))
        if len(search.live) == 0:
            break
    return found


def _step(arap: Arap, search: _Search, least: float) -> Complex:
    """One round: the wanted maps nearest to the mesh, then the mesh nearest to them."""
    turn = search.turn_owed + _beyond(search.turn, search.turn_wanted)
    shear = search.shear_owed + _beyond(search.shear, search.shear_wanted)
    search.turn_wanted, search.shear_wanted = _nearest_upright(turn, shear, search.frame, least)
    search.turn_owed = turn - search.turn_wanted
    search.shear_owed = shear - search.shear_wanted
    wanted = Targets(
        search.turn_wanted - search.turn_owed, search.shear_wanted - search.shear_owed, search.pull
    )
    places = fit(arap, wanted)
    search.turn, search.shear = arap.turn @ places, arap.shear @ places
    return places


def _beyond(now: Complex, wanted: Complex) -> Complex:
    return EAGERNESS * now + (1 - EAGERNESS) * wanted


def _nearest_upright(
    turn: Complex, shear: Complex, frame: Complex, least: float
) -> tuple[Complex, Complex]:
    """The maps in the convex sets that are nearest to these, drawn a little towards rotations."""
    share = 1 / (1 + RIGIDITY)
    turn, shear = (turn + RIGIDITY * frame) * share, shear * share
    along = turn.real * frame.real + turn.imag * frame.imag
    skew = _size(shear)
    low = np.nonzero(along - skew < least)
    was, bent = along[low], skew[low]
    step = (least - was + bent) / 2
    turn[low] += (np.where(step > bent, np.maximum(was, least), was + step) - was) * frame[low]
    shear[low] *= np.maximum(bent - step, 0) / np.maximum(bent, 1e-12)
    longest = _size(turn) + _size(shear)
    far = np.nonzero(longest > MOST)
    turn[far] *= MOST / longest[far]
    shear[far] *= MOST / longest[far]
    return turn, shear


def _turned(search: _Search) -> Complex:
    """Frames turned after the triangles that are well right side up; the others keep theirs."""
    size = _size(search.turn)
    upright = size - _size(search.shear) > LEAST
    return np.where(upright, search.turn / np.where(upright, size, 1.0), search.frame)


def _folded(turn: Complex, shear: Complex) -> NDArray[np.bool_]:
    return np.asarray((_size(turn) - _size(shear) <= ENOUGH).any(axis=0))


def _size(numbers: Complex) -> NDArray[np.float64]:
    """Absolute values; NumPy's own guard against overflow and take four times as long."""
    return np.asarray(np.sqrt(numbers.real * numbers.real + numbers.imag * numbers.imag))
