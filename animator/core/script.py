"""Script: what a scene file asks for, before any picture or motion of it is read."""

from pathlib import Path
from typing import Literal

import msgspec

from animator.core.animation import FrameSize
from animator.core.motion import Plane, Playback
from animator.core.rigging import USUAL, RigOptions
from animator.core.scene import Background, Overlay

__all__ = (
    "AboveCheck",
    "BvhClip",
    "DrawnPart",
    "FilmedPlace",
    "FrameShare",
    "LibraryClip",
    "PlaneGroup",
    "RetargetRules",
    "Role",
    "SceneCamera",
    "Script",
)


class LibraryClip(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A motion of our own library.

    Attributes:
        name: as `animator motions` lists it.
    """

    name: str


class BvhClip(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Frames of a BVH file.

    Attributes:
        file: the BVH file.
        where: the file that asks for it, for messages.
        up: the axis of the file that points upwards; None finds out.
        start: first frame, >= 0.
        end: the frame after the last; None is the file's end.
        frame_time: seconds a frame, > 0, instead of what the BVH file says.
        forward: pairs (left, right) of joints whose line the figure faces square to.
        ground: joint that stands on the ground; only checked to be there.
    """

    file: Path
    where: str
    up: Literal["+y", "+z"] | None = None
    start: int = 0
    end: int | None = None
    frame_time: float | None = None
    forward: tuple[tuple[str, str], ...] = ()
    ground: str | None = None


class PlaneGroup(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Joints of the motion that are seen on one plane.

    Attributes:
        name: unique.
        joints: of the motion.
        plane: they are projected on.
    """

    name: str
    joints: tuple[str, ...]
    plane: Plane


class DrawnPart(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Joints of the drawn figure that are drawn at one depth.

    Attributes:
        joints: of the drawn figure.
        drivers: joints of the motion whose mean depth is theirs.
    """

    joints: tuple[str, ...]
    drivers: tuple[str, ...]


class AboveCheck(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A joint that is not driven where it is drawn below a line, as a tadpole's neck.

    Attributes:
        joint: of the drawn figure.
        start: of the drawn figure, at one end of the line.
        end: of the drawn figure, at its other end.
    """

    joint: str
    start: str
    end: str


class RetargetRules(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """How a drawn figure follows a motion, as AnimatedDrawings' retarget files say it.

    Attributes:
        where: the file that says so, for messages.
        planes: of the joints of the motion.
        parts: of the drawn figure.
        path_plane: name of the group of planes on which the root's path is seen.
        legs: chains of joints of the motion, each from foot to hip.
        drawn_legs: chains of joints of the drawn figure; their length scales the path.
        bones: joint of the drawn figure -> joints of the motion, near and far.
        checks: which bones are not driven in some drawings.
    """

    where: str
    planes: tuple[PlaneGroup, ...]
    parts: tuple[DrawnPart, ...]
    path_plane: str
    legs: tuple[tuple[str, ...], ...]
    drawn_legs: tuple[tuple[str, ...], ...]
    bones: dict[str, tuple[str, str]]
    checks: tuple[AboveCheck, ...] = ()


class FilmedPlace(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Where a figure's root begins in AnimatedDrawings' space.

    Its unit is the longer side of the figure's texture; y is up, and z towards the viewer.
    """

    x: float
    y: float
    z: float


class FrameShare(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Where a figure stands in the frame.

    Attributes:
        x: middle of the figure as drawn, share of the frame's width from the left.
        y: its lowest point as drawn, share of the frame's height from below.
        height: share of the frame's height, > 0.
    """

    x: float
    y: float
    height: float


class Role(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One figure of a scene, and what it does.

    Attributes:
        where: its field in the scene's file, for messages.
        figure: a picture of a drawing, or a character.
        clip: what it does.
        place: where it stands.
        rules: how it follows a BVH file, exactly as they say; None finds out by itself.
        map_file: what a person says of the BVH file, where it cannot be found out.
        playback: how the clip is played; not asked where there are rules.
        rigging: how the figure is made movable.
        start: when its clip begins, seconds, >= 0.
        repeats: whether its clip begins again when it has ended; else its last frame stays.
    """

    where: str
    figure: Path
    clip: LibraryClip | BvhClip
    place: FilmedPlace | FrameShare
    rules: RetargetRules | None = None
    map_file: Path | None = None
    playback: Playback = Playback()
    rigging: RigOptions = USUAL
    start: float = 0.0
    repeats: bool = False


class SceneCamera(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A camera as AnimatedDrawings' scenes place it.

    Attributes:
        position: x, y, z.
        backward: points from what is looked at to the camera; not (0, 0, 0).
    """

    position: tuple[float, float, float]
    backward: tuple[float, float, float]


class Script(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A scene as its file asks for it.

    Attributes:
        where: the scene's file, for messages.
        roles: at least one, back to front.
        size: of every frame.
        background: behind the figures; "picture" is read from `picture`.
        picture: a picture's file.
        camera: None: the frame is 1 high and the origin its lower left corner.
        overlays: what is shown over the figures.
        output: the file to write; None when the scene names none.
        moves_camera: whether the camera steps back where a figure would leave the frame.
        notes: what is done otherwise than the file says, a sentence each.
    """

    where: str
    roles: tuple[Role, ...]
    size: FrameSize
    background: Background
    picture: Path | None = None
    camera: SceneCamera | None = None
    overlays: tuple[Overlay, ...] = ()
    output: Path | None = None
    moves_camera: bool = True
    notes: tuple[str, ...] = ()
