import json
from pathlib import Path

import cv2
import numpy as np
import pytest
from numpy.typing import NDArray

from models.training.outlines import (
    TrueOutline,
    judge_outline,
    outline_scores,
    outlines_of_characters,
    outlines_of_drawings,
)
from models.training.report import Evaluation, render_report


def square(side: int, start: int = 10) -> NDArray[np.bool_]:
    mask = np.zeros((100, 100), np.bool_)
    mask[start : start + side, start : start + side] = True
    return mask


@pytest.fixture
def truth(tmp_path: Path) -> TrueOutline:
    cv2.imwrite(str(tmp_path / "a.png"), np.full((100, 100, 3), 255, np.uint8))
    return TrueOutline("a<b>", tmp_path / "a.png", square(40))


def test_mask_that_agrees_best_counts(truth: TrueOutline) -> None:
    outcome = judge_outline(truth, [square(10), square(20), square(90, 0)])
    assert outcome.score.overlap == 0.25
    assert outcome.found.sum() == 400


def test_figure_that_was_not_found_has_no_overlap(truth: TrueOutline) -> None:
    outcome = judge_outline(truth, [])
    assert outcome.score.overlap == 0
    assert not outcome.found.any()


def test_scores_are_median_and_tenth_percentile(truth: TrueOutline) -> None:
    outcomes = [judge_outline(truth, [square(side)]) for side in (40, 20, 0)]
    assert outline_scores(outcomes) == {
        "mask IoU median": 0.25,
        "mask IoU tenth percentile": pytest.approx(0.05),
        "outline error": pytest.approx(0.25, abs=0.06),
    }
    assert outline_scores([]) == {}


def test_masks_whose_pictures_are_not_there_are_left_out(truth: TrueOutline) -> None:
    ring = [[10, 10], [49, 10], [49, 49], [10, 49]]
    masks = truth.file.parent / "masks"
    masks.mkdir()
    for name in ("a", "gone"):
        document = {"drawing": f"{name}.png", "width": 100, "height": 100, "outer": [ring]}
        (masks / f"{name}.json").write_text(json.dumps({**document, "holes": []}))
    (one,) = outlines_of_drawings(masks, truth.file.parent)
    assert one.name == "a"
    assert np.array_equal(one.data, truth.data)


def test_characters_are_read_as_animated_drawings_keeps_them(tmp_path: Path) -> None:
    for name in ("pip", "pop"):
        (tmp_path / name).mkdir()
        cv2.imwrite(str(tmp_path / name / "mask.png"), square(40).astype(np.uint8) * 255)
    cv2.imwrite(str(tmp_path / "pip" / "texture.png"), np.zeros((100, 100, 3), np.uint8))
    (one,) = outlines_of_characters(tmp_path)
    assert (one.name, one.data.sum()) == ("pip", 1600)


def test_picture_shows_what_is_right_missing_and_too_much(truth: TrueOutline) -> None:
    found = square(40)
    found[10:50, 10:30] = False
    found[60:90, 60:90] = True
    picture = judge_outline(truth, [found]).draw()
    assert picture.shape == (640, 640, 3)
    missing, right, much, paper = (
        picture[y, x] for y, x in ((128, 100), (128, 260), (480, 480), (20, 600))
    )
    assert [int(np.argmax(colour)) for colour in (missing, right, much)] == [0, 1, 2]
    assert paper.tolist() == [255, 255, 255]


def test_page_shows_the_worst_outlines(truth: TrueOutline) -> None:
    outcomes = [judge_outline(truth, [square(side)]) for side in (40, 20)]
    page = render_report({}, Evaluation((), outcomes, {}), worst=1)
    assert "The worst outlines of 2" in page
    assert "a&lt;b&gt;" in page
    assert "overlap 0.250" in page
    assert page.count("<img ") == 1
