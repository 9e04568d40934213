"""What the pose model takes for no figure is dropped."""

from collections.abc import Mapping
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from animator.core.drawing import Drawing
from animator.pipeline import annotate
from animator.vision import confirm, detect, look_closely
from tests.support_drawings import stick_figure
from tests.support_predictor import DarkPredictor


class Doubter(DarkPredictor):
    """Says how likely a crop shows a figure; the answers are given one after the other."""

    def __init__(self, *beliefs: float) -> None:
        super().__init__()
        self._beliefs = list(beliefs)

    def infer(self, model: str, inputs: Mapping[str, NDArray[Any]]) -> Mapping[str, NDArray[Any]]:
        outputs = dict(super().infer(model, inputs))
        if "keypoints" in outputs:
            outputs["figure"] = np.array([self._beliefs.pop(0)], np.float32)
        return outputs


PAGE = Drawing(id="d", image=stick_figure())


@pytest.mark.parametrize(("belief", "count"), [(0.49, 0), (0.5, 1), (1.0, 1)])
def test_figure_stays_from_a_half_on(belief: float, count: int) -> None:
    predictor = Doubter(belief)
    found = detect(PAGE, predictor)
    assert len(confirm(look_closely(PAGE, found, predictor))) == count


def test_figure_that_nobody_looked_at_stays() -> None:
    found = detect(PAGE, DarkPredictor())
    assert confirm(found) == found


def test_model_that_does_not_say_drops_nothing() -> None:
    seen = look_closely(PAGE, detect(PAGE, DarkPredictor()), DarkPredictor())
    assert confirm(seen) == seen


def test_page_of_a_dropped_figure_is_annotated_as_empty() -> None:
    predictor = Doubter(0.1)
    annotation = annotate(PAGE, predictor, lambda step, share: None)
    assert annotation.figures == ()
    assert predictor.asked.count("drawn_humanoid_pose_estimator") == 1


def test_what_is_no_figure_once_it_stands_leaves_an_empty_page_that_is_not_turned() -> None:
    # a look, three looks from the other sides, and a look at the page turned by 180 degrees
    upside_down = Drawing(id="d", image=np.ascontiguousarray(PAGE.image[::-1, ::-1]))
    predictor = _UpsideDown(0.9, 0.9, 0.9, 0.9, 0.2)
    annotation = annotate(upside_down, predictor, lambda step, share: None)
    assert annotation.figures == ()
    assert annotation.rotation == 0
    assert (annotation.width, annotation.height) == (PAGE.width, PAGE.height)


@pytest.mark.parametrize("as_it_lies", [0.9, 0.2])
def test_figure_that_is_one_once_it_stands_is_turned_and_kept(as_it_lies: float) -> None:
    upside_down = Drawing(id="d", image=np.ascontiguousarray(PAGE.image[::-1, ::-1]))
    predictor = _UpsideDown(as_it_lies, 0.9, 0.9, 0.9, 0.8, 0.8, 0.8)
    annotation = annotate(upside_down, predictor, lambda step, share: None)
    assert annotation.rotation == 180
    assert len(annotation.figures) == 1


class _UpsideDown(Doubter):
    """Sees the feet above the head in the first look, to the sides in the next, then below."""

    _SEEN = (-1.0, 0.0, 1.0, 0.0)

    def infer(self, model: str, inputs: Mapping[str, NDArray[Any]]) -> Mapping[str, NDArray[Any]]:
        outputs = dict(super().infer(model, inputs))
        if "keypoints" in outputs:
            look = self.asked.count("drawn_humanoid_pose_estimator") - 1
            down = self._SEEN[look] if look < len(self._SEEN) else 1.0
            points = np.array(outputs["keypoints"])
            middle = points.mean(axis=0)
            spread = (points - middle) * (1.0, down) if down else (points - middle)[:, ::-1]
            outputs["keypoints"] = (spread + middle).astype(np.float32)
        return outputs
