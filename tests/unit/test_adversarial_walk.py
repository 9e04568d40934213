"""Pictures that no drawing looks like, through the whole product with the models that ship."""

from collections.abc import Callable

import pytest

from animator.cli.drawings import LocalModels
from animator.core.annotation import FigureAnnotation
from animator.core.drawing import Drawing
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
    # all of these fill most of their picture, from head to foot
    assert figure.box.height > 0.7 * image.shape[0]
