from collections import Counter

from animator.core.geometry import Box
from models.training.scoring import FoundFigure, TrueFigure, match, score_picture

HAND = {"left_hand": (50.0, 50.0)}


def found(box: Box, score: float = 0.9, **joints: tuple[float, float]) -> FoundFigure:
    return FoundFigure(box=box, score=score, joints=joints)


def test_stronger_box_takes_the_figure_first() -> None:
    truth = [TrueFigure(Box(0, 0, 100, 100))]
    weak, strong = found(Box(0, 0, 100, 100), 0.6), found(Box(0, 0, 100, 80), 0.8)
    assert match(truth, [weak, strong]) == {0: 1}


def test_box_that_overlaps_less_than_half_finds_nothing() -> None:
    assert match([TrueFigure(Box(0, 0, 100, 100))], [found(Box(0, 0, 100, 49))]) == {}
    assert match([TrueFigure(Box(0, 0, 100, 100))], [found(Box(0, 0, 100, 50))]) == {0: 0}


def test_each_figure_is_found_once() -> None:
    truth = [TrueFigure(Box(0, 0, 100, 100)), TrueFigure(Box(200, 0, 300, 100))]
    twice = [found(Box(0, 0, 100, 100), 0.9), found(Box(0, 0, 100, 90), 0.8)]
    assert match(truth, twice) == {0: 0}


def test_of_equal_overlaps_the_last_figure_is_found() -> None:
    truth = [TrueFigure(Box(0, 0, 100, 100)), TrueFigure(Box(0, 0, 100, 100))]
    assert match(truth, [found(Box(0, 0, 100, 90), 0.9)]) == {1: 0}


def test_joints_count_by_their_distance_over_the_longer_side() -> None:
    truth = [TrueFigure(Box(0, 0, 100, 200), {"a": (0, 0), "b": (0, 0), "c": (0, 0)})]
    figure = found(Box(0, 0, 100, 200), a=(10.0, 0.0), b=(0.0, 15.0))
    expected = Counter(figures=1, predicted=1, matched=1, joints=3)
    expected.update({"right@0.05": 1, "right@0.1": 2, "right@0.2": 2})
    assert score_picture(truth, [figure]) == expected


def test_joints_of_a_figure_that_was_not_found_are_wrong() -> None:
    counts = score_picture([TrueFigure(Box(0, 0, 100, 100), HAND)], [])
    assert counts == Counter(figures=1, joints=1)


def test_figure_on_an_empty_page_is_false() -> None:
    assert score_picture([], [found(Box(0, 0, 9, 9))]) == Counter(empty=1, empty_false=1)
    assert score_picture([], []) == Counter(empty=1)
