"""Animation: the encoded result, its size, and the table of its formats."""

from collections.abc import Mapping
from enum import StrEnum
from types import MappingProxyType
from typing import Literal

import msgspec

__all__ = (
    "FORMATS",
    "PLAIN",
    "Animation",
    "AnimationFormat",
    "Finish",
    "FormatFacts",
    "FrameSize",
    "format_of",
)

MAX_SIDE = 2048
"""Longest side of a frame, pixels."""


class AnimationFormat(StrEnum):
    """What an animation can be written as; what each is, `FORMATS` says."""

    GIF = "gif"
    MP4 = "mp4"
    WEBM = "webm"
    WEBP = "webp"
    APNG = "apng"
    PNG = "png"
    FRAMES = "frames"
    SHEET = "sheet"
    JOINTS = "joints"
    CHARACTER = "character"
    GLTF = "gltf"
    TRACK = "track"
    BACKDROP = "backdrop"
    PREVIEWS = "previews"

    @property
    def suffix(self) -> str:
        """End of the file's name, without the leading dot."""
        return FORMATS[self].suffix


class FormatFacts(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A row of the table of formats.

    Attributes:
        suffix: end of the file's name, without the leading dot.
        media_type: as HTTP says it.
        kind: "video" plays in a video element, "picture" in an image element, "data" in neither.
        has_alpha: whether a transparent background can be asked for.
        title: what it is, in a few words, for people.
    """

    suffix: str
    media_type: str
    kind: Literal["video", "picture", "data"]
    has_alpha: bool
    title: str


FORMATS: Mapping[AnimationFormat, FormatFacts] = MappingProxyType(
    {
        AnimationFormat.GIF: FormatFacts(
            suffix="gif",
            media_type="image/gif",
            kind="picture",
            has_alpha=True,
            title="animated GIF, 128 colours",
        ),
        AnimationFormat.MP4: FormatFacts(
            suffix="mp4",
            media_type="video/mp4",
            kind="video",
            has_alpha=False,
            title="H.264 video",
        ),
        AnimationFormat.WEBM: FormatFacts(
            suffix="webm",
            media_type="video/webm",
            kind="video",
            has_alpha=True,
            title="VP9 video",
        ),
        AnimationFormat.WEBP: FormatFacts(
            suffix="webp",
            media_type="image/webp",
            kind="picture",
            has_alpha=True,
            title="animated WebP",
        ),
        AnimationFormat.APNG: FormatFacts(
            suffix="apng",
            media_type="image/apng",
            kind="picture",
            has_alpha=True,
            title="animated PNG, nothing lost",
        ),
        AnimationFormat.PNG: FormatFacts(
            suffix="png",
            media_type="image/png",
            kind="picture",
            has_alpha=True,
            title="picture of one frame (--frame)",
        ),
        AnimationFormat.FRAMES: FormatFacts(
            suffix="frames.zip",
            media_type="application/zip",
            kind="data",
            has_alpha=True,
            title="every frame as a PNG, in a zip",
        ),
        AnimationFormat.SHEET: FormatFacts(
            suffix="sheet.zip",
            media_type="application/zip",
            kind="data",
            has_alpha=True,
            title="sprite sheet and its JSON, in a zip",
        ),
        AnimationFormat.JOINTS: FormatFacts(
            suffix="joints.json",
            media_type="application/json",
            kind="data",
            has_alpha=True,
            title="where every joint is in every frame",
        ),
        AnimationFormat.CHARACTER: FormatFacts(
            suffix="character.zip",
            media_type="application/zip",
            kind="data",
            has_alpha=True,
            title="the figure for AnimatedDrawings, and for us",
        ),
        AnimationFormat.GLTF: FormatFacts(
            suffix="glb",
            media_type="model/gltf-binary",
            kind="data",
            has_alpha=True,
            title="glTF 2.0: skinned mesh with the clip",
        ),
        AnimationFormat.TRACK: FormatFacts(
            suffix="track",
            media_type="application/octet-stream",
            kind="data",
            has_alpha=True,
            title="moved vertices, for a page to play",
        ),
        AnimationFormat.BACKDROP: FormatFacts(
            suffix="backdrop.webp",
            media_type="image/webp",
            kind="picture",
            has_alpha=True,
            title="what lies behind the figures, without them",
        ),
        AnimationFormat.PREVIEWS: FormatFacts(
            suffix="previews",
            media_type="application/octet-stream",
            kind="data",
            has_alpha=True,
            title="all the motions, small, for a page to play",
        ),
    }
)
"""All formats, in the order in which they are shown."""


def format_of(name: str) -> AnimationFormat | None:
    """The format that a file's name ends in, in either case; None when it is none of ours."""
    ends = [form for form in FORMATS if name.lower().endswith(f".{form.suffix}")]
    return max(ends, key=lambda form: len(form.suffix), default=None)


class FrameSize(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Size of every frame.

    Attributes:
        width: pixels, even, 16..2048.
        height: pixels, even, 16..2048.

    Raises:
        ValueError: when a side is odd or out of range (video codecs need even sides).
    """

    width: int
    height: int

    def __post_init__(self) -> None:
        for side in (self.width, self.height):
            if not 16 <= side <= MAX_SIDE or side % 2:
                msg = f"a frame's side must be even and 16..{MAX_SIDE} pixels, got {side}"
                raise ValueError(msg)


class Animation(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """An encoded clip.

    Attributes:
        blob: name of the bytes in the blob store.
        format: one of `FORMATS`.
        width: pixels.
        height: pixels.
        fps: frames a second that it holds, on the mean; GIF, WebP and APNG leave out some above 50
            or 90 a second.
        frame_count: frames that it holds, > 0; what stands still counts.
        bytes: size of the file.
        given_up: what was given up so that the file is no larger than was asked for; empty when
            nothing was.
    """

    blob: str
    format: AnimationFormat
    width: int
    height: int
    fps: float
    frame_count: int
    bytes: int = 0
    given_up: str = ""


class Finish(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What files are like beside the frames that are in them.

    Attributes:
        still: the frame that a still picture shows, 0 and up.
        max_bytes: limit on a GIF, whose frames are drawn again until it fits; None: none.
        plays: how often GIF, WebP and APNG play before they stop, 0..1000; 0: for ever.
    """

    still: int = 0
    max_bytes: int | None = None
    plays: int = 0


PLAIN = Finish()
"""As files are when nothing is asked for."""
