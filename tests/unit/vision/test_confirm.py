"""Found figures that the pose model takes for something else are dropped."""

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from animator.core.detection import Detection
from animator.core.drawing import Drawing
from animator.core.geometry import Box
from animator.vision import FoundFigure, confirm, find_rotation


class Doubter:
    """Says of crops, in turn, how likely each holds a figure; None: says nothing of it."""

    def __init__(self, *chances: float | None) -> None:
        self._chances = list(chances)
        self.shapes: list[tuple[int, ...]] = []

    def infer(self, model: str, inputs: Mapping[str, NDArray[Any]]) -> Mapping[str, NDArray[Any]]:
        assert model == "drawn_humanoid_pose_estimator"
        self.shapes.append(inputs["image"].shape)
        chance = self._chances.pop(0)
        points = np.full((17, 2), 10.0, np.float32)
        points[11:, 1] = 30.0
        told = {} if chance is None else {"figure": np.array([chance], np.float32)}
        return {"keypoints": points, "scores": np.full(17, 0.9, np.float32), **told}


DRAWING = Drawing(id="d", image=np.zeros((100, 200, 3), np.uint8))


def found(*boxes: Box) -> tuple[FoundFigure, ...]:
    mask = np.ones((28, 28), np.float32)
    return tuple(FoundFigure(Detection(box=box, score=0.9), mask) for box in boxes)


LEFT, RIGHT = Box(20, 20, 60, 60), Box(120, 20, 160, 60)


def test_only_what_looks_like_a_figure_stays_and_keeps_what_was_seen() -> None:
    pose = Doubter(0.2, 0.9)
    (kept,) = confirm(DRAWING, found(LEFT, RIGHT), pose)
    assert kept.detection.box == RIGHT
    assert kept.view is not None
    assert kept.view.figure == np.float32(0.9)
    assert pose.shapes == [(48, 48, 3)] * 2  # a tenth of the longer side around each box


def test_model_that_says_nothing_of_it_drops_nothing() -> None:
    assert len(confirm(DRAWING, found(LEFT, RIGHT), Doubter(None, None))) == 2


def test_way_up_is_not_asked_again_of_a_figure_that_was_seen_standing() -> None:
    pose = Doubter(0.9)
    kept = confirm(DRAWING, found(LEFT), pose)
    assert find_rotation(DRAWING, kept, pose) == 0
    assert len(pose.shapes) == 1


def test_nothing_found_needs_no_look() -> None:
    assert confirm(DRAWING, (), Doubter()) == ()
