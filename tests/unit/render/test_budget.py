from pathlib import Path

import numpy as np
import pytest
from PIL import Image, ImageSequence

from animator.core.errors import EncodingFailed
from animator.core.scene import Background
from animator.core.stage import Stage
from animator.render import plan_scene, write_gif_within
from tests.unit.render.conftest import CORNERS, SIDE, make_moved, make_rig, make_track

FRAMES = 30
HEIGHT = 96


@pytest.fixture(scope="module")
def stage() -> Stage:
    """A square of noise that goes round for two seconds at fifteen frames a second."""
    rng = np.random.default_rng(2)
    texture = rng.integers(0, 256, (SIDE, SIDE, 4), dtype=np.uint8)
    texture[..., 3] = 255
    angles = np.linspace(0, 2 * np.pi, FRAMES, endpoint=False)
    path = np.stack((np.cos(angles), np.sin(angles)), axis=1).astype(np.float32)
    moved = make_moved(make_rig(texture), make_track(CORNERS + path[:, None], fps=15.0))
    return Stage(plan_scene([moved], HEIGHT, Background()), (moved,))


def seconds(path: Path) -> float:
    with Image.open(path) as film:
        return float(sum(frame.info["duration"] for frame in ImageSequence.Iterator(film)) / 1000)


def test_it_tells_how_often_it_plays(stage: Stage, tmp_path: Path) -> None:
    write_gif_within(stage, tmp_path / "a.gif", 10_000_000, plays=3)
    with Image.open(tmp_path / "a.gif") as picture:
        assert picture.info["loop"] == 2  # times again


def test_gif_that_fits_gives_nothing_up(stage: Stage, tmp_path: Path) -> None:
    animation = write_gif_within(stage, tmp_path / "a.gif", 10_000_000)
    assert (animation.given_up, animation.frame_count, animation.fps) == ("", FRAMES, 15.0)
    assert (animation.width, animation.height) == (HEIGHT, HEIGHT)


def test_the_smaller_it_must_be_the_more_is_given_up_and_the_length_stays(
    stage: Stage, tmp_path: Path
) -> None:
    path = tmp_path / "a.gif"
    write_gif_within(stage, path, 10_000_000)
    whole, told = path.stat().st_size, []
    for share in (0.95, 0.3, 0.1):
        animation = write_gif_within(stage, path, round(share * whole))
        assert animation.bytes == path.stat().st_size <= share * whole
        assert seconds(path) == pytest.approx(2.0, rel=0.01)
        with Image.open(path) as film:
            assert film.size == (animation.width, animation.height)
        assert animation.frame_count / animation.fps == pytest.approx(2.0, abs=0.3)
        told.append(animation.given_up)
    # colours go first, then frames, then pixels
    assert told[0] in {"64 colours", "32 colours"}
    assert "frames a second" in told[1]
    assert "pixels" not in told[1] and "pixels" in told[2]
    assert [path.name for path in tmp_path.iterdir()] == ["a.gif"]


def test_gif_that_cannot_be_so_small_is_refused_and_leaves_nothing(
    stage: Stage, tmp_path: Path
) -> None:
    with pytest.raises(EncodingFailed, match="800 bytes"):
        write_gif_within(stage, tmp_path / "a.gif", 800)
    assert not list(tmp_path.iterdir())


def test_missing_folder_is_a_failure(stage: Stage, tmp_path: Path) -> None:
    with pytest.raises(EncodingFailed):
        write_gif_within(stage, tmp_path / "no" / "a.gif", 10_000_000)
