"""Keyframes: the small readable source of a motion, and its values at every frame.

A file holds tracks, each a number or a list of `[time, value]` pairs. Between two keys the value
eases: it never overshoots, and rests for an instant where it turns (monotone cubic interpolation,
Fritsch and Butland 1984). In a loop the last key leads into the first.

    hips_x, hips_y    metres from where the hips are when standing: to the figure's left, up
    lean, head        degrees of the trunk, and of the head against it, to the figure's left
    arm, forearm      degrees from hanging down, outwards; 90 is sideways, 180 is up
    foot_x, foot_y    metres of the foot from its place when standing: outwards, up
    body_x, body_y    metres by which the whole figure moves, feet and all: to its left, up
    roll              degrees of the whole figure about its hips, to its left: 90 is lying
    turn              degrees of the whole figure about the vertical, to its left
    hops              `[start, end, height]`: a leap of the whole figure, metres

`arm`, `forearm`, `foot_x` and `foot_y` move both sides alike; with `left_` or `right_` before the
name one side moves on its own, and both add up. In an `alternate` motion the right side does what
the left side does, half the duration later.

A motion with `view = "side"` is seen from the side, as a walk is: what goes to the left or outwards
goes forwards then, and knees bend forwards.

In a `resting` motion whatever is lowest, be it a foot, a hand or a shoulder, lies on the ground:
`body_y` and `hops` lift it from there. So a figure can roll, tumble and lie.

A loop may close with a key at the very end, equal to the first or whole turns away from it: an arm
or a figure goes round and round by that.
"""

from typing import Annotated, Literal

import msgspec
import numpy as np
from numpy.typing import NDArray

from animator.core.errors import InvalidMotion

__all__ = ("Keyframes", "sample_hops", "sample_track")

Track = float | Annotated[tuple[tuple[float, float], ...], msgspec.Meta(min_length=1)]

_MOST_FRAMES = 3600
_LARGEST = 1e5  # degrees, metres or time units


class Keyframes(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A motion as it is written by hand.

    Attributes:
        duration: in time units, > 0.
        unit: seconds a time unit, > 0: a beat of music, say.
        fps: frames a second, > 0.
        loop: whether the last frame leads into the first.
        alternate: whether the right side follows the left half the duration later.
        resting: whether whatever is lowest, be it a hand, lies on the ground in every frame.
        view: where most of the movement is seen from.
        tracks: name -> value, or keys in ascending order of time.
        hops: (start, end, height): time units and metres.

    Raises:
        ValueError: when a number is out of its bounds, or the motion has too many frames.
    """

    duration: float
    unit: float = 1.0
    fps: float = 30.0
    loop: bool = True
    alternate: bool = False
    resting: bool = False
    view: Literal["front", "side"] = "front"
    tracks: dict[str, Track]
    hops: tuple[tuple[float, float, float], ...] = ()

    def __post_init__(self) -> None:
        frames = self.duration * self.unit * self.fps
        if not (self.unit > 0 and 1 <= self.fps <= 120 and 0.5 <= frames <= _MOST_FRAMES):
            msg = (
                f"fps must be 1 to 120, unit more than 0, and the motion 1 to {_MOST_FRAMES} "
                f"frames long; it has {frames:g} at {self.fps:g} a second"
            )
            raise ValueError(msg)
        numbers = [*self.hops, *(key for keys in self.tracks.values() for key in _keys(keys))]
        if not all(abs(number) <= _LARGEST for row in numbers for number in row):
            msg = f"the numbers of tracks and hops must be {_LARGEST:g} at most"
            raise ValueError(msg)
        if not all(start < end for start, end, _ in self.hops):
            msg = "a hop must end after it starts"
            raise ValueError(msg)

    @property
    def times(self) -> NDArray[np.float64]:
        """Time of each frame, in time units."""
        count = round(self.duration * self.unit * self.fps)
        return np.arange(count) / (self.fps * self.unit)


def _keys(track: Track) -> tuple[tuple[float, float], ...]:
    return ((0.0, track),) if isinstance(track, float) else track


def sample_track(keyframes: Keyframes, name: str) -> NDArray[np.float64]:
    """Values of a track at every frame; zeros where the file has no such track.

    Raises:
        InvalidMotion: when the keys are not in ascending order of time.
    """
    track = keyframes.tracks.get(name, 0.0)
    if isinstance(track, float):
        return np.full(len(keyframes.times), track)
    keys = np.array(track)
    if keyframes.loop:
        keys, turned = _open(keys, keyframes.duration)
        round_trip = np.array([keyframes.duration, turned])
        keys = np.vstack((keys - round_trip, keys, keys + round_trip))
    if not (np.diff(keys[:, 0]) > 0).all():
        msg = f"the keys of {name[:100]!r} are not in ascending order of time"
        raise InvalidMotion(msg)
    held = np.clip(keyframes.times, keys[0, 0], keys[-1, 0])
    # A fifth of a second to load, and only those who make motions need it.
    from scipy.interpolate import PchipInterpolator

    return np.asarray(PchipInterpolator(keys[:, 0], keys[:, 1])(held))


def _open(keys: NDArray[np.float64], duration: float) -> tuple[NDArray[np.float64], float]:
    """Keys of a loop without the one that closes it, and the whole turns that it goes on by."""
    taken, turned = keys[-1] - keys[0]
    if taken == duration and turned % 360.0 == 0.0:
        return keys[:-1], float(turned)
    return keys, 0.0


def sample_hops(keyframes: Keyframes) -> NDArray[np.float64]:
    """Height of the leaps at every frame, metres: parabolas, as bodies fly."""
    height = np.zeros(len(keyframes.times))
    for start, end, top in keyframes.hops:
        part = np.clip((keyframes.times - start) / (end - start), 0.0, 1.0)
        height += 4 * top * part * (1 - part)
    return height
