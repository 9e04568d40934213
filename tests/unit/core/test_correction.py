"""Corrections: what an annotation can be, and what a change makes of it."""

from typing import Any

import msgspec
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from animator.core.annotation import Annotation, FigureAnnotation
from animator.core.correction import (
    FigureChange,
    add_figure,
    change_figure,
    remove_figure,
    replace_figures,
)
from animator.core.errors import InvalidAnnotation, InvalidBox, InvalidMask, InvalidSkeleton
from animator.core.geometry import Box
from animator.core.mask import Mask, RunLengths, run_lengths_from_mask
from animator.core.skeleton import Joint, Skeleton

BOX = Box(1, 2, 21, 12)
FIGURE = FigureAnnotation(id="f", box=BOX, score=0.7)
ANNOTATION = Annotation(width=40, height=30, figures=(FIGURE,), revision=4)


def mask_of(height: int, width: int, filled: bool = True) -> RunLengths:
    return run_lengths_from_mask(Mask(np.full((height, width), filled)))


def joints(count: int, **joint: Any) -> Skeleton:
    return Skeleton(
        joints=tuple(
            Joint(
                **{
                    "name": f"j{i}",
                    "parent": f"j{i - 1}" if i else None,
                    "x": 1.0,
                    "y": 1.0,
                    **joint,
                }
            )
            for i in range(count)
        )
    )


@pytest.mark.parametrize(
    "box",
    [
        pytest.param(Box(0, 0, 41, 9), id="too far right"),
        pytest.param(Box(0, 0, 9, 31), id="too far down"),
        pytest.param(Box(-1, 0, 9, 9), id="too far left"),
        pytest.param(Box(0, -1, 9, 9), id="too far up"),
        pytest.param(Box(0.5, 0, 9, 9), id="half a pixel"),
        pytest.param(Box(0, 0, 1e300, 9), id="huge"),
        pytest.param(Box(0, 0, float("inf"), 9), id="endless"),
        pytest.param(Box(0, 0, 7, 9), id="too narrow"),
        pytest.param(Box(0, 0, 9, 7), id="too low"),
    ],
)
def test_box_is_whole_pixels_inside_the_drawing(box: Box) -> None:
    with pytest.raises(InvalidBox):
        change_figure(ANNOTATION, "f", FigureChange(box=box))
    with pytest.raises(InvalidBox):
        add_figure(ANNOTATION, box, "g")


@pytest.mark.parametrize(
    "box", [Box(0, 0, 40, 30), Box(32, 22, 40, 30)], ids=["all of it", "smallest"]
)
def test_box_may_be_anything_inside(box: Box) -> None:
    assert add_figure(ANNOTATION, box, "g").figures[1].box == box


@pytest.mark.parametrize(
    "mask",
    [
        pytest.param(mask_of(10, 20, filled=False), id="no pixel"),
        pytest.param(mask_of(10, 19), id="other size"),
        pytest.param(mask_of(20, 10), id="sides exchanged"),
        pytest.param(RunLengths(size=(10, 20), counts="0"), id="too short"),
        pytest.param(RunLengths(size=(10, 20), counts=""), id="nothing"),
        pytest.param(RunLengths(size=(10, 20), counts="no !"), id="no run lengths"),
        pytest.param(RunLengths(size=(10, 20), counts="o" * 10_000), id="run without end"),
        pytest.param(RunLengths(size=(10, 20), counts="ü"), id="not ascii"),
        pytest.param(RunLengths(size=(-10, -20), counts=mask_of(10, 20).counts), id="below zero"),
    ],
)
def test_mask_has_the_size_of_its_box_and_a_pixel(mask: RunLengths) -> None:
    with pytest.raises(InvalidMask):
        change_figure(ANNOTATION, "f", FigureChange(mask=mask))


def test_mask_may_have_parts_and_holes() -> None:
    data = np.zeros((10, 20), np.bool_)
    data[1:4, 1:4] = data[6:9, 10:13] = True
    data[2, 2] = False
    lengths = run_lengths_from_mask(Mask(data))
    changed = change_figure(ANNOTATION, "f", FigureChange(mask=lengths))
    assert changed.figures[0].mask == lengths


@pytest.mark.parametrize(
    "skeleton",
    [
        pytest.param(joints(65), id="too many"),
        pytest.param(joints(1, name=""), id="no name"),
        pytest.param(joints(1, name="x" * 101), id="long name"),
        pytest.param(joints(1, name="a\nb"), id="name of two lines"),
        pytest.param(joints(1, x=40.1), id="more than a box to the right"),
        pytest.param(joints(1, x=-20.1), id="more than a box to the left"),
        pytest.param(joints(1, y=20.1), id="more than a box below"),
        pytest.param(joints(1, y=-10.1), id="more than a box above"),
        pytest.param(joints(1, score=1.1), id="score above one"),
        pytest.param(joints(1, score=-0.1), id="score below zero"),
    ],
)
def test_skeleton_is_within_bounds(skeleton: Skeleton) -> None:
    with pytest.raises(InvalidSkeleton):
        change_figure(ANNOTATION, "f", FigureChange(skeleton=skeleton))


