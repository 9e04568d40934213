"""Pictures that no drawing looks like, through the whole product with the models that ship."""

import tracemalloc
from collections.abc import Callable

import numpy as np
import pytest

from animator.cli.drawings import LocalModels
from animator.core.annotation import FigureAnnotation
from animator.core.drawing import Drawing
from animator.core.geometry import Box, intersection_over_union
from animator.core.mask import mask_from_run_lengths
from animator.pipeline import annotate
from tests import support_adversarial as pictures
from tests.support_adversarial import Image

EMPTY = (
    pictures.noise,
    pictures.black,
    pictures.white,
    pictures.checkers,
    pictures.stripes,
)
ODD_FIGURES = (
    pictures.thin_lines,
    pictures.blackboard,
    pictures.touching_all_edges,
    pictures.huge_photo,
    pictures.huge_filled_photo,
)


@pytest.fixture(scope="module")
def models() -> LocalModels:
    return LocalModels()


def assert_whole(figure: FigureAnnotation, image: Image) -> None:
    """Box in the picture, mask of the box's size and not empty, joints in the box."""
    box = figure.box
    assert 0 <= box.x1 < box.x2 <= image.shape[1]
    assert 0 <= box.y1 < box.y2 <= image.shape[0]
    assert figure.mask is not None
    mask = mask_from_run_lengths(figure.mask).data
    assert mask.shape == (box.height, box.width)
    assert mask.any()
    assert figure.skeleton is not None
    for joint in figure.skeleton.joints:
        assert 0 <= joint.x <= box.width
        assert 0 <= joint.y <= box.height
        assert 0 <= joint.score <= 1


def box_of_marks(image: Image) -> Box:
    """The box around all that departs from the colour in the picture's middle left."""
    ground = image[image.shape[0] // 3, 0].astype(np.int16)
    step = max(image.shape[0] // 800, 1)
    marks = np.abs(image[::step, ::step].astype(np.int16) - ground).max(axis=2) > 60
    rows, columns = np.flatnonzero(marks.any(axis=1)), np.flatnonzero(marks.any(axis=0))
    x1, x2, y1, y2 = columns[0], columns[-1] + 1, rows[0], rows[-1] + 1
    return Box(*(float(step * value) for value in (x1, y1, x2, y2)))


@pytest.mark.parametrize("draw", EMPTY)
def test_nothing_is_seen_where_no_figure_is(draw: Callable[[], Image], models: LocalModels) -> None:
    annotation = annotate(Drawing("x", draw()), models, lambda step, share: None)
    assert annotation.figures == ()


@pytest.mark.parametrize("draw", [pictures.dots, pictures.scribble])
def test_what_is_seen_in_chaos_is_whole(draw: Callable[[], Image], models: LocalModels) -> None:
    image = draw()
    for figure in annotate(Drawing("x", image), models, lambda step, share: None).figures:
        assert_whole(figure, image)


@pytest.mark.parametrize("draw", ODD_FIGURES)
def test_odd_figure_is_found_whole(draw: Callable[[], Image], models: LocalModels) -> None:
    image = draw()
    annotation = annotate(Drawing("x", image), models, lambda step, share: None)
    assert (annotation.width, annotation.height) == (image.shape[1], image.shape[0])
    (figure,) = annotation.figures
    assert_whole(figure, image)
    assert intersection_over_union(figure.box, box_of_marks(image)) > 0.97
    assert figure.skeleton is not None
    joints = {joint.name: joint for joint in figure.skeleton.joints}
    middle, height = figure.box.width / 2, figure.box.height
    for side, sign in (("left", 1), ("right", -1)):
        hand, foot = joints[f"{side}_hand"], joints[f"{side}_foot"]
        assert sign * (hand.x - middle) > 0.8 * middle
        assert sign * (foot.x - middle) > 0.1 * middle
        assert foot.y > 0.9 * height
    assert joints["neck"].y < 0.3 * height
    assert abs(joints["neck"].x - middle) < 0.1 * middle


def test_huge_figure_takes_little_memory_beside_its_pixels(models: LocalModels) -> None:
    drawing = Drawing("x", pictures.huge_filled_photo())
    tracemalloc.start()
    annotate(drawing, models, lambda step, share: None)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 300e6
