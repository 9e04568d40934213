from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from PIL import Image

from animator.render.gif import GifWriter

Frames = list[NDArray[np.uint8]]


def moving_square(count: int, *, clear: bool = False) -> Frames:
    """A red square that goes one pixel to the right every frame."""
    frames = []
    for i in range(count):
        frame = np.zeros((24, 48, 4), np.uint8) if clear else np.full((24, 48, 4), 255, np.uint8)
        frame[8:16, i % 40 : i % 40 + 8] = (200, 30, 30, 255)
        frames.append(frame)
    return frames


def write(path: Path, frames: Frames, fps: float) -> None:
    writer = GifWriter(path, fps)
    for frame in frames:
        writer.write(frame)
    writer.close()


def read(path: Path) -> tuple[Frames, list[int]]:
    """RGBA frames and delays in milliseconds."""
    frames, delays = [], []
    with Image.open(path) as picture:
        for i in range(getattr(picture, "n_frames", 1)):
            picture.seek(i)
            frames.append(np.array(picture.convert("RGBA")))
            delays.append(int(picture.info["duration"]))
    return frames, delays


@pytest.mark.parametrize("clear", [False, True], ids=["white", "transparent"])
def test_frames_come_back_as_they_went_in(tmp_path: Path, clear: bool) -> None:
    frames = moving_square(12, clear=clear)
    write(tmp_path / "a.gif", frames, 20.0)
    found, _ = read(tmp_path / "a.gif")
    assert len(found) == 12
    for frame, back in zip(frames, found, strict=True):
        np.testing.assert_array_equal(back[..., 3], frame[..., 3])
        visible = frame[..., 3] > 0
        np.testing.assert_allclose(back[visible], frame[visible], atol=4)


@settings(max_examples=20, deadline=None)
@given(fps=st.floats(5, 120), count=st.integers(1, 40))
def test_clip_keeps_its_length(
    tmp_path_factory: pytest.TempPathFactory, fps: float, count: int
) -> None:
    path = tmp_path_factory.mktemp("gif") / "a.gif"
    write(path, moving_square(count), fps)
    _, delays = read(path)
    assert sum(delays) == pytest.approx(1000 * count / fps, abs=max(1000 / fps, 20))
    assert min(delays) >= 20


def test_thirty_frames_a_second_are_spread_over_whole_hundredths(tmp_path: Path) -> None:
    write(tmp_path / "a.gif", moving_square(30), 30.0)
    _, delays = read(tmp_path / "a.gif")
    assert sum(delays) == 1000
    assert set(delays) == {30, 40}


def test_frames_in_which_nothing_moves_are_held(tmp_path: Path) -> None:
    frames = moving_square(2)
    write(tmp_path / "a.gif", [frames[0]] * 5 + [frames[1]] * 5, 10.0)
    found, delays = read(tmp_path / "a.gif")
    assert delays == [500, 500]
    assert len(found) == 2


def test_it_plays_for_ever(tmp_path: Path) -> None:
    write(tmp_path / "a.gif", moving_square(3), 10.0)
    with Image.open(tmp_path / "a.gif") as picture:
        assert picture.info["loop"] == 0


def test_only_what_changed_is_stored(tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    still = rng.integers(0, 256, (64, 64, 4), dtype=np.uint8)
    still[..., 3] = 255
    frames = []
    for i in range(10):
        frame = still.copy()
        frame[i, i] = (0, 255, 0, 255)
        frames.append(frame)
    write(tmp_path / "one.gif", frames[:1], 10.0)
    write(tmp_path / "ten.gif", frames, 10.0)
    one, ten = (path.stat().st_size for path in (tmp_path / "one.gif", tmp_path / "ten.gif"))
    assert ten < one + 10 * 60


def test_colours_too_alike_to_see_make_no_new_frame_part(tmp_path: Path) -> None:
    frames = []
    for shade in (100, 104):
        frame = np.full((16, 16, 4), 255, np.uint8)
        frame[4:8, 4:8, :3] = shade
        frames.append(frame)
    write(tmp_path / "a.gif", frames, 10.0)
    found, delays = read(tmp_path / "a.gif")
    assert sum(delays) == 200
    np.testing.assert_array_equal(found[0], found[-1])


def test_clear_frame_between_others_is_clear(tmp_path: Path) -> None:
    frames = moving_square(3, clear=True)
    frames[1] = np.zeros_like(frames[1])
    write(tmp_path / "a.gif", frames, 10.0)
    found, _ = read(tmp_path / "a.gif")
    assert not found[1][..., 3].any()
    assert found[2][..., 3].any()


def test_writer_without_frames_makes_no_file(tmp_path: Path) -> None:
    writer = GifWriter(tmp_path / "a.gif", 10.0)
    writer.close()
    writer.abort()
    assert not list(tmp_path.iterdir())


def test_abort_lets_go_of_the_file(tmp_path: Path) -> None:
    writer = GifWriter(tmp_path / "a.gif", 10.0)
    for frame in moving_square(9):
        writer.write(frame)
    writer.abort()
    (tmp_path / "a.gif").unlink()
