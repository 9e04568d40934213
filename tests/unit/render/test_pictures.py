from collections.abc import Callable
from io import BytesIO
from pathlib import Path
from zipfile import ZipFile

import msgspec
import numpy as np
import pytest
from numpy.typing import NDArray
from PIL import Image

from animator.core.errors import EncodingFailed
from animator.render.pictures import PngFramesWriter, StillWriter
from animator.render.sheet import SheetWriter
from animator.render.writer import FrameWriter

Make = Callable[[Path, float], FrameWriter]


def random_frames(count: int, width: int = 16, height: int = 12) -> list[NDArray[np.uint8]]:
    rng = np.random.default_rng(0)
    return [rng.integers(0, 256, (height, width, 4), dtype=np.uint8) for _ in range(count)]


def write(path: Path, frames: list[NDArray[np.uint8]], fps: float, make: Make) -> None:
    writer = make(path, fps)
    for frame in frames:
        writer.write(frame)
    writer.close()
    writer.abort()


def picture(folder: ZipFile, name: str) -> NDArray[np.uint8]:
    with Image.open(BytesIO(folder.read(name))) as image:
        return np.array(image)


def test_every_frame_is_a_numbered_picture_as_it_was(tmp_path: Path) -> None:
    frames = random_frames(11)
    write(tmp_path / "a.zip", frames, 30.0, PngFramesWriter)
    with ZipFile(tmp_path / "a.zip") as folder:
        assert folder.testzip() is None
        assert folder.namelist() == [f"{i:05}.png" for i in range(11)]
        for name, frame in zip(folder.namelist(), frames, strict=True):
            np.testing.assert_array_equal(picture(folder, name), frame)


def test_still_is_the_first_frame(tmp_path: Path) -> None:
    frames = random_frames(3)
    write(tmp_path / "a.png", frames, 30.0, StillWriter)
    with Image.open(tmp_path / "a.png") as image:
        np.testing.assert_array_equal(np.array(image), frames[0])


def test_sheet_says_where_each_frame_lies_and_how_long_it_shows(tmp_path: Path) -> None:
    frames = random_frames(7)
    write(tmp_path / "a.zip", frames, 30.0, SheetWriter)
    with ZipFile(tmp_path / "a.zip") as folder:
        atlas = msgspec.json.decode(folder.read("sheet.json"))
        sheet = picture(folder, atlas["meta"]["image"])
    assert atlas["meta"]["size"] == {"w": sheet.shape[1], "h": sheet.shape[0]}
    assert (sheet.shape[1], sheet.shape[0]) == (3 * 16, 3 * 12)
    assert atlas["animations"] == {"clip": [f"{i:05}.png" for i in range(7)]}
    assert list(atlas["frames"]) == atlas["animations"]["clip"]
    assert [item["duration"] for item in atlas["frames"].values()] == [33, 34, 33, 33, 34, 33, 33]
    for item, frame in zip(atlas["frames"].values(), frames, strict=True):
        x, y, w, h = (item["frame"][key] for key in "xywh")
        np.testing.assert_array_equal(sheet[y : y + h, x : x + w], frame)
    assert not sheet[24:, 16:].any()


@pytest.mark.parametrize(
    ("count", "size"), [(1, (2048, 1024)), (2, (2048, 2048)), (3, (4096, 2048)), (8, (4096, 4096))]
)
def test_sheet_is_about_square_and_within_its_limit(
    tmp_path: Path, count: int, size: tuple[int, int]
) -> None:
    frames = [np.zeros((1024, 2048, 4), np.uint8)] * count
    write(tmp_path / "a.zip", frames, 30.0, SheetWriter)
    with ZipFile(tmp_path / "a.zip") as folder:
        sheet = picture(folder, "sheet.png")
    assert (sheet.shape[1], sheet.shape[0]) == size


def test_clip_that_fits_no_sheet_is_refused_at_the_first_frame_too_many(tmp_path: Path) -> None:
    writer = SheetWriter(tmp_path / "a.zip", 30.0)
    frame = np.zeros((1024, 2048, 4), np.uint8)
    for _ in range(8):
        writer.write(frame)
    with pytest.raises(EncodingFailed, match="8 frames of 2048 x 1024"):
        writer.write(frame)
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("make", [PngFramesWriter, StillWriter, SheetWriter])
def test_writer_without_frames_makes_no_file(tmp_path: Path, make: Make) -> None:
    write(tmp_path / "a", [], 10.0, make)
    assert not list(tmp_path.iterdir())


def test_same_frames_make_the_same_bytes(tmp_path: Path) -> None:
    for name in ("a", "b"):
        write(tmp_path / name, random_frames(2), 10.0, SheetWriter)
    assert (tmp_path / "a").read_bytes() == (tmp_path / "b").read_bytes()
