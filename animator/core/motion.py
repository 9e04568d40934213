"""Motion: a recorded clip of a 3-D skeleton; RetargetMap: how a drawn one follows it."""

from dataclasses import dataclass
from typing import Annotated, Literal

import msgspec
import numpy as np
from numpy.typing import NDArray

__all__ = (
    "Blend",
    "BoneSource",
    "LimbGroup",
    "Motion",
    "MotionInfo",
    "Plane",
    "Playback",
    "RetargetMap",
)

Plane = Literal["frontal", "sagittal", "principal"]


@dataclass(frozen=True, slots=True, eq=False)
class Motion:
    """A clip, independent of any drawing; y up, metres, seconds.

    Attributes:
        name: as shown to people.
        fps: frames a second, > 0.
        joints: J names, parents before children; the first is the root.
        parents: (J,) int16, index of each joint's parent, -1 for the root.
        offsets: (J, 3) float32, metres, from the parent in the rest pose.
        root: (F, 3) float32, metres, the root's path.
        rotations: (F, J, 4) float32, unit quaternions wxyz, local to the parent.

    Raises:
        ValueError: when an array has another shape.
    """

    name: str
    fps: float
    joints: tuple[str, ...]
    parents: NDArray[np.int16]
    offsets: NDArray[np.float32]
    root: NDArray[np.float32]
    rotations: NDArray[np.float32]

    def __post_init__(self) -> None:
        joints, frames = len(self.joints), len(self.root)
        shapes = (self.parents.shape, self.offsets.shape, self.root.shape, self.rotations.shape)
        expected = ((joints,), (joints, 3), (frames, 3), (frames, joints, 4))
        if shapes != expected or self.fps <= 0:
            msg = f"expected arrays {expected} at fps > 0, got {shapes} at {self.fps}"
            raise ValueError(msg)


class BoneSource(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Which stretch of the motion's skeleton drives a bone of the drawn one.

    Attributes:
        near: joint of the motion at the bone's near end.
        far: joint of the motion at the bone's far end.
        lag: seconds by which the bone comes after, 0..2.
        relative: whether the bone only turns as the stretch turns away from upright, from the
            direction in which it is drawn, instead of taking the stretch's own direction.
    """

    near: str
    far: str
    lag: Annotated[float, msgspec.Meta(ge=0.0, le=2.0)] = 0.0
    relative: bool = False


class LimbGroup(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Bones that move in one plane and are drawn at one depth (Smith et al. 2023).

    Attributes:
        name: such as "left_arm".
        bones: far joints, in the drawn skeleton, of the bones in this group.
        plane: the plane their movement is projected on.
        depth_driver: joint of the motion whose depth decides what is drawn in front.
        more_drivers: further ones; the mean of all depths counts.
        plane_joints: joints of the motion whose movement finds the principal plane; when empty,
            those that drive the group's bones. Both legs name the joints of both, to agree.
    """

    name: str
    bones: tuple[str, ...]
    plane: Plane
    depth_driver: str
    more_drivers: tuple[str, ...] = ()
    plane_joints: tuple[str, ...] = ()


class RetargetMap(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """How the joints of a drawn skeleton follow the joints of a motion.

    Attributes:
        bones: far joint in the drawn skeleton -> what drives it.
        groups: limb groups, which together name every joint of the drawn skeleton but the root.
        root: joint of the motion that carries the figure's path.
        legs: chains of joints of the motion, each from hip to foot; the length of the drawn bones
            that they drive, against their own, scales the path.
        forward: pairs (right, left) of joints whose line is perpendicular to where it faces.
        path_group: name of the limb group on whose plane the path is seen; None: that of the legs.
        faces_left: whether the figure faces to the left where it is seen from the side.
    """

    bones: dict[str, BoneSource]
    groups: tuple[LimbGroup, ...]
    root: str
    legs: tuple[tuple[str, ...], ...]
    forward: tuple[tuple[str, str], ...]
    path_group: str | None = None
    faces_left: bool = False


class MotionInfo(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What the gallery shows of a motion.

    Attributes:
        name: stable, used in URLs and on the command line.
        title: for people.
        tags: words to search by.
        duration: seconds, > 0.
        fps: frames a second, > 0.
        loop: whether the last frame leads into the first.
    """

    name: str
    title: str
    tags: tuple[str, ...]
    duration: float
    fps: float
    loop: bool


class Blend(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Another motion that is mixed into one.

    Attributes:
        motion: its name in the library.
        share: of it in the mix, 0..1.

    Raises:
        ValueError: when the share is out of its bounds.
    """

    motion: str
    share: float = 0.5

    def __post_init__(self) -> None:
        if not 0.0 <= self.share <= 1.0:
            msg = f"the share of a blend must be from 0 to 1, got {self.share}"
            raise ValueError(msg)


class Playback(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """How a motion is played.

    Attributes:
        speed: how many times as fast as it was made, 0.25..4.
        mirror: whether left and right change places.
        trim: from when to when it is played, seconds of the motion as it was made; None is all.
        stay: whether figures stay on the spot, instead of going where the motion goes.
        loop: whether its end leads into its beginning, on the spot.
        then: names of motions in the library that follow on, at most 8; `trim` is not theirs.
        blend: a motion of the library that is mixed into the first, pose by pose; the mix lasts
            between as long as either. `trim` is not its own.
        fps: frames a second at most, 1..60; every second, third ... frame is left out until there
            are no more. None: as many as the motion has.

    Raises:
        ValueError: when a number is out of its bounds.
    """

    speed: float = 1.0
    mirror: bool = False
    trim: tuple[float, float] | None = None
    stay: bool = False
    loop: bool = False
    then: tuple[str, ...] = ()
    blend: Blend | None = None
    fps: float | None = None

    @property
    def library(self) -> tuple[str, ...]:
        """The motions of the library that it names."""
        return self.then if self.blend is None else (self.blend.motion, *self.then)

    def __post_init__(self) -> None:
        if not 0.25 <= self.speed <= 4.0:
            msg = f"speed must be from 0.25 to 4, got {self.speed}"
            raise ValueError(msg)
        if self.trim is not None and not 0 <= self.trim[0] < self.trim[1] <= 86_400:
            msg = f"trim must be two times of a day at most, in order, got {self.trim}"
            raise ValueError(msg)
        if self.fps is not None and not 1.0 <= self.fps <= 60.0:
            msg = f"fps must be from 1 to 60 frames a second, got {self.fps}"
            raise ValueError(msg)
        if len(self.then) > 8:
            msg = f"at most 8 motions can follow, got {len(self.then)}"
            raise ValueError(msg)
