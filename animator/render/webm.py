"""VP9 in WebM with alpha, as browsers play it: yuva420p, BT.709."""

from contextlib import suppress
from fractions import Fraction
from pathlib import Path

import av
import numpy as np
from av.container import OutputContainer
from av.video.reformatter import ColorRange, Colorspace
from av.video.stream import VideoStream
from numpy.typing import NDArray

from animator.render.spread import spread_paint

__all__ = ("WebmWriter",)

OPTIONS = {
    "crf": "28",
    "b": "0",
    "deadline": "realtime",
    "cpu-used": "5",
    "row-mt": "1",
    "auto-alt-ref": "0",
}
"""Constant quality (lower is better and larger), and a fifth of the time of `deadline=good` for a
sixth more bytes. VP9 holds alpha as a second stream beside the first, which libvpx cannot keep in
step with frames that are never shown (`auto-alt-ref`)."""

BT709 = 1
"""Number of ITU-R BT.709 in the tables of colour primaries and transfer (ISO/IEC 23091-2)."""


class WebmWriter:
    """A WebM that takes frames one by one; see `FrameWriter`. Sides must be even."""

    def __init__(self, path: Path, fps: float) -> None:
        self._path = path
        self._fps = Fraction(fps).limit_denominator(1001)
        self._open: tuple[OutputContainer, VideoStream] | None = None

    def write(self, frame: NDArray[np.uint8]) -> None:
        """Add a frame: (H, W, 4) uint8 RGBA, straight alpha."""
        container, stream = self._open or self._begin(frame.shape[1], frame.shape[0])
        picture = av.VideoFrame.from_ndarray(spread_paint(frame), format="rgba").reformat(
            format="yuva420p",
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
        if width % 2 or height % 2:
            msg = f"a video's sides must be even, got {width} x {height}"
            raise ValueError(msg)
        container = av.open(str(self._path), "w", format="webm")
        stream = container.add_stream("libvpx-vp9", rate=self._fps)
        stream.width, stream.height, stream.pix_fmt = width, height, "yuva420p"
        stream.options = dict(OPTIONS)
        context = stream.codec_context
        context.colorspace = context.color_primaries = context.color_trc = BT709
        context.color_range = ColorRange.MPEG
        self._open = container, stream
        return self._open
