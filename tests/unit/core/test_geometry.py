"""Boxes on hand-computed numbers."""

import msgspec
import pytest

from animator.core.geometry import Box, clip_box, intersection_over_union, pad_box


def test_box_knows_its_sides_and_area() -> None:
    box = Box(1, 2, 4, 8)
    assert (box.width, box.height, box.area) == (3, 6, 18)


@pytest.mark.parametrize("sides", [(1, 2, 1, 3), (1, 3, 2, 3), (2, 0, 1, 1)])
def test_box_without_area_is_refused(sides: tuple[float, float, float, float]) -> None:
    with pytest.raises(ValueError, match="x1 < x2"):
        Box(*sides)


def test_box_is_a_plain_array_on_the_wire() -> None:
    assert msgspec.json.encode(Box(1, 2, 3, 4)) == b"[1,2,3,4]"


def test_clip_cuts_to_the_picture() -> None:
    assert clip_box(Box(-5, 2, 50, 60), 40, 30) == Box(0, 2, 40, 30)


def test_clip_leaves_nothing_of_a_box_outside() -> None:
    assert clip_box(Box(41, 2, 50, 60), 40, 30) is None


def test_pad_uses_the_longer_side_on_all_sides() -> None:
    assert pad_box(Box(10, 10, 20, 30), 0.1) == Box(8, 8, 22, 32)


@pytest.mark.parametrize(
    ("other", "expected"),
    [
        pytest.param(Box(0, 0, 2, 2), 1.0, id="same"),
        pytest.param(Box(1, 0, 3, 2), 2 / 6, id="half-shifted"),
        pytest.param(Box(2, 0, 4, 2), 0.0, id="touching"),
        pytest.param(Box(0, 5, 2, 6), 0.0, id="below"),
    ],
)
def test_intersection_over_union(other: Box, expected: float) -> None:
    assert intersection_over_union(Box(0, 0, 2, 2), other) == pytest.approx(expected)
