"""The documents that are stored and served: drawings, what is made of them, and what is allowed."""

from typing import Annotated

import msgspec

from animator.core.animation import Animation, AnimationFormat, Finish
from animator.core.motion import MotionInfo, Playback
from animator.core.rigging import USUAL, RigOptions
from animator.core.scene import Background, Overlay

__all__ = (
    "LEAST_BYTES",
    "MOST_PLAYS",
    "AcceptedJob",
    "AnimationDocument",
    "AnimationRequest",
    "Consent",
    "DrawingDocument",
    "MotionDocument",
    "Ownership",
    "Part",
    "Share",
    "background_blob",
    "motion_blob",
    "own_motion",
    "own_motion_id",
)

DEFAULT_SIDE = 512
"""Longer side of a frame when none is asked for, pixels."""


MOST_PARTS = 20
"""Figures of which something of their own can be asked, at most."""

LATEST_START = 10.0
"""Seconds after the others at which a figure begins, at most."""

MOST_PLAYS = 1000
"""How often a file can be asked to play before it stops."""

LEAST_BYTES = 10_000
"""Smallest limit that can be put on a file."""


def background_blob(drawing: str) -> str:
    """Name of the picture that was handed in as the background of a drawing's animations."""
    return f"{drawing}.background"


OWN_MOTION = "own-"
"""How the names of motions begin that were handed in."""


def own_motion(id: str) -> str:
    """Name of a motion that was handed in, as requests say it."""
    return OWN_MOTION + id


def own_motion_id(name: str) -> str | None:
    """Id of a motion that was handed in; None where the name is of another one."""
    return name.removeprefix(OWN_MOTION) if name.startswith(OWN_MOTION) else None


def motion_blob(id: str) -> str:
    """Name of the file of a motion that was handed in."""
    return f"{id}.bvh"


FigureId = Annotated[str, msgspec.Meta(min_length=1, max_length=64)]


