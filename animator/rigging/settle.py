"""Whole clips settled: no triangle folded, and hardly one squeezed or blown up.

The nearest mesh whose triangles are all within their bounds is looked for by alternating
directions (Boyd, Parikh, Chu, Peleato, Eckstein, "Distributed Optimization and Statistical Learning
via the Alternating Direction Method of Multipliers", Foundations and Trends in Machine Learning
3(1), 2011) with the factors that are there already: what triangles are asked for, then the mesh
that fits it. Every fourth frame is looked for by itself, and the others begin between two of those:
that is quicker, and paint does not tremble.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from animator.rigging.arap import Arap, Complex, fit, solve
from animator.rigging.bounds import is_sound, nearest_within, size, turn_frames

__all__ = ("settle",)

STEP = 4
"""Frames from one that is looked for by itself to the next."""

ROTATIONS = 2
"""Rounds of turning triangles and solving before their bounds are looked at."""

ROTATIONS_AGAIN = 4
"""The same for frames that could not be settled from there."""

ROUNDS = 80
"""Rounds at most, of the frames that are looked for by themselves."""

ROUNDS_BETWEEN = 40
"""Rounds at most, of the frames between them."""

EAGERNESS = np.float32(1.6)
"""How far the mesh is thought to have gone beyond what was wanted, 1 to 2; fewer rounds do then."""


@dataclass(slots=True, eq=False)
class _Search:
    """Frames that are not sound yet; arrays of one column a frame.

    Attributes:
        live: (F,) their numbers.
        pull: (V, F) complex64, of the handles.
        frame: (T, F) complex64, of length 1, how far each triangle is turned.
        wishes: (4, T, F) complex64: the turns and the shears that are asked for, and how far the
            mesh has been from each of them in all rounds together.
    """

    live: NDArray[np.intp]
    pull: Complex
    frame: Complex
    wishes: Complex

    def keep(self, chosen: NDArray[np.bool_]) -> None:
        self.live, self.wishes = self.live[chosen], self.wishes[..., chosen]
        self.pull, self.frame = self.pull[:, chosen], self.frame[:, chosen]


def settle(arap: Arap, pull: Complex, turns: Complex) -> tuple[Complex, NDArray[np.bool_]]:
    """Places (V, F) complex64 of the vertices in frames that follow one another.

    With them comes (F,) bool, whether each is sound; the others have something folded or squeezed.

    pull: (V, F) complex64, of the handles.
    turns: (T, F) complex64, of length 1, how far the bones turn each triangle.
    """
    count = pull.shape[1]
    keys = np.unique(np.append(np.arange(0, count, STEP), count - 1))
    others = np.setdiff1d(np.arange(count), keys)
    places, sound = np.empty(pull.shape, np.complex64), np.zeros(count, np.bool_)

    def look(frames: NDArray[np.intp], wishes: Complex, rounds: int) -> None:
        places[:, frames], sound[frames] = _look(
            arap, pull[:, frames], turns[:, frames], wishes, rounds
        )

    wishes = _begin(arap, pull[:, keys], turns[:, keys], ROTATIONS)
    look(keys, wishes, ROUNDS)
    if len(others):
        between = _between(wishes * turns[:, keys].conj(), keys, others)
        look(others, between * turns[:, others], ROUNDS_BETWEEN)
    again = np.flatnonzero(~sound)
    if len(again):
        look(again, _begin(arap, pull[:, again], turns[:, again], ROTATIONS_AGAIN), ROUNDS)
    return places, sound


def _begin(arap: Arap, pull: Complex, turns: Complex, rounds: int) -> Complex:
    """Wishes (4, T, F): the rotations of the mesh that is as rigid as possible."""
    wishes = np.zeros((4, *turns.shape), np.complex64)
    turn = arap.turn @ solve(arap, pull, turns, rounds)
    wishes[0] = turn / np.maximum(size(turn), np.float32(1e-12))
    return wishes


def _between(wishes: Complex, keys: NDArray[np.intp], others: NDArray[np.intp]) -> Complex:
    """Wishes of the frames between keys, each a mix of those of its two neighbours."""
    after = np.searchsorted(keys, others)
    share = ((others - keys[after - 1]) / (keys[after] - keys[after - 1])).astype(np.float32)
    return np.asarray(wishes[..., after - 1] * (1 - share) + wishes[..., after] * share)


def _look(
    arap: Arap, pull: Complex, turns: Complex, wishes: Complex, rounds: int
) -> tuple[Complex, NDArray[np.bool_]]:
    """Places (V, F), and whether they are sound (F,); `wishes` become those that led there."""
    places, sound = np.empty(pull.shape, np.complex64), np.zeros(pull.shape[1], np.bool_)
    search = _Search(np.arange(pull.shape[1]), pull, turns, wishes)
    for _ in range(rounds):
        asked = search.wishes[:2] - search.wishes[2:]
        now = fit(arap, asked[0], asked[1], search.pull)
        turn, shear = arap.turn @ now, arap.shear @ now
        places[:, search.live] = now
        done = is_sound(turn, shear)
        if done.any():
            sound[search.live[done]] = True
            wishes[..., search.live[done]] = search.wishes[..., done]
            search.keep(~done)
            turn, shear = turn[:, ~done], shear[:, ~done]
        if len(search.live) == 0:
            break
        _ask_again(search, turn, shear)
    wishes[..., search.live] = search.wishes
    return places, sound


def _ask_again(search: _Search, turn: Complex, shear: Complex) -> None:
    """New wishes for the frames whose triangles are mapped so."""
    search.frame = turn_frames(turn, shear, search.frame)
    turn = EAGERNESS * turn + (1 - EAGERNESS) * search.wishes[0] + search.wishes[2]
    shear = EAGERNESS * shear + (1 - EAGERNESS) * search.wishes[1] + search.wishes[3]
    within = nearest_within(turn, shear, search.frame)
    search.wishes = np.stack((*within, turn - within[0], shear - within[1]))
