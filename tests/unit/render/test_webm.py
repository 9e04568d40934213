from pathlib import Path

import av
import numpy as np
import pytest
from numpy.typing import NDArray

from animator.render.films import webm_writer

Frames = list[NDArray[np.uint8]]


def sliding_cards(count: int) -> Frames:
    """A solid red card above a half clear blue one on nothing, one pixel further each frame."""
    frames = []
    for i in range(count):
        frame = np.zeros((64, 96, 4), np.uint8)
        frame[8:32, i : i + 40] = (200, 30, 60, 255)
        frame[40:56, i : i + 40] = (20, 40, 160, 128)
        frames.append(frame)
    return frames


def write(path: Path, frames: Frames, fps: float) -> None:
    writer = webm_writer(path, fps)
    for frame in frames:
        writer.write(frame)
    writer.close()


def read(path: Path) -> Frames:
    """RGBA frames; only libvpx's own decoder gives the alpha."""
    decoder = av.CodecContext.create("libvpx-vp9", "r")
    with av.open(str(path)) as container:
        packets = [packet for packet in container.demux(video=0) if packet.size]
        pictures = [picture for packet in packets for picture in decoder.decode(packet)]
    return [picture.to_ndarray(format="rgba").astype(np.uint8) for picture in pictures]


@pytest.mark.parametrize("fps", [24.0, 29.97, 30.0, 120.0])
def test_it_is_vp9_with_alpha_of_the_right_length(tmp_path: Path, fps: float) -> None:
    path = tmp_path / "a.webm"
    write(path, sliding_cards(24), fps)
    with av.open(str(path)) as container:
        stream = container.streams.video[0]
        assert stream.codec_context.name == "vp9"
        assert stream.metadata["alpha_mode"] == "1"
        assert (stream.width, stream.height) == (96, 64)
        assert container.duration is not None
        assert container.duration / av.time_base == pytest.approx(24 / fps, abs=0.001)
    assert len(read(path)) == 24


def test_colours_and_alpha_survive(tmp_path: Path) -> None:
    write(tmp_path / "a.webm", sliding_cards(12), 24.0)
    for i, frame in enumerate(read(tmp_path / "a.webm")):
        np.testing.assert_allclose(frame[20, i + 20], (200, 30, 60, 255), atol=6)
        np.testing.assert_allclose(frame[48, i + 20], (20, 40, 160, 128), atol=6)
        assert frame[20, i + 20, 3] == 255
        assert frame[4, 90, 3] == 0


def test_edge_of_paint_keeps_its_colour(tmp_path: Path) -> None:
    """Light paint beside black that cannot be seen: none of the black comes in."""
    frame = np.zeros((32, 32, 4), np.uint8)
    frame[9:23, 9:23] = (240, 220, 120, 255)
    write(tmp_path / "a.webm", [frame], 24.0)
    (found,) = read(tmp_path / "a.webm")
    np.testing.assert_allclose(found[9:23, 9, :3], np.tile((240, 220, 120), (14, 1)), atol=12)


def test_odd_sides_become_even_by_the_last_column_and_row_once_more(tmp_path: Path) -> None:
    frame = np.zeros((31, 47, 4), np.uint8)
    frame[10:, 20:] = (200, 30, 60, 255)
    write(tmp_path / "a.webm", [frame] * 3, 24.0)
    found = read(tmp_path / "a.webm")[0]
    assert found.shape == (32, 48, 4)
    np.testing.assert_allclose(found[31, 47], (200, 30, 60, 255), atol=8)


def test_opaque_film_has_no_alpha_to_carry(tmp_path: Path) -> None:
    write(tmp_path / "a.webm", [np.full((32, 48, 4), 255, np.uint8)] * 3, 24.0)
    with av.open(str(tmp_path / "a.webm")) as container:
        stream = container.streams.video[0]
        assert "alpha_mode" not in stream.metadata
        assert stream.codec_context.pix_fmt == "yuv420p"


def test_writer_without_frames_makes_no_file(tmp_path: Path) -> None:
    writer = webm_writer(tmp_path / "a.webm", 10.0)
    writer.close()
    writer.abort()
    assert not list(tmp_path.iterdir())


def test_abort_lets_go_of_the_file(tmp_path: Path) -> None:
    writer = webm_writer(tmp_path / "a.webm", 10.0)
    for frame in sliding_cards(30):
        writer.write(frame)
    writer.abort()
    writer.abort()
    (tmp_path / "a.webm").unlink()
