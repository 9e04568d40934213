"""Crops of figures and of things, from three kinds of hands."""

import unicodedata
from pathlib import Path

import numpy as np
import pytest

from models.training.figure_crops import crop_kinds, draw_crops
from models.training.pictograms import Pictograms, load_pictograms
from models.training.stencils import print_stencil, sketched
from models.training.synthesis import DEFAULT_SETTINGS

CACHE = Path(__file__).parents[4] / ".training" / "pictograms"
NO_FONT = Pictograms(font=Path("none.ttf"), things=(), beings=())


@pytest.mark.parametrize("being", [True, False])
def test_stencil_is_close_around_its_ink(being: bool) -> None:
    stencil = sketched(5, np.random.default_rng(5), DEFAULT_SETTINGS, being=being)
    assert stencil is not None
    for edge in (stencil.ink[0], stencil.ink[-1], stencil.ink[:, 0], stencil.ink[:, -1]):
        assert edge.max() > 40
    assert 200 <= max(stencil.ink.shape) <= 260


def test_printed_page_shows_the_shape_in_its_box() -> None:
    stencil = sketched(5, np.random.default_rng(5), DEFAULT_SETTINGS, being=True)
    assert stencil is not None
    page = print_stencil(3, 320, stencil)
    assert page is not None
    assert max(page.image.shape) == 320
    assert page.figures == ()
    (box,) = page.things
    x1, y1, x2, y2 = box.astype(int)
    marks = np.abs(page.image.astype(int) - np.median(page.image, axis=(0, 1))).max(axis=2) > 40
    assert marks[y1:y2, x1:x2].sum() > 0.8 * marks.sum() > 0


@pytest.mark.parametrize(
    ("name", "is_figure"),
    [
        ("figures", True),
        ("odd figures", True),
        ("sketched figures", True),
        ("things", False),
        ("sketched things", False),
    ],
)
def test_crops_are_squares_of_their_kind_and_the_same_each_time(name: str, is_figure: bool) -> None:
    kind = crop_kinds(NO_FONT)[name]
    crops, again = (list(draw_crops(kind, 11, 3, 192, 0.25)) for _ in range(2))
    assert len(crops) >= 2
    assert {crop.image.shape for crop in crops} == {(192, 192, 3)}
    assert {crop.is_figure for crop in crops} == {is_figure}
    assert all((a.image == b.image).all() for a, b in zip(crops, again, strict=True))


@pytest.mark.skipif(not CACHE.is_dir(), reason="the font is fetched by the training only")
def test_pictograms_are_things_beings_or_left_out() -> None:
    font = load_pictograms(CACHE)
    things, beings = ({unicodedata.name(c) for c in part} for part in (font.things, font.beings))
    assert {"HOUSE BUILDING", "DECIDUOUS TREE", "CAT FACE", "FISH"} <= things
    assert {"SNOWMAN", "RUNNER", "DOG", "TEDDY BEAR"} <= beings
    assert not {"MAN", "BABY", "BUST IN SILHOUETTE", "PENGUIN", "MONKEY"} & things
    ink = font.draw(next(c for c in font.beings if unicodedata.name(c) == "RUNNER"), 400)
    assert ink is not None
    assert ink.max() == 255
