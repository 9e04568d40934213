import pytest

from animator.core.geometry import Box
from models.training.scoring import Point, TrueFigure
from models.training.turns import true_rotation


def figure(**joints: Point) -> TrueFigure:
    return TrueFigure(Box(0, 0, 100, 100), joints)


@pytest.mark.parametrize(
    ("head", "foot", "turn"),
    [
        pytest.param((50, 10), (50, 90), 0, id="upright"),
        pytest.param((10, 50), (90, 50), 90, id="head on the left"),
        pytest.param((50, 90), (50, 10), 180, id="upside down"),
        pytest.param((90, 50), (10, 50), 270, id="head on the right"),
        pytest.param((80, 10), (50, 90), 0, id="leaning"),
        pytest.param((90, 10), (10, 90), None, id="between two ways"),
        pytest.param((50, 50), (50, 50), None, id="all in one point"),
    ],
)
def test_picture_is_turned_until_the_head_is_above_the_feet(
    head: Point, foot: Point, turn: int | None
) -> None:
    assert true_rotation(figure(neck=head, left_foot=foot)) == turn


def test_legs_count_before_hips_and_hips_before_shoulders() -> None:
    sitting = figure(neck=(50, 10), root=(50, 60), left_knee=(50, 90), right_knee=(50, 90))
    assert true_rotation(sitting) == 0
    assert true_rotation(figure(neck=(50, 90), left_hip=(50, 10))) == 180
    assert true_rotation(figure(neck=(10, 50), torso=(60, 50))) == 90


def test_nobody_can_tell_without_both_ends() -> None:
    assert true_rotation(figure(neck=(50, 10))) is None
    assert true_rotation(figure(left_foot=(50, 10))) is None
