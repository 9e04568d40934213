"""Animation: the encoded result, its format and its size."""

from enum import StrEnum

import msgspec

__all__ = ("Animation", "AnimationFormat", "FrameSize")

MAX_SIDE = 2048
"""Longest side of a frame, pixels."""


class AnimationFormat(StrEnum):
    """What an animation can be written as."""

    GIF = "gif"
    MP4 = "mp4"


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
        format: GIF or MP4.
        width: pixels.
        height: pixels.
        fps: frames a second.
        frame_count: > 0.
    """

    blob: str
    format: AnimationFormat
    width: int
    height: int
    fps: float
    frame_count: int
