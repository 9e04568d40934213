"""Films as browsers play them: H.264 in MP4, and VP9 in WebM, with alpha where there is any."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Literal

import av
import numpy as np
from av.container import OutputContainer
from av.video.reformatter import ColorRange, Colorspace
from av.video.stream import VideoStream
from numpy.typing import NDArray

from animator.render.blend import lay_on_white
from animator.render.spread import spread_paint
from animator.render.yuv import YuvFrames

__all__ = ("FilmWriter", "mp4_writer", "webm_writer")

BT709 = 1
"""Number of ITU-R BT.709 in the tables of colour primaries and transfer (ISO/IEC 23091-2)."""


@dataclass(frozen=True, slots=True)
class _Kind:
    """A kind of film.

    Attributes:
        container: as FFmpeg names it.
        codec: as FFmpeg names it.
        alpha: layout of pixels that keeps alpha; None: the film has none.
        options: of the codec.
        container_options: of the container.
    """

    container: str
    codec: Literal["libx264", "libvpx-vp9"]
    alpha: str | None
    options: Mapping[str, str]
    container_options: Mapping[str, str]


_MP4 = _Kind(
    container="mp4",
    codec="libx264",
    alpha=None,
    # Constant quality; lower is better and larger. Drawings that move over a still ground have
    # neither cuts nor fades, and frames between others pay wherever they stand: looking for all of
    # that took half of the time.
    options={
        "crf": "25",
        "preset": "superfast",
        "x264-params": "scenecut=0:weightp=0:b-adapt=0",
    },
    # the index in front: a browser plays what it has of the file
    container_options={"movflags": "+faststart"},
)

_WEBM = _Kind(
    container="webm",
    codec="libvpx-vp9",
    alpha="yuva420p",
    # Constant quality, and a fifth of the time of `deadline=good` for a sixth more bytes. VP9 holds
    # alpha as a second stream beside the first, which libvpx cannot keep in step with frames that
    # are never shown (`auto-alt-ref`).
    options={
        "crf": "28",
        "b": "0",
        "deadline": "realtime",
        "cpu-used": "5",
        "row-mt": "1",
        "auto-alt-ref": "0",
    },
    container_options={},
)


def mp4_writer(path: Path, fps: float) -> "FilmWriter":
    """H.264 in MP4, over white where frames are clear; fps: frames a second, > 0."""
    return FilmWriter(path, fps, _MP4)


def webm_writer(path: Path, fps: float) -> "FilmWriter":
    """VP9 in WebM, with alpha unless the first frame is opaque; fps: frames a second, > 0."""
    return FilmWriter(path, fps, _WEBM)


class FilmWriter:
    """A film that takes frames one by one; see `FrameWriter`.

    Codecs want even sides: the last column or row of others is written twice.
    """

    def __init__(self, path: Path, fps: float, kind: _Kind) -> None:
        self._path = path
        self._fps = Fraction(fps).limit_denominator(1001)
        self._kind = kind
        self._open: tuple[OutputContainer, VideoStream] | None = None
        self._opaque: YuvFrames | None = None

    def write(self, frame: NDArray[np.uint8]) -> None:
        """Add a frame: (H, W, 4) uint8 RGBA, straight alpha.

        Raises:
            OSError: when the codec or the file does not take it.
        """
        frame = _with_even_sides(frame)
        with _told_by_ffmpeg():
            container, stream = self._open or self._begin(frame)
            container.mux(stream.encode(self._picture(frame)))

    def close(self) -> None:
        """Write what is left, and the index.

        Raises:
            OSError: when the codec or the file does not take it.
        """
        if self._open is not None:
            container, stream = self._open
            with _told_by_ffmpeg():
                container.mux(stream.encode(None))
                container.close()

    def abort(self) -> None:
        """Let go of the file, whole or not."""
        if self._open is not None:
            with suppress(OSError, av.FFmpegError):
                self._open[0].close()

    def _picture(self, frame: NDArray[np.uint8]) -> av.VideoFrame:
        """A frame (H, W, 4) as the codec takes it."""
        if self._opaque is not None:
            return self._opaque.turn(lay_on_white(frame))
        return av.VideoFrame.from_ndarray(spread_paint(frame), format="rgba").reformat(
            format=self._kind.alpha,
            src_colorspace=Colorspace.ITU709,
            dst_colorspace=Colorspace.ITU709,
            dst_color_range=ColorRange.MPEG,
        )

    def _begin(self, first: NDArray[np.uint8]) -> tuple[OutputContainer, VideoStream]:
        kind = self._kind
        options = dict(kind.container_options)
        container = av.open(str(self._path), "w", format=kind.container, options=options)
        stream = container.add_stream(kind.codec, rate=self._fps)
        stream.height, stream.width = first.shape[:2]
        if kind.alpha is None or first[..., 3].min() == 255:
            self._opaque = YuvFrames(*first.shape[:2])
        stream.pix_fmt = kind.alpha if self._opaque is None else "yuv420p"
        stream.options = dict(kind.options)
        context = stream.codec_context
        context.colorspace = context.color_primaries = context.color_trc = BT709
        context.color_range = ColorRange.MPEG
        self._open = container, stream
        return self._open


@contextmanager
def _told_by_ffmpeg() -> Iterator[None]:
    """Its errors as those of a file: nobody else needs to know it."""
    try:
        yield
    except av.FFmpegError as error:
        raise OSError(str(error)) from error


def _with_even_sides(frame: NDArray[np.uint8]) -> NDArray[np.uint8]:
    height, width = frame.shape[:2]
    if height % 2 or width % 2:
        return np.pad(frame, ((0, height % 2), (0, width % 2), (0, 0)), mode="edge")
    return frame
