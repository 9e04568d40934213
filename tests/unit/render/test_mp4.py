from pathlib import Path

import av
import numpy as np
import pytest

from animator.render.films import mp4_writer


def write(path: Path, colours: list[tuple[int, int, int, int]], fps: float) -> None:
    writer = mp4_writer(path, fps)
    for colour in colours:
        writer.write(np.tile(np.array(colour, np.uint8), (48, 64, 1)))
    writer.close()


@pytest.mark.parametrize("fps", [24.0, 29.97, 30.0, 120.0])
def test_it_is_h264_of_the_right_length_with_its_index_in_front(tmp_path: Path, fps: float) -> None:
    path = tmp_path / "a.mp4"
    write(path, [(200, 30, 30, 255)] * 48, fps)
    with av.open(str(path)) as container:
        stream = container.streams.video[0]
        assert stream.codec_context.name == "h264"
        assert stream.codec_context.pix_fmt == "yuv420p"
        assert (stream.width, stream.height) == (64, 48)
        assert len(list(container.decode(stream))) == 48
        assert stream.duration is not None and stream.time_base is not None
        assert float(stream.duration * stream.time_base) == pytest.approx(48 / fps, rel=0.01)
    data = path.read_bytes()
    assert data.index(b"moov") < data.index(b"mdat")


def test_colours_survive_and_clear_pixels_are_white(tmp_path: Path) -> None:
    path = tmp_path / "a.mp4"
    write(path, [(200, 30, 60, 255), (0, 0, 0, 0), (0, 0, 0, 128)], 10.0)
    with av.open(str(path)) as container:
        found = [frame.to_ndarray(format="rgb24")[20, 20] for frame in container.decode(video=0)]
    np.testing.assert_allclose(found, [[200, 30, 60], [255] * 3, [127] * 3], atol=6)


def test_every_frame_is_its_own_though_the_codec_looks_ahead(tmp_path: Path) -> None:
    path = tmp_path / "a.mp4"
    levels = [(5 * i, 5 * i, 5 * i, 255) for i in range(50)]
    write(path, levels, 30.0)
    with av.open(str(path)) as container:
        found = [int(frame.to_ndarray(format="rgb24")[20, 20, 0]) for frame in container.decode()]
    np.testing.assert_allclose(found, [level[0] for level in levels], atol=4)


def test_odd_sides_become_even(tmp_path: Path) -> None:
    writer = mp4_writer(tmp_path / "a.mp4", 10.0)
    for _ in range(3):
        writer.write(np.full((31, 47, 4), 255, np.uint8))
    writer.close()
    with av.open(str(tmp_path / "a.mp4")) as container:
        frames = list(container.decode(video=0))
    assert [(frame.width, frame.height) for frame in frames] == [(48, 32)] * 3


def test_writer_without_frames_makes_no_file(tmp_path: Path) -> None:
    writer = mp4_writer(tmp_path / "a.mp4", 10.0)
    writer.close()
    writer.abort()
    assert not list(tmp_path.iterdir())


def test_abort_lets_go_of_the_file(tmp_path: Path) -> None:
    writer = mp4_writer(tmp_path / "a.mp4", 10.0)
    for _ in range(100):
        writer.write(np.zeros((16, 16, 4), np.uint8))
    writer.abort()
    writer.abort()
    (tmp_path / "a.mp4").unlink()
