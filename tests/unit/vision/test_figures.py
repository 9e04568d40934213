"""From a box to an annotation: the ink decides how large a figure is."""

from collections.abc import Mapping
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from animator.core.detection import Detection
from animator.core.drawing import Drawing
from animator.core.errors import EmptyMask
from animator.core.geometry import Box, intersection_over_union
from animator.core.mask import mask_from_run_lengths
from animator.vision import FoundFigure, Outline, annotate_figures, look_closely, outline_figure
from tests.support_drawings import draw_stick_figure, paper, stick_figure
from tests.support_predictor import DarkPredictor

TRUE_BOX = Box(33.0, 28.0, 167.0, 267.0)


def drawing(image: NDArray[np.uint8]) -> Drawing:
    return Drawing(id="d", image=image)


def found(box: Box, score: float = 0.9, belief: float | None = 0.6) -> FoundFigure:
    mask = None if belief is None else np.full((28, 28), belief, np.float32)
    return FoundFigure(detection=Detection(box=box, score=score), mask=mask)


def test_box_becomes_that_of_the_outline() -> None:
    outline = outline_figure(drawing(stick_figure()), [found(TRUE_BOX)], 0, DarkPredictor())
    assert intersection_over_union(outline.box, TRUE_BOX) > 0.88
    assert outline.mask.data.shape == (outline.box.height, outline.box.width)
    assert outline.score == 0.9


def test_limbs_cut_off_by_the_box_are_followed_and_looked_at_again() -> None:
    predictor = DarkPredictor()
    cut = Box(33.0, 28.0, 167.0, 200.0)
    outline = outline_figure(drawing(stick_figure()), [found(cut)], 0, predictor)
    assert intersection_over_union(outline.box, TRUE_BOX) > 0.88
    assert predictor.asked.count("drawn_humanoid_pose_estimator") >= 2


def test_what_was_seen_before_is_not_looked_at_again() -> None:
    predictor = DarkPredictor()
    page = drawing(stick_figure())
    seen = look_closely(page, [found(TRUE_BOX)], predictor)
    outline = outline_figure(page, seen, 0, predictor)
    assert predictor.asked == ["drawn_humanoid_pose_estimator"]
    fresh = outline_figure(page, [found(TRUE_BOX)], 0, predictor)
    assert outline.box == fresh.box
    assert (outline.mask.data == fresh.mask.data).all()
    assert (outline.keypoints.points == fresh.keypoints.points).all()


def test_looking_again_ends_also_when_the_outline_keeps_growing() -> None:
    predictor = DarkPredictor()
    head = Box(85.0, 60.0, 115.0, 100.0)
    outline_figure(drawing(stick_figure()), [found(head)], 0, predictor)
    assert predictor.asked == ["drawn_humanoid_pose_estimator"] * 3


def test_keypoints_are_given_in_the_outlines_own_space() -> None:
    outline = outline_figure(drawing(stick_figure()), [found(TRUE_BOX)], 0, DarkPredictor())
    nose = outline.keypoints.points[0] + (outline.box.x1, outline.box.y1)
    assert nose == pytest.approx((100, 71), abs=4)


def test_box_without_ink_is_an_empty_mask() -> None:
    with pytest.raises(EmptyMask):
        outline_figure(drawing(paper()), [found(TRUE_BOX)], 0, BlindPredictor())


class PointsPredictor(DarkPredictor):
    """A pose model that knows of keypoints only, as imported ones do."""

    def infer(self, model: str, inputs: Mapping[str, NDArray[Any]]) -> Mapping[str, NDArray[Any]]:
        return {k: v for k, v in super().infer(model, inputs).items() if k != "mask"}


