"""The detector's tensors become figures: best first, thresholded, each once."""

from collections.abc import Mapping
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from animator.core.drawing import Drawing
from animator.core.geometry import Box
from animator.vision import detect
from animator.vision.detect import FoundFigure, is_apart


class FixedDetector:
    """Answers with the same boxes, and remembers the picture it was given."""

    def __init__(self, boxes: list[list[float]], scores: list[float]) -> None:
        self._boxes, self._scores = boxes, scores
        self.image: NDArray[np.uint8] | None = None

    def infer(self, model: str, inputs: Mapping[str, NDArray[Any]]) -> Mapping[str, NDArray[Any]]:
        assert model == "drawn_humanoid_detector"
        self.image = inputs["image"]
        count = len(self._boxes)
        return {
            "boxes": np.array(self._boxes, np.float32).reshape(count, 4),
            "scores": np.array(self._scores, np.float32),
            "masks": np.arange(count, dtype=np.float32)[:, None, None] * np.ones((1, 28, 28), "f4"),
        }


def found_in(width: int, height: int, detector: FixedDetector) -> tuple[FoundFigure, ...]:
    image = np.full((height, width, 3), 255, np.uint8)
    return detect(Drawing(id="d", image=image), detector)


def test_best_figure_comes_first_with_its_own_mask() -> None:
    detector = FixedDetector([[0, 0, 40, 90], [50, 0, 95, 90]], [0.85, 0.9])
    first, second = found_in(100, 100, detector)
    assert (first.detection.box, second.detection.box) == (Box(50, 0, 95, 90), Box(0, 0, 40, 90))
    assert first.detection.score == pytest.approx(0.9)
    assert first.mask is not None
    assert second.mask is not None
    assert (first.mask[0, 0], second.mask[0, 0]) == (1.0, 0.0)


def test_detector_of_boxes_gives_figures_without_masks() -> None:
    class BoxDetector(FixedDetector):
        def infer(
            self, model: str, inputs: Mapping[str, NDArray[Any]]
        ) -> Mapping[str, NDArray[Any]]:
            outputs = super().infer(model, inputs)
            return {name: outputs[name] for name in ("boxes", "scores")}

    (figure,) = found_in(100, 100, BoxDetector([[0, 0, 40, 90]], [0.9]))
    assert figure.detection.box == Box(0, 0, 40, 90)
    assert figure.mask is None


def test_weak_boxes_are_no_figures() -> None:
    assert found_in(100, 100, FixedDetector([[0, 0, 40, 90]], [0.2])) == ()


def test_empty_answer_is_no_figure() -> None:
    assert found_in(100, 100, FixedDetector([], [])) == ()


def test_overlapping_boxes_are_one_figure() -> None:
    detector = FixedDetector([[0, 0, 50, 90], [5, 0, 55, 90]], [0.95, 0.85])
    (only,) = found_in(100, 100, detector)
    assert only.detection.box == Box(0, 0, 50, 90)


def test_box_inside_a_better_one_is_a_part_of_it() -> None:
    detector = FixedDetector([[0, 0, 50, 90], [10, 5, 40, 30]], [0.95, 0.85])
    assert len(found_in(100, 100, detector)) == 1


def test_neighbours_that_touch_are_two_figures() -> None:
    detector = FixedDetector([[0, 0, 50, 90], [40, 0, 95, 90]], [0.95, 0.85])
    assert len(found_in(100, 100, detector)) == 2


@pytest.mark.parametrize(
    "box", [[30, 30, 30, 60], [120, 10, 150, 60], [float("nan"), 0, 10, 10]], ids=str
)
def test_box_without_area_in_the_drawing_is_dropped(box: list[float]) -> None:
    assert found_in(100, 100, FixedDetector([box], [0.9])) == ()


def test_box_is_clipped_to_the_drawing() -> None:
    (only,) = found_in(100, 100, FixedDetector([[-5, -5, 60, 130]], [0.9]))
    assert only.detection.box == Box(0, 0, 60, 100)


def test_large_picture_is_shrunk_for_the_detector_and_boxes_are_scaled_back() -> None:
    detector = FixedDetector([[100, 50, 300, 250]], [0.9])
    (only,) = found_in(2048, 1024, detector)
    assert detector.image is not None
    assert detector.image.shape == (512, 1024, 3)
    assert only.detection.box == Box(200, 100, 600, 500)


@pytest.mark.parametrize(
    ("x", "apart"), [(60.0, True), (43.0, True), (20.0, False)], ids=["aside", "touching", "over"]
)
def test_figures_are_apart_when_their_boxes_share_little(x: float, apart: bool) -> None:
    detector = FixedDetector([[0, 0, 50, 90], [x, 0, x + 30, 90]], [0.95, 0.85])
    found = found_in(100, 100, detector)
    assert all(is_apart(found[0], other) is apart for other in found[1:])
    assert len(found) == (2 if apart else 1)
