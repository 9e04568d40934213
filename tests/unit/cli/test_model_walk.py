"""The walk that is scored is the product's own: its figures, its masks, its turns."""

from pathlib import Path

import cv2
import numpy as np
import pytest

from animator.cli.model_walk import ProductWalk
from animator.core.geometry import Box
from models.training.annotated import AnnotatedDrawing
from models.training.scoring import TrueFigure
from tests.support_bad_images import TEXT, blank_page, encode
from tests.support_drawings import HEAD, stick_figure
from tests.support_predictor import DarkPredictor, RedHeadPredictor


@pytest.fixture
def drawing(tmp_path: Path) -> AnnotatedDrawing:
    """A stick figure with a red face, 200 x 300, and where its face and feet are."""
    image = stick_figure()
    cv2.circle(image, HEAD[0], 8, (200, 20, 20), -1)
    (tmp_path / "stick.png").write_bytes(encode(image, "PNG"))
    truth = TrueFigure(Box(50, 30, 150, 270), {"neck": HEAD[0], "left_foot": (100, 265)})
    return AnnotatedDrawing(tmp_path / "stick.png", ("pencil",), (truth,))


def test_figures_are_those_of_the_annotate_command(drawing: AnnotatedDrawing) -> None:
    walk = ProductWalk(DarkPredictor())
    (figure,) = walk.look(drawing)
    (record,) = walk.records[drawing.file].figures
    assert (figure.box.x1, figure.box.y2) == (record.box[0], record.box[3])
    assert (figure.score, figure.joints) == (record.score, record.joints)
    assert "hip" in figure.joints


def test_weak_figures_do_not_count_but_are_recorded(drawing: AnnotatedDrawing) -> None:
    walk = ProductWalk(DarkPredictor(), least_score=0.95)
    assert walk.look(drawing) == []
    assert len(walk.records[drawing.file].figures) == 1


def test_masks_cover_the_whole_picture(drawing: AnnotatedDrawing) -> None:
    (mask,) = ProductWalk(DarkPredictor()).masks_of(drawing.file)
    assert mask.shape == (300, 200)
    assert mask[HEAD[0][1], HEAD[0][0]]
    assert not mask[0].any()


def test_turned_drawing_must_be_turned_back(drawing: AnnotatedDrawing) -> None:
    sees_faces = ProductWalk(RedHeadPredictor())
    sees_faces.look(drawing)
    assert sees_faces.turns_of(drawing) == [True, True, True, True]
    never_turns = ProductWalk(RedHeadPredictor(sure=0.8, unsure=0.8))
    never_turns.look(drawing)
    assert never_turns.turns_of(drawing) == [True, False, False, False]


def test_nobody_can_tell_how_an_unmarked_drawing_stands(drawing: AnnotatedDrawing) -> None:
    unmarked = AnnotatedDrawing(drawing.file, (), (TrueFigure(Box(0, 0, 9, 9)),))
    walk = ProductWalk(DarkPredictor())
    walk.look(unmarked)
    assert walk.turns_of(unmarked) == []


def test_refused_picture_has_no_figures_and_a_missing_one_is_named(tmp_path: Path) -> None:
    (tmp_path / "bad.png").write_bytes(TEXT)
    walk = ProductWalk(DarkPredictor())
    bad = AnnotatedDrawing(tmp_path / "bad.png", (), (TrueFigure(Box(0, 0, 9, 9), {"a": (1, 1)}),))
    assert walk.look(bad) == []
    assert walk.turns_of(bad) == []
    assert walk.masks_of(bad.file) == []
    with pytest.raises(FileNotFoundError, match=r"gone\.png"):
        walk.look(AnnotatedDrawing(tmp_path / "gone.png", (), ()))


def test_blank_page_has_no_figure(tmp_path: Path) -> None:
    (tmp_path / "blank.png").write_bytes(encode(blank_page(), "PNG"))
    walk = ProductWalk(DarkPredictor())
    assert walk.look(AnnotatedDrawing(tmp_path / "blank.png", (), ())) == []
    assert np.array_equal(walk.masks_of(tmp_path / "blank.png"), [])
