from collections.abc import Iterator
from pathlib import Path

import av
import numpy as np
import pytest
from numpy.typing import NDArray
from PIL import Image, ImageSequence

from animator.core.animation import Animation, AnimationFormat
from animator.core.errors import EncodingFailed
from animator.render import encode

GIF, MP4, WEBM = AnimationFormat.GIF, AnimationFormat.MP4, AnimationFormat.WEBM


def make_frames(count: int, width: int = 32, height: int = 16) -> Iterator[NDArray[np.uint8]]:
    for i in range(count):
        frame = np.full((height, width, 4), 255, np.uint8)
        frame[4:8, i : i + 4, :3] = 0
        yield frame


def test_every_format_comes_from_one_pass(tmp_path: Path) -> None:
    targets = {GIF: tmp_path / "a.gif", MP4: tmp_path / "a.mp4"}
    found = encode(make_frames(10), 20.0, targets)
    facts = {"width": 32, "height": 16, "fps": 20.0, "frame_count": 10}
    sizes = [path.stat().st_size for path in targets.values()]
    assert found == (
        Animation(blob="a.gif", format=GIF, bytes=sizes[0], **facts),  # type: ignore[arg-type]
        Animation(blob="a.mp4", format=MP4, bytes=sizes[1], **facts),  # type: ignore[arg-type]
    )
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a.gif", "a.mp4"]
    assert targets[GIF].read_bytes().startswith(b"GIF89a")
    assert targets[MP4].read_bytes()[4:8] == b"ftyp"


def test_older_file_of_the_same_name_is_replaced(tmp_path: Path) -> None:
    (tmp_path / "a.gif").write_bytes(b"old")
    encode(make_frames(2), 10.0, {GIF: tmp_path / "a.gif"})
    assert (tmp_path / "a.gif").read_bytes().startswith(b"GIF89a")


def test_no_frames_is_a_failure_that_leaves_nothing(tmp_path: Path) -> None:
    with pytest.raises(EncodingFailed):
        encode(iter([]), 10.0, {GIF: tmp_path / "a.gif", MP4: tmp_path / "a.mp4"})
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("form", [GIF, MP4, WEBM])
def test_missing_folder_is_a_failure(tmp_path: Path, form: AnimationFormat) -> None:
    with pytest.raises(EncodingFailed):
        encode(make_frames(9), 10.0, {form: tmp_path / "no" / "a"})


@pytest.mark.parametrize("error", [KeyError("stop"), OSError("no network"), ValueError("no")])
def test_error_of_whoever_makes_the_frames_goes_through_and_leaves_nothing(
    tmp_path: Path, error: Exception
) -> None:
    def broken() -> Iterator[NDArray[np.uint8]]:
        yield from make_frames(9)
        raise error

    with pytest.raises(type(error)):
        encode(broken(), 10.0, {GIF: tmp_path / "a.gif", MP4: tmp_path / "a.mp4"})
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("form", [GIF, MP4, WEBM, AnimationFormat.WEBP, AnimationFormat.APNG])
@pytest.mark.parametrize("fps", [24.0, 29.97, 30.0, 120.0])
def test_other_software_finds_the_length_and_the_frames(
    tmp_path: Path, form: AnimationFormat, fps: float
) -> None:
    """FFmpeg reads films, Pillow pictures: the length is right to one in a hundred."""
    count = 48
    (told,) = encode(make_frames(count, width=96), fps, {form: tmp_path / "clip"})
    if form in {MP4, WEBM}:
        with av.open(str(tmp_path / "clip")) as film:
            assert film.duration is not None
            seconds = film.duration / av.time_base
            found = len(list(film.decode(video=0)))
    else:
        with Image.open(tmp_path / "clip") as picture:
            found = getattr(picture, "n_frames", 1)
            frames = ImageSequence.Iterator(picture)
            seconds = sum(float(_milliseconds(frame)) for frame in frames) / 1000
    assert seconds == pytest.approx(count / fps, rel=0.01, abs=0.006)
    # 50 and 90 frames a second are the most that browsers show of pictures
    most = {GIF: 50, AnimationFormat.WEBP: 90, AnimationFormat.APNG: 90}.get(form, 1000)
    assert found == count if fps < most else 0.3 * count < found < count
    assert told.frame_count == found
    assert told.frame_count / told.fps == pytest.approx(count / fps)


def _milliseconds(frame: Image.Image) -> float:
    frame.load()  # WebP tells a frame's time with its pixels
    return float(frame.info["duration"])