class Part(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What one figure does that the others do not; what is left out goes by the request.

    Attributes:
        motion: name of a motion; `trim`, `then` and `blend` of the request's playback are not
            for it.
        mirror: whether left and right change places.
        start: when it begins, seconds after the others, 0..10, at the speed of 1.
        speed: times as fast as the request's playback, 0.25..4; both together likewise.

    Raises:
        ValueError: when a number is out of its bounds.
    """

    motion: str | None = None
    mirror: bool | None = None
    start: float = 0.0
    speed: float = 1.0

    def __post_init__(self) -> None:
        if not 0.0 <= self.start <= LATEST_START:
            msg = f"start must be from 0 to {LATEST_START:g} seconds, got {self.start}"
            raise ValueError(msg)
        if not 0.25 <= self.speed <= 4.0:
            msg = f"speed must be from 0.25 to 4, got {self.speed}"
            raise ValueError(msg)


class AnimationRequest(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What is asked for; what is left out has a sane default.

    Attributes:
        motion: name of a motion: of the library, or one of the owner's own.
        figures: figure's id -> what it does that the others do not, at most 20.
        playback: how it is played, and what follows.
        rigging: how the figures are made movable.
        side: longer side of the frames, pixels, even, 64..1024.
        background: behind the figures.
        formats: what to write; each frame is drawn once for all of them.
        still: the frame that a still picture shows, 0 and up.
        overlays: shown over the figures.
        max_bytes: limit on a GIF, bytes, 10,000 and more; None: none.
        plays: how often GIF, WebP and APNG play before they stop, 0..1000; 0: for ever.

    Raises:
        ValueError: when `side` is odd or out of range, `still` is below 0, `max_bytes` too small,
            `plays` out of range, or no format is named.
    """

    motion: str = "dance"
    figures: dict[FigureId, Part] = {}
    playback: Playback = Playback()
    rigging: RigOptions = USUAL
    side: int = DEFAULT_SIDE
    background: Background = Background()
    formats: tuple[AnimationFormat, ...] = (AnimationFormat.GIF, AnimationFormat.MP4)
    still: int = 0
    overlays: tuple[Overlay, ...] = ()
    max_bytes: int | None = None
    plays: int = 0

    @property
    def finish(self) -> Finish:
        """What its files are like beside their frames."""
        return Finish(still=self.still, max_bytes=self.max_bytes, plays=self.plays)

    def __post_init__(self) -> None:
        if not 64 <= self.side <= 1024 or self.side % 2:
            msg = f"side must be even and 64..1024 pixels, got {self.side}"
            raise ValueError(msg)
        if self.still < 0:
            msg = f"still must be the number of a frame, 0 or more, got {self.still}"
            raise ValueError(msg)
        if self.max_bytes is not None and self.max_bytes < LEAST_BYTES:
            msg = f"max_bytes must be {LEAST_BYTES} or more, got {self.max_bytes}"
            raise ValueError(msg)
        if not 0 <= self.plays <= MOST_PLAYS:
            msg = f"plays must be from 0 to {MOST_PLAYS}, got {self.plays}"
            raise ValueError(msg)
        if len(self.figures) > MOST_PARTS:
            msg = f"at most {MOST_PARTS} figures can be told apart, got {len(self.figures)}"
            raise ValueError(msg)
        if not self.formats:
            msg = "at least one format is needed"
            raise ValueError(msg)

    @property
    def motions(self) -> frozenset[str]:
        """Names of all motions that figures do, but those that follow."""
        return frozenset({self.motion, *(p.motion for p in self.figures.values() if p.motion)})


class AcceptedJob(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """That a job was accepted and has not ended; whoever forgets it in between loses it.

    Kept where drawings are kept, so that a queue that lost it can be told again.

    Attributes:
        task: dotted name of the function that does it.
        subject: what it is about.
        queue: name of the queue in which it waits.
        created: seconds since 1970, UTC.
    """

    task: str
    subject: str
    queue: str
    created: float


class DrawingDocument(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A drawing that was handed in.

    Attributes:
        id: unguessable, URL-safe.
        name: file name as given, for showing only.
        upload: blob with the picture as it came, without what else its file told.
        picture: blob with the upright picture as the browser can show it (JPEG); None until read.
        width: pixels of the upright picture; None until read.
        height: pixels of the upright picture; None until read.
        job: the job that reads and annotates it.
        created: seconds since 1970, UTC.
        expires: seconds since 1970, UTC, when it is forgotten; None: not until it is deleted.
    """

    id: str
    name: str
    upload: str
    job: str
    created: float
    expires: float | None = None
    picture: str | None = None
    width: int | None = None
    height: int | None = None


class AnimationDocument(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """An animation that was asked for.

    Attributes:
        id: unguessable, URL-safe.
        drawing: id of the drawing.
        request: what was asked.
        job: the job that makes it.
        created: seconds since 1970, UTC.
        files: one a format; empty until the job is done.
        revision: of the annotation that it is made of.
    """

    id: str
    drawing: str
    request: AnimationRequest
    job: str
    created: float
    files: tuple[Animation, ...] = ()
    revision: int = 0


class Consent(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """That a drawing and its corrections may be learned from; without this document they may not.

    A document of its own, so that no job that writes the drawing at the same time can undo it.

    Attributes:
        given: seconds since 1970, UTC.
    """

    given: float


class Ownership(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Whose a drawing is; without this document, whoever has its id may use it.

    A document of its own, for it is never shown to anybody.

    Attributes:
        owner: name of the owner, see `animator.api.owners`.
        sha256: of the bytes as they came, in hexadecimal; the same again are the same drawing.
        created: when the drawing was handed in, seconds since 1970, UTC.
    """

    owner: str
    sha256: str
    created: float


class Share(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """That whoever has this id may look at an animation.

    Attributes:
        id: unguessable, URL-safe.
        animation: id of the animation.
        created: seconds since 1970, UTC.
        expires: seconds since 1970, UTC.
    """

    id: str
    animation: str
    created: float
    expires: float


class MotionDocument(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A motion that somebody handed in, for his own figures.

    Attributes:
        id: unguessable, URL-safe.
        owner: name of the owner, see `animator.api.owners`; never shown to anybody.
        title: for people, from the name of the file.
        job: the job that reads it.
        created: seconds since 1970, UTC.
        expires: seconds since 1970, UTC, when it is forgotten; None: not until it is deleted.
        info: what the gallery shows of it; None until it was read.
    """

    id: str
    owner: str
    title: str
    job: str
    created: float
    expires: float | None = None
    info: MotionInfo | None = None
