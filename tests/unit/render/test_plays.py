"""How often what repeats itself does so."""

from pathlib import Path

import pytest
from PIL import Image

from animator.core.animation import AnimationFormat
from animator.render.encode import encode
from tests.unit.render.test_encode import make_frames

GIF, WEBP, APNG = AnimationFormat.GIF, AnimationFormat.WEBP, AnimationFormat.APNG


@pytest.mark.parametrize(
    ("form", "plays", "told"),
    [
        pytest.param(GIF, 0, 0, id="gif for ever"),
        pytest.param(GIF, 1, None, id="gif once"),
        pytest.param(GIF, 3, 2, id="gif three times, which is twice again"),
        pytest.param(WEBP, 0, 0, id="webp for ever"),
        pytest.param(WEBP, 3, 3, id="webp three times"),
        pytest.param(APNG, 0, 0, id="apng for ever"),
        pytest.param(APNG, 3, 3, id="apng three times"),
    ],
)
def test_file_tells_how_often_it_plays(
    form: AnimationFormat, plays: int, told: int | None, tmp_path: Path
) -> None:
    encode(make_frames(3), 10.0, {form: tmp_path / "clip"}, plays)
    with Image.open(tmp_path / "clip") as picture:
        assert picture.info.get("loop") == told
