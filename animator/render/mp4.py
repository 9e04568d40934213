"""H.264 in MP4 as browsers play it: yuv420p, BT.709, index in front."""

from contextlib import suppress
from fractions import Fraction
from pathlib import Path

import av
import numpy as np
from av.container import OutputContainer
from av.video.reformatter import ColorRange, Colorspace
from av.video.stream import VideoStream
from numpy.typing import NDArray

__all__ = ("Mp4Writer",)

QUALITY = "20"
"""x264's constant rate factor; lower is better and larger."""

PAPER = 255
"""What shows through where a frame is transparent: video has no alpha; white."""

BT709 = 1
"""Number of ITU-R BT.709 in the tables of colour primaries and transfer (ISO/IEC 23091-2)."""


class Mp4Writer:
    """An MP4 that takes frames one by one; see `FrameWriter`. Sides must be even."""

    def __init__(self, path: Path, fps: float) -> None:
        self._path = path
        self._fps = Fraction(fps).limit_denominator(1001)
        self._open: tuple[OutputContainer, VideoStream] | None = None

    def write(self, frame: NDArray[np.uint8]) -> None:
        """Add a frame: (H, W, 4) uint8 RGBA, straight alpha."""
        container, stream = self._open or self._begin(frame.shape[1], frame.shape[0])
        picture = av.VideoFrame.from_ndarray(_over_paper(frame), format="rgb24")
        picture = picture.reformat(
            format="yuv420p",
            src_colorspace=Colorspace.ITU709,
            dst_colorspace=Colorspace.ITU709,
            dst_color_range=ColorRange.MPEG,
        )
        container.mux(stream.encode(picture))

    def close(self) -> None:
        """Write what is left, and the index."""
        if self._open is not None:
            container, stream = self._open
            container.mux(stream.encode(None))
            container.close()

    def abort(self) -> None:
        """Let go of the file, whole or not."""
        if self._open is not None:
            with suppress(OSError, av.FFmpegError):
                self._open[0].close()

    def _begin(self, width: int, height: int) -> tuple[OutputContainer, VideoStream]:
        container = av.open(str(self._path), "w", format="mp4", options={"movflags": "+faststart"})
        stream = container.add_stream("libx264", rate=self._fps)
        stream.width, stream.height, stream.pix_fmt = width, height, "yuv420p"
        stream.options = {"crf": QUALITY, "preset": "veryfast", "tune": "animation"}
        context = stream.codec_context
        context.colorspace = context.color_primaries = context.color_trc = BT709
        context.color_range = ColorRange.MPEG
        self._open = container, stream
        return self._open


def _over_paper(frame: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """RGB (H, W, 3) of a frame over white."""
    if frame[..., 3].min() == 255:
        return np.ascontiguousarray(frame[..., :3])
    alpha = frame[..., 3:].astype(np.uint16)
    mixed = (frame[..., :3] * alpha + np.uint16(PAPER) * (255 - alpha) + 127) // 255
    return mixed.astype(np.uint8)
