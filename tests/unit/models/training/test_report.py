from pathlib import Path

import cv2
import numpy as np
import pytest

from animator.core.geometry import Box
from models.training.annotated import AnnotatedDrawing, read_annotated
from models.training.bar import BAR
from models.training.evaluate import Outcome, rows, scores_of
from models.training.held_out import write_held_out
from models.training.report import Evaluation, render_report
from models.training.scoring import FoundFigure, TrueFigure, score_picture

TRUE = TrueFigure(Box(10, 10, 50, 90), {"root": (30, 50), "left_hand": (10, 40)})
RIGHT = FoundFigure(TRUE.box, 0.9, {"root": (30, 50), "left_hand": (45, 40)})


@pytest.fixture
def outcomes(tmp_path: Path) -> list[Outcome]:
    """One picture half right, one without a figure in which one was seen."""
    made = []
    for name, truth in (("a<b>.png", (TRUE,)), ("empty.png", ())):
        file = tmp_path / name
        cv2.imwrite(str(file), np.full((100, 60, 3), 255, np.uint8))
        drawing = AnnotatedDrawing(file, ("pencil & ink",), truth)
        made.append(Outcome(drawing, [RIGHT], score_picture(truth, [RIGHT])))
    return made


def test_scores_by_name_leave_out_what_was_not_there(outcomes: list[Outcome]) -> None:
    assert scores_of(outcomes) == {
        "recall": 1.0,
        "precision": 1.0,
        "PCK@0.05": 0.5,
        "PCK@0.1": 0.5,
        "PCK@0.2": 0.5,
        "false on empty": 1.0,
    }
    assert "false on empty" not in scores_of(outcomes[:1])


def test_page_shows_the_worst_first_and_escapes_names(outcomes: list[Outcome]) -> None:
    page = render_report({"who": "<me>"}, Evaluation(outcomes * 3, (), {}), worst=4)
    assert page.count("<img ") == 4
    assert page.index("empty.png") < page.index("a&lt;b&gt;.png")
    assert "a<b>" not in page
    assert "<dd>&lt;me&gt;</dd>" in page
    assert "pencil &amp; ink" in page
    assert "no figure in it; 1 seen" in page
    assert "1 of 1 figures found, 1 seen; 1 of 2 joints right" in page


def test_page_has_every_row_of_the_scores(outcomes: list[Outcome]) -> None:
    page = render_report({}, Evaluation(outcomes * 3, (), {}), worst=0)
    assert page.count("<tr>") == 1 + len(BAR) + 1 + len(rows(outcomes * 3, by_tag=True))
    assert "<img" not in page


def test_page_has_the_bar_with_what_was_reached(outcomes: list[Outcome]) -> None:
    scores = {"recall": 0.96, "false on empty": 0.25}
    page = render_report({}, Evaluation(outcomes, (), scores), worst=0)
    text = page.replace("</td><td>", "|").replace('<th scope="row">', "").replace("</th><td>", "|")
    assert "recall|at least 0.95|0.960|yes</td>" in text
    assert "false on empty|at most 0.05|0.250|no</td>" in text
    assert "precision|at least 0.92|not measured|-</td>" in text


def test_held_out_drawings_read_as_annotated_ones(tmp_path: Path) -> None:
    write_held_out(tmp_path, 4)
    drawings = list(read_annotated(tmp_path))
    assert len(drawings) == 4
    assert any(figure.joints for drawing in drawings for figure in drawing.figures)
    for drawing in drawings:
        height, width = drawing.read().shape[:2]
        assert max(height, width) == 448
        assert sum(bool(figure.joints) for figure in drawing.figures) <= 1
        for figure in drawing.figures:
            assert 0 <= figure.box.x1 < figure.box.x2 <= width
            assert 0 <= figure.box.y1 < figure.box.y2 <= height