@pytest.mark.parametrize(
    "skeleton",
    [joints(64), joints(1, x=40.0, y=20.0), joints(1, x=-20.0, y=-10.0, name="x" * 100)],
    ids=["most joints", "lowest right", "highest left"],
)
def test_skeleton_may_reach_a_box_beyond_its_own(skeleton: Skeleton) -> None:
    changed = change_figure(ANNOTATION, "f", FigureChange(skeleton=skeleton))
    assert changed.figures[0].skeleton == skeleton


@pytest.mark.parametrize(
    "ids", [["a", "a"], [""], ["a b"], ["x" * 65], ["../a"], [f"f{i}" for i in range(21)]]
)
def test_figures_have_ids_of_their_own_and_are_no_more_than_twenty(ids: list[str]) -> None:
    figures = tuple(FigureAnnotation(id=id, box=BOX) for id in ids)
    with pytest.raises(InvalidAnnotation):
        replace_figures(ANNOTATION, figures)


def test_draw_order_names_joints_within_bounds() -> None:
    long = msgspec.structs.replace(FIGURE, limbs={"x" * 101: "back"})
    many = msgspec.structs.replace(FIGURE, limbs={f"j{i}": "back" for i in range(65)})
    for figure in (long, many):
        with pytest.raises(InvalidSkeleton):
            replace_figures(ANNOTATION, (figure,))


def test_figures_that_were_there_before_are_taken_as_they_are() -> None:
    # what an older program stored may be out of our bounds, and must not keep the rest from use
    tiny = FigureAnnotation(id="tiny", box=Box(0, 0, 3, 3))
    stored = msgspec.structs.replace(ANNOTATION, figures=(tiny, FIGURE))
    changed = change_figure(stored, "f", FigureChange(hidden=True))
    assert changed.figures == (tiny, msgspec.structs.replace(FIGURE, hidden=True))


def test_other_box_drops_what_is_not_given_along_with_it() -> None:
    whole = msgspec.structs.replace(
        FIGURE, mask=mask_of(10, 20), skeleton=joints(2), limbs={"j1": "front"}
    )
    before = msgspec.structs.replace(ANNOTATION, figures=(whole,))
    box, mask = Box(0, 0, 10, 10), mask_of(10, 10)
    (moved,) = change_figure(before, "f", FigureChange(box=box)).figures
    assert moved == FigureAnnotation(id="f", box=box, limbs={"j1": "front"})
    (painted,) = change_figure(before, "f", FigureChange(box=box, mask=mask)).figures
    assert (painted.mask, painted.skeleton) == (mask, None)
    (same,) = change_figure(before, "f", FigureChange(box=BOX)).figures
    assert same == whole


def test_annotation_that_an_older_program_stored_is_read() -> None:
    stored = b'{"width": 40, "height": 30, "figures": [{"id": "f", "box": [1, 2, 21, 12]}]}'
    annotation = msgspec.json.decode(stored, type=Annotation)
    assert (annotation.job, annotation.revision) == (None, 0)
    (figure,) = annotation.figures
    assert (figure.limbs, figure.hidden, figure.is_pending) == ({}, False, True)


def test_each_change_is_the_next_revision() -> None:
    assert add_figure(ANNOTATION, BOX, "g").revision == 5
    assert change_figure(ANNOTATION, "f", FigureChange()).revision == 5
    assert remove_figure(ANNOTATION, "f").revision == 5


@given(
    st.tuples(st.integers(-5, 45), st.integers(-5, 45)),
    st.tuples(st.integers(1, 45), st.integers(1, 45)),
    st.integers(0, 22),
    st.floats(-100, 100),
)
def test_what_is_taken_is_within_bounds(
    corner: tuple[int, int], size: tuple[int, int], count: int, x: float
) -> None:
    box = Box(*corner, corner[0] + size[0], corner[1] + size[1])
    figures = tuple(
        FigureAnnotation(id=f"f{i}", box=box, skeleton=joints(1, x=x)) for i in range(count)
    )
    try:
        after = replace_figures(ANNOTATION, figures)
    except (InvalidAnnotation, InvalidSkeleton):
        return
    assert len(after.figures) <= 20
    for figure in after.figures:
        assert 0 <= figure.box.x1 <= figure.box.x2 - 8 <= 32
        assert 0 <= figure.box.y1 <= figure.box.y2 - 8 <= 22
        assert -figure.box.width <= x <= 2 * figure.box.width
