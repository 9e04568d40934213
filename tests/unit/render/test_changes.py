"""Animated WebP and PNG: what goes in comes out of Pillow, as long as it should be."""

import struct
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from PIL import Image

from animator.render.apng import apng_writer
from animator.render.changes import LONGEST
from animator.render.webp import webp_writer
from animator.render.writer import FrameWriter

Frames = list[NDArray[np.uint8]]
Make = Callable[[Path, float], FrameWriter]

MAKERS = pytest.mark.parametrize("make", [webp_writer, apng_writer], ids=["webp", "apng"])


def sliding_cards(count: int) -> Frames:
    """A solid red card above a half clear blue one on nothing, one pixel further each frame."""
    frames = []
    for i in range(count):
        frame = np.zeros((64, 96, 4), np.uint8)
        frame[8:32, i % 50 : i % 50 + 40] = (200, 30, 60, 255)
        frame[40:56, i % 50 : i % 50 + 40] = (20, 40, 160, 128)
        frames.append(frame)
    return frames


def write(path: Path, frames: Frames, fps: float, make: Make) -> None:
    writer = make(path, fps)
    for frame in frames:
        writer.write(frame)
    writer.close()


def read(path: Path) -> tuple[Frames, list[float]]:
    """RGBA frames and how long each shows, milliseconds."""
    frames, delays = [], []
    with Image.open(path) as picture:
        assert picture.info["loop"] == 0
        for i in range(getattr(picture, "n_frames", 1)):
            picture.seek(i)
            picture.load()
            frames.append(np.array(picture.convert("RGBA")))
            delays.append(float(picture.info["duration"]))
    return frames, delays


@MAKERS
def test_alpha_comes_back_exactly_and_colour_nearly(tmp_path: Path, make: Make) -> None:
    frames = sliding_cards(12)
    write(tmp_path / "a", frames, 24.0, make)
    found, delays = read(tmp_path / "a")
    assert len(found) == 12
    assert sum(delays) == 500
    for frame, back in zip(frames, found, strict=True):
        np.testing.assert_array_equal(back[..., 3], frame[..., 3])
        assert set(np.unique(back[..., 3])) == {0, 128, 255}
        inside = frame[..., 3] > 0
        np.testing.assert_allclose(back[inside], frame[inside], atol=8)


def test_apng_loses_nothing(tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    frames = [rng.integers(0, 256, (10, 14, 4), dtype=np.uint8) for _ in range(5)]
    write(tmp_path / "a", frames, 10.0, apng_writer)
    np.testing.assert_array_equal(read(tmp_path / "a")[0], frames)


@MAKERS
@settings(max_examples=15, deadline=None)
@given(fps=st.floats(1, 240), count=st.integers(1, 30))
def test_clip_keeps_its_length(
    tmp_path_factory: pytest.TempPathFactory, make: Make, fps: float, count: int
) -> None:
    path = tmp_path_factory.mktemp("film") / "a"
    write(path, sliding_cards(count), fps, make)
    assert sum(read(path)[1]) == round(1000 * count / fps)


@MAKERS
def test_no_frame_is_so_short_that_browsers_slow_it_down(tmp_path: Path, make: Make) -> None:
    write(tmp_path / "a", sliding_cards(24), 120.0, make)
    delays = read(tmp_path / "a")[1]
    assert min(delays) >= 11
    assert sum(delays) == 200


@MAKERS
def test_frames_in_which_nothing_moves_are_held(tmp_path: Path, make: Make) -> None:
    first, second = sliding_cards(2)
    write(tmp_path / "a", [first] * 5 + [second] * 5, 10.0, make)
    assert read(tmp_path / "a")[1] == [500, 500]


@MAKERS
def test_long_stillness_is_stored_in_pieces(tmp_path: Path, make: Make) -> None:
    frame = sliding_cards(1)[0]
    write(tmp_path / "a", [frame] * 200, 1.0, make)
    delays = read(tmp_path / "a")[1]
    assert sum(delays) == 200_000
    assert max(delays) == LONGEST


@MAKERS
def test_only_what_changed_is_stored(tmp_path: Path, make: Make) -> None:
    rng = np.random.default_rng(0)
    still = rng.integers(0, 256, (64, 64, 4), dtype=np.uint8)
    frames = []
    for i in range(10):
        frame = still.copy()
        frame[i, i] = (0, 255, 0, 255)
        frames.append(frame)
    write(tmp_path / "one", frames[:1], 10.0, make)
    write(tmp_path / "ten", frames, 10.0, make)
    one, ten = ((tmp_path / name).stat().st_size for name in ("one", "ten"))
    assert ten < one + 10 * 250


def test_webp_says_its_length(tmp_path: Path) -> None:
    write(tmp_path / "a", sliding_cards(3), 10.0, webp_writer)
    data = (tmp_path / "a").read_bytes()
    assert struct.unpack("<I", data[4:8])[0] == len(data) - 8


@MAKERS
def test_writer_without_frames_makes_no_file(tmp_path: Path, make: Make) -> None:
    writer = make(tmp_path / "a", 10.0)
    writer.close()
    writer.abort()
    assert not list(tmp_path.iterdir())


@MAKERS
def test_abort_lets_go_of_the_file(tmp_path: Path, make: Make) -> None:
    writer = make(tmp_path / "a", 10.0)
    for frame in sliding_cards(3):
        writer.write(frame)
    writer.abort()
    (tmp_path / "a").unlink()
