from dataclasses import replace

import numpy as np

from models.training.synthesis.curves import polyline
from models.training.synthesis.dice import Dice
from models.training.synthesis.ink import Inker, blots, silhouette
from models.training.synthesis.pens import Pen, PenKind
from models.training.synthesis.sketch import Mark, MarkKind

PEN = Pen(PenKind.FELT, (0, 0, 0), 0.02, opacity=1.0)
SQUARE = polyline(((4, 4), (4, 16), (16, 16), (16, 4)))
LEVEL = Mark(MarkKind.STROKE, polyline(((2, 10), (18, 10))))
UPRIGHT = Mark(MarkKind.STROKE, polyline(((10, 2), (10, 18))))


def white() -> np.ndarray[tuple[int, ...], np.dtype[np.float32]]:
    return np.full((20, 20, 3), 255, np.float32)


def test_silhouette_of_a_line_has_its_width() -> None:
    for width in (2.0, 4.0, 6.0):
        mask = silhouette([LEVEL], (20, 20), width)
        assert abs(mask[:, 10].sum() - width) <= 1
        assert mask[9:11, 10].all()


def test_silhouette_fills_areas_without_ink() -> None:
    mask = silhouette([Mark(MarkKind.SOLID, SQUARE)], (20, 20), 1.0)
    assert mask[10, 10]
    assert not mask[1, 1]
    assert 12 * 12 <= mask.sum() <= 13 * 13


def test_solid_marks_leave_no_ink() -> None:
    canvas = white()
    Inker(Dice(0), PEN, 2.0, 20.0).draw(canvas, [Mark(MarkKind.SOLID, SQUARE)])
    assert (canvas == 255).all()


def test_stroke_darkens_only_its_own_pixels() -> None:
    canvas = white()
    Inker(Dice(0), PEN, 3.0, 20.0).draw(canvas, [LEVEL])
    assert canvas[10, 10].max() < 30
    assert (canvas[:6] == 255).all()


def test_crossing_of_thin_ink_is_darker_than_its_strokes() -> None:
    canvas = white()
    pen = replace(PEN, overlap=0.5)
    Inker(Dice(0), pen, 3.0, 20.0).draw(canvas, [LEVEL, UPRIGHT])
    crossing, stroke = canvas[10, 10, 0], canvas[10, 5, 0]
    assert crossing < 30
    assert 100 < stroke < 160


def test_fill_colours_its_area_in_its_own_colour() -> None:
    canvas = white()
    pen = replace(PEN, kind=PenKind.DIGITAL)
    mark = Mark(MarkKind.FILL, SQUARE, (200, 30, 40))
    Inker(Dice(0), pen, 1.0, 20.0).draw(canvas, [mark])
    np.testing.assert_allclose(canvas[10, 10], (200, 30, 40))
    np.testing.assert_allclose(canvas[1, 1], 255)


def test_stretched_strokes_are_thicker_across_the_stretch() -> None:
    inker = Inker(Dice(0), PEN, 4.0, 20.0, stretch=(1.5, 0.6))
    level, upright = white(), white()
    inker.draw(level, [LEVEL])
    inker.draw(upright, [UPRIGHT])
    assert (upright[10, :, 0] < 128).sum() > (level[:, 10, 0] < 128).sum()


def test_blots_lie_at_both_ends_of_strokes_and_nowhere_else() -> None:
    pen = replace(PEN, blot=1.0)
    dots = blots(Dice(0), pen, [LEVEL, Mark(MarkKind.SOLID, SQUARE)], 3.0)
    centres = [dot.points.mean(0) for dot in dots]
    np.testing.assert_allclose(centres, ((2, 10), (18, 10)), atol=1e-9)
    assert blots(Dice(0), PEN, [LEVEL], 3.0) == []


def test_marks_outside_the_picture_do_no_harm() -> None:
    canvas = white()
    far = Mark(MarkKind.STROKE, LEVEL.points + 500)
    Inker(Dice(0), PEN, 2.0, 20.0).draw(canvas, [far])
    assert (canvas == 255).all()
    assert not silhouette([far], (20, 20), 2.0).any()
