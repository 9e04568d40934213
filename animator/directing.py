"""Directions: which figure does what, and when, as a request says it."""

from collections.abc import Mapping
from dataclasses import dataclass, field

import msgspec

from animator.core.animation import AnimationFormat
from animator.core.documents import AnimationRequest, Part
from animator.core.drawing import Drawing
from animator.core.errors import InvalidMotion
from animator.core.motion import Motion, MotionInfo, Playback, RetargetMap
from animator.motion import (
    LONGEST,
    Performance,
    inspect_clip,
    list_motions,
    load_motion,
    prepare,
    read_clip,
)

__all__ = (
    "NO_PROPS",
    "Clip",
    "Directions",
    "Entry",
    "Props",
    "describe_motion",
    "direct",
    "read_clip",
)

Clip = tuple[Motion, RetargetMap]
"""A motion, and how drawn skeletons follow it."""


OWN = "own"
"""Tag of motions that people handed in."""


@dataclass(frozen=True, slots=True, eq=False)
class Entry:
    """What one figure does.

    Attributes:
        performance: from beginning to end.
        start: when it begins, seconds after the scene does, >= 0.
    """

    performance: Performance
    start: float = 0.0


@dataclass(frozen=True, slots=True, eq=False)
class Directions:
    """What the figures of a drawing do.

    Attributes:
        usual: what those do of whom nothing else is said.
        single: figure's id -> what it does.
        repertoire: motion -> what all of them rehearse besides, and whether it is a loop.
        is_filmed: whether anybody sees what they do; else only what they rehearse.
    """

    usual: Entry
    single: Mapping[str, Entry] = field(default_factory=dict)
    repertoire: Mapping[str, tuple[Performance, bool]] = field(default_factory=dict)
    is_filmed: bool = True

    def entry_of(self, figure: str) -> Entry:
        """What a figure does."""
        return self.single.get(figure, self.usual)


@dataclass(frozen=True, slots=True, eq=False)
class Props:
    """What was handed in beside a drawing.

    Attributes:
        picture: what a background of the kind "picture" shows.
        motions: those that are not of the library, by name.
    """

    picture: Drawing | None = None
    motions: Mapping[str, Clip] = field(default_factory=dict)


NO_PROPS = Props()


def direct(request: AnimationRequest, own: Mapping[str, Clip]) -> Directions:
    """What a request asks of the figures.

    own: motions that are not of the library, by name.

    Raises:
        UnknownMotion: when no motion has a name asked for.
        InvalidMotion: when one cannot be played as asked.
    """

    def find(name: str) -> Clip:
        return own[name] if name in own else load_motion(name)

    usual = Entry(prepare(*find(request.motion), request.playback))
    single = {}
    for figure, part in request.figures.items():
        clip, playback = find(part.motion or request.motion), playback_of(part, request)
        single[figure] = Entry(prepare(*clip, playback), part.start / request.playback.speed)
    repertoire = {}
    if AnimationFormat.PREVIEWS in request.formats:
        repertoire = rehearse(request.motion, own)
    is_filmed = any(form != AnimationFormat.PREVIEWS for form in request.formats)
    return Directions(usual, single, repertoire, is_filmed)


def rehearse(motion: str, own: Mapping[str, Clip]) -> dict[str, tuple[Performance, bool]]:
    """What previews show: every motion of the library, or only the one that is not of it.

    They stay on the spot, so that a figure is as large in one as in another.
    """
    playback = Playback(stay=True)
    if motion in own:
        return {motion: (prepare(*own[motion], msgspec.structs.replace(playback, loop=True)), True)}
    return {
        info.name: (prepare(*load_motion(info.name), playback), info.loop)
        for info in list_motions()
    }


def playback_of(part: Part, request: AnimationRequest) -> Playback:
    """How the motion of one figure is played; what is cut, mixed in or follows is the request's."""
    usual = request.playback
    if part.motion is not None:
        usual = msgspec.structs.replace(usual, trim=None, then=(), blend=None)
    mirror = usual.mirror if part.mirror is None else part.mirror
    speed = min(max(usual.speed * part.speed, 0.25), 4.0)
    return msgspec.structs.replace(usual, mirror=mirror, speed=speed)


def describe_motion(data: bytes, name: str, title: str) -> MotionInfo:
    """What the gallery shows of a motion file that somebody handed in.

    Raises:
        UnmappedMotion: when it cannot be told which joints are which.
        InvalidMotion: when it cannot be read, with the line, or lasts too long.
    """
    facts = inspect_clip(data, name=title)
    seconds = facts.frames / facts.fps
    if seconds > LONGEST:
        msg = f"It lasts {seconds:.0f} seconds; cut it to {LONGEST:.0f} at most."
        raise InvalidMotion(msg)
    return MotionInfo(
        name=name, title=title, tags=(OWN,), duration=seconds, fps=facts.fps, loop=facts.loop
    )
