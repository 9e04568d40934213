from pathlib import Path

import cv2
import numpy as np
import pytest

from models.training.synthesis import LabelledFigure, Sample
from models.training.synthesis.__main__ import main
from models.training.synthesis.clutter import CLUTTER_NAMES, draw_clutter
from models.training.synthesis.dice import Dice
from models.training.synthesis.letters import GLYPHS, write
from models.training.synthesis.settings import FigureLook
from models.training.synthesis.sheet import contact_sheet, overlay
from models.training.synthesis.sketch import Hand, Sketch


def labelled() -> Sample:
    mask = np.zeros((20, 30), bool)
    mask[5:15, 10:20] = True
    figure = LabelledFigure(
        np.array((10, 5, 20, 15), np.float32), mask, np.zeros((17, 3), np.float32)
    )
    return Sample(np.zeros((20, 30, 3), np.uint8), (figure,), ())


def test_overlay_marks_the_mask_and_the_box_and_leaves_the_sample_alone() -> None:
    sample = labelled()
    drawn = overlay(sample)
    assert drawn[10, 15].tolist() == [18, 60, 27]
    assert drawn[5, 10].tolist() == [0, 150, 0]
    assert drawn[2, 2].tolist() == [0, 0, 0]
    assert not sample.image.any()


def test_sheet_has_room_for_every_picture() -> None:
    sheet = contact_sheet([labelled()] * 3, columns=2, labels=False)
    assert sheet.shape == (68, 68, 3)


def test_command_writes_a_sheet(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    target = tmp_path / "sheet.png"
    words = ["synthesis", "--count", "3", "--columns", "3", "--size", "192", "-o", str(target)]
    monkeypatch.setattr("sys.argv", words)
    main()
    image = cv2.imread(str(target))
    assert image is not None
    assert image.shape == (196, 588, 3)


@pytest.mark.parametrize("name", CLUTTER_NAMES)
def test_clutter_of_every_name_is_about_one_unit_large_and_has_no_limbs(name: str) -> None:
    for seed in range(6):
        sketch = Sketch(Hand(Dice(seed)), FigureLook())
        draw_clutter(sketch, name)
        low, high = sketch.bounds()
        assert 0.1 < float((high - low).max()) < 5
        assert not sketch.joints[5:].any()


def test_command_takes_changed_settings(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    target = tmp_path / "sheet.png"
    changed = '{"papers": {"white": 1}, "empty": 1}'
    words = ["synthesis", "--count", "1", "--columns", "1", "--settings", changed]
    monkeypatch.setattr("sys.argv", [*words, "-o", str(target)])
    main()
    image = cv2.imread(str(target))
    assert image is not None
    assert np.median(image[:300, :320]) > 200


def test_writing_fits_into_its_line() -> None:
    assert all(
        len(pair) == 2 for glyph in GLYPHS.values() for pair in glyph.replace("/", " ").split()
    )
    strokes = write(Dice(0), 5)
    every = np.concatenate(strokes)
    assert every.min() > -0.1
    assert every[:, 0].max() < 1.1
