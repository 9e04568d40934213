"""Which way up a drawing is, with predictors whose answers are known."""

from collections.abc import Mapping
from typing import Any

import cv2
import numpy as np
import pytest
from numpy.typing import NDArray

from animator.core.detection import Detection
from animator.core.drawing import Drawing
from animator.core.geometry import Box
from animator.core.rotation import ROTATIONS, Rotation, rotate_drawing, undo
from animator.vision import FoundFigure, detect, find_rotation, look_closely, rotate_figures
from tests.support_drawings import HEAD, stick_figure
from tests.support_predictor import RedHeadPredictor

POSE = "drawn_humanoid_pose_estimator"


class ScriptedPose:
    """One answer a call: the mean score, and the direction from head to feet."""

    def __init__(self, *answers: tuple[float, tuple[float, float]]) -> None:
        self._answers = list(answers)

    def infer(self, model: str, inputs: Mapping[str, NDArray[Any]]) -> Mapping[str, NDArray[Any]]:
        assert model == POSE
        score, down = self._answers.pop(0)
        points = np.full((17, 2), 50.0, np.float32)
        points[11:] += np.array(down, np.float32)
        mask = np.zeros((2, 2), np.float32)
        return {"keypoints": points, "scores": np.full(17, score, np.float32), "mask": mask}

    @property
    def left(self) -> int:
        """Answers that were not asked for."""
        return len(self._answers)


DOWN, UP, ASIDE, NOWHERE = (0.0, 20.0), (0.0, -20.0), (20.0, 0.0), (0.0, 0.0)


def red_headed() -> Drawing:
    image = stick_figure()
    cv2.circle(image, HEAD[0], 8, (200, 20, 20), -1)
    return Drawing(id="red", image=image)


def decide(pose: ScriptedPose) -> Rotation:
    drawing = Drawing(id="d", image=np.zeros((100, 100, 3), np.uint8))
    detection = Detection(box=Box(20, 20, 80, 80), score=0.9)
    found = FoundFigure(detection=detection, mask=np.ones((28, 28), np.float32))
    return find_rotation(drawing, (found,), pose)


@pytest.mark.parametrize("rotation", ROTATIONS)
def test_drawing_is_turned_until_its_figure_stands(rotation: Rotation) -> None:
    predictor = RedHeadPredictor()
    stored = rotate_drawing(red_headed(), undo(rotation))
    assert find_rotation(stored, detect(stored, predictor), predictor) == rotation


def test_sure_figure_is_looked_at_once() -> None:
    pose = ScriptedPose((0.9, DOWN), (1.0, DOWN))
    assert decide(pose) == 0
    assert pose.left == 1


def test_figure_that_was_looked_at_needs_no_look_when_it_is_sure() -> None:
    page, pose = Drawing(id="d", image=np.zeros((100, 100, 3), np.uint8)), ScriptedPose((0.9, DOWN))
    one = FoundFigure(detection=Detection(box=Box(20, 20, 80, 80), score=0.9), mask=None)
    assert find_rotation(page, look_closely(page, [one], pose), pose) == 0
    assert pose.left == 0


def test_figure_that_turns_has_to_be_looked_at_anew() -> None:
    page, pose = Drawing(id="d", image=np.zeros((100, 100, 3), np.uint8)), ScriptedPose((0.9, DOWN))
    one = FoundFigure(detection=Detection(box=Box(20, 20, 80, 80), score=0.9), mask=None)
    (turned,) = rotate_figures(look_closely(page, [one], pose), 90, (100.0, 100.0))
    assert turned.view is None


def test_unsure_figure_is_looked_at_from_all_sides() -> None:
    pose = ScriptedPose((0.5, DOWN), (0.1, DOWN), (0.2, DOWN), (0.9, DOWN), (1.0, DOWN))
    assert decide(pose) == 270
    assert pose.left == 1


def test_little_better_is_not_enough_to_turn() -> None:
    assert decide(ScriptedPose((0.5, DOWN), (0.69, DOWN), (0.1, DOWN), (0.1, DOWN))) == 0
    assert decide(ScriptedPose((0.5, DOWN), (0.71, DOWN), (0.1, DOWN), (0.1, DOWN))) == 90


def test_sure_figure_with_its_head_below_is_turned() -> None:
    assert decide(ScriptedPose((0.9, UP), (0.9, ASIDE), (0.7, DOWN), (0.9, ASIDE))) == 180


def test_body_without_direction_leaves_the_drawing_as_it_is() -> None:
    assert decide(ScriptedPose(*[(0.9, NOWHERE)] * 4)) == 0


def test_page_without_figure_is_not_looked_at() -> None:
    drawing = Drawing(id="d", image=np.zeros((100, 100, 3), np.uint8))
    assert find_rotation(drawing, (), ScriptedPose()) == 0


def test_found_figure_is_turned_with_its_mask() -> None:
    mask = np.zeros((28, 28), np.float32)
    mask[0, 0] = 0.9
    detection = Detection(box=Box(10, 20, 30, 80), score=0.9)
    (turned,) = rotate_figures((FoundFigure(detection=detection, mask=mask),), 90, (100, 200))
    assert turned.detection == Detection(box=Box(120, 10, 180, 30), score=0.9)
    assert turned.mask is not None
    assert np.argwhere(turned.mask).tolist() == [[0, 27]]


def test_figure_without_a_mask_turns_with_its_drawing() -> None:
    one = FoundFigure(detection=Detection(box=Box(10, 20, 30, 80), score=0.9), mask=None)
    (turned,) = rotate_figures([one], 180, (100.0, 200.0))
    assert turned.detection.box == Box(70, 120, 90, 180)
    assert turned.mask is None