@pytest.mark.parametrize("belief", [0.7, None], ids=["masks", "boxes"])
def test_pose_model_without_masks_leaves_the_outline_to_detector_and_ink(
    belief: float | None,
) -> None:
    boxes = [found(TRUE_BOX, belief=belief)]
    outline = outline_figure(drawing(stick_figure()), boxes, 0, PointsPredictor())
    assert intersection_over_union(outline.box, TRUE_BOX) > 0.93
    whole = np.zeros((300, 200), bool)
    x, y = int(outline.box.x1), int(outline.box.y1)
    height, width = outline.mask.data.shape
    whole[y : y + height, x : x + width] = outline.mask.data
    assert whole[60, 100]
    assert whole[120, 40]
    assert not whole[150, 60]


def test_detector_of_boxes_is_told_what_is_body_by_the_pose_model() -> None:
    outline = outline_figure(drawing(stick_figure()), [found(TRUE_BOX, belief=None)], 0, DENIER)
    x, y = int(outline.box.x1), int(outline.box.y1)
    assert not outline.mask.data[60 - y, 100 - x]


class DenyingPredictor(DarkPredictor):
    """A pose model that believes in strokes, and in nothing that they enclose."""

    def infer(self, model: str, inputs: Mapping[str, NDArray[Any]]) -> Mapping[str, NDArray[Any]]:
        dark = inputs["image"].min(axis=2) < 128
        return {**super().infer(model, inputs), "mask": np.where(dark, 0.9, 0.1)}


DENIER = DenyingPredictor()


class BlindPredictor:
    """A pose model that sees a figure everywhere."""

    def infer(self, model: str, inputs: Mapping[str, NDArray[Any]]) -> Mapping[str, NDArray[Any]]:
        return {
            "keypoints": np.zeros((17, 2), np.float32),
            "scores": np.ones(17, np.float32),
            "mask": np.full((8, 8), 0.7, np.float32),
        }


@pytest.mark.parametrize("belief", [0.6, None], ids=["masks", "boxes"])
def test_neighbours_keep_their_own_ink(belief: float | None) -> None:
    page = paper(420, 300)
    page[:, :200] = draw_stick_figure(page[:, :200])
    page[:, 200:400] = draw_stick_figure(page[:, 200:400])
    page[118:122, 160:240] = 30
    left, right = TRUE_BOX, Box(233.0, 28.0, 367.0, 267.0)
    boxes = [found(left, belief=belief), found(right, belief=belief)]
    outlines = [outline_figure(drawing(page), boxes, i, BlindPredictor()) for i in range(2)]
    assert outlines[0].box.x2 < 240
    assert outlines[1].box.x1 > 160
    assert len(annotate_figures(outlines)) == 2


def test_figure_found_twice_is_kept_once() -> None:
    halves = [found(Box(33.0, 28.0, 167.0, 200.0)), found(Box(33.0, 90.0, 167.0, 267.0), 0.8)]
    page = drawing(stick_figure())
    outlines = [outline_figure(page, halves, i, DarkPredictor()) for i in range(2)]
    (figure,) = annotate_figures(outlines)
    assert figure.id == "figure-1"
    assert figure.score == 0.9


def test_annotation_carries_mask_and_skeleton_in_figure_space() -> None:
    outline = outline_figure(drawing(stick_figure()), [found(TRUE_BOX)], 0, DarkPredictor())
    (figure,) = annotate_figures([outline])
    assert figure.mask is not None
    assert figure.skeleton is not None
    mask = mask_from_run_lengths(figure.mask)
    assert (mask.data == outline.mask.data).all()
    assert all(mask.data[int(joint.y), int(joint.x)] for joint in figure.skeleton.joints)


def test_outlines_apart_share_nothing() -> None:
    outline = outline_figure(drawing(stick_figure()), [found(TRUE_BOX)], 0, DarkPredictor())
    moved = Outline(
        score=0.5,
        box=Box(outline.box.x1 + 300, outline.box.y1, outline.box.x2 + 300, outline.box.y2),
        mask=outline.mask,
        keypoints=outline.keypoints,
    )
    assert [figure.id for figure in annotate_figures([outline, moved])] == ["figure-1", "figure-2"]
