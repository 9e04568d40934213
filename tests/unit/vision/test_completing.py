"""What a person left open of a figure is found inside the box; what the person gave stays."""

from collections.abc import Mapping
from typing import Any

import msgspec
import numpy as np
import pytest
from numpy.typing import NDArray

from animator.core.annotation import FigureAnnotation
from animator.core.drawing import Drawing
from animator.core.geometry import Box
from animator.core.mask import Mask, mask_from_run_lengths, run_lengths_from_mask
from animator.core.rigging import lay_out
from animator.core.skeleton import BIPED_PARENTS
from animator.vision import complete_figure
from tests.support_drawings import draw_stick_figure, paper, stick_figure
from tests.support_predictor import DarkPredictor

AROUND = Box(20, 20, 180, 280)
"""Around the stick figure, with some paper on every side."""


class BlindPredictor:
    """Sees a figure nowhere."""

    def infer(self, model: str, inputs: Mapping[str, NDArray[Any]]) -> Mapping[str, NDArray[Any]]:
        return {
            "keypoints": np.zeros((17, 2), np.float32),
            "scores": np.zeros(17, np.float32),
            "mask": np.zeros((8, 6), np.float32),
        }


def bits(figure: FigureAnnotation) -> NDArray[np.bool_]:
    assert figure.mask is not None
    return mask_from_run_lengths(figure.mask).data


def complete(figure: FigureAnnotation, *others: FigureAnnotation) -> FigureAnnotation:
    drawing = Drawing(id="d", image=stick_figure())
    return complete_figure(drawing, figure, others, DarkPredictor())


def test_outline_and_joints_are_found_in_the_box_that_stays_as_it_is_drawn() -> None:
    found = complete(FigureAnnotation(id="f", box=AROUND))
    mask = bits(found)
    assert (found.id, found.box, mask.shape) == ("f", AROUND, (260, 160))
    # the arms end at x 35 and 165, the legs at y 265, the head begins at y 30
    rows, columns = np.flatnonzero(mask.any(axis=1)), np.flatnonzero(mask.any(axis=0))
    assert abs(columns[0] + 20 - 33) <= 3
    assert abs(columns[-1] + 20 - 167) <= 3
    assert abs(rows[0] + 20 - 28) <= 3
    assert abs(rows[-1] + 20 - 267) <= 3
    assert found.skeleton is not None
    assert [joint.name for joint in found.skeleton.joints] == list(BIPED_PARENTS)
    for joint in found.skeleton.joints:
        assert mask[int(joint.y), int(joint.x)]


def test_nothing_outside_the_box_is_taken() -> None:
    box = Box(20, 20, 180, 200)
    mask = bits(complete(FigureAnnotation(id="f", box=box)))
    assert mask.shape == (180, 160)
    # the legs go on below, and are cut
    assert mask[-1].any()


def test_mask_that_was_given_is_kept_and_the_joints_lie_on_it() -> None:
    data = np.zeros((260, 160), np.bool_)
    data[60:200, 70:90] = True
    given = FigureAnnotation(id="f", box=AROUND, mask=run_lengths_from_mask(Mask(data)))
    found = complete(given)
    assert found.mask == given.mask
    assert found.skeleton is not None
    for joint in found.skeleton.joints:
        assert data[int(joint.y), int(joint.x)]


def test_skeleton_that_was_given_is_kept() -> None:
    skeleton = lay_out("four-legs", (0.0, 0.0, 160.0, 260.0))
    found = complete(FigureAnnotation(id="f", box=AROUND, skeleton=skeleton))
    assert found.skeleton == skeleton
    assert bits(found).sum() > 1000


def test_ink_of_a_neighbour_that_reaches_into_the_box_is_left_to_it() -> None:
    page = paper(width=380)
    page[:, :200] = draw_stick_figure(page)[:, :200]
    page[:, 130:330] = np.minimum(page[:, 130:330], draw_stick_figure(paper()))
    drawing = Drawing(id="two", image=page)
    # the right one's arm ends at x 165, where the left one's arm does: their hands touch
    left = FigureAnnotation(id="left", box=Box(20, 20, 175, 280))
    left = complete_figure(drawing, left, [], DarkPredictor())
    data = np.zeros((260, 155), np.bool_)
    data[bits(left)] = True
    data[:, 146:] = False
    left = msgspec.structs.replace(left, mask=run_lengths_from_mask(Mask(data)))
    right = FigureAnnotation(id="right", box=Box(120, 20, 310, 280))
    alone = bits(complete_figure(drawing, right, [], DarkPredictor()))
    beside = bits(complete_figure(drawing, right, [left], DarkPredictor()))
    assert alone[:, :40].sum() > 3 * beside[:, :40].sum()
    assert beside[:, 60:].sum() > 0.9 * alone[:, 60:].sum()


def test_ink_is_taken_where_no_model_sees_a_figure() -> None:
    drawing = Drawing(id="d", image=stick_figure())
    found = complete_figure(drawing, FigureAnnotation(id="f", box=AROUND), [], BlindPredictor())
    mask = bits(found)
    assert mask[140, 80]  # the trunk, at (100, 160) of the drawing
    assert not mask[220, 80]  # between the legs
    assert mask.sum() < 0.3 * mask.size
    assert found.skeleton is not None


@pytest.mark.parametrize("skeleton", [None, lay_out("tail", (0.0, 0.0, 160.0, 260.0))])
def test_box_with_nothing_in_it_is_taken_whole(skeleton: Any) -> None:
    drawing = Drawing(id="blank", image=paper())
    figure = FigureAnnotation(id="f", box=AROUND, skeleton=skeleton)
    found = complete_figure(drawing, figure, [], BlindPredictor())
    assert bits(found).all()
    assert found.skeleton is not None
    assert skeleton in (None, found.skeleton)


@pytest.mark.parametrize("box", [Box(0, 0, 8, 8), Box(192, 292, 200, 300)])
def test_smallest_box_can_be_completed(box: Box) -> None:
    drawing = Drawing(id="d", image=stick_figure())
    found = complete_figure(drawing, FigureAnnotation(id="f", box=box), [], BlindPredictor())
    assert bits(found).shape == (8, 8)
    assert bits(found).any()
