"""When weights that learned from corrections are better than those before."""

import pytest

pytest.importorskip("torch", reason="training needs the extra `torch`")

from animator.cli.model_corrections import why_worse
from models.training.tuning import quality


@pytest.mark.parametrize(
    ("corrections", "made_up", "said"),
    [
        pytest.param((0.8, 0.9), (0.9, 0.89), None, id="better, and little forgotten"),
        pytest.param((0.8, 0.799), (0.9, 0.95), None, id="as good but for a pixel"),
        pytest.param((0.8, 0.79), (0.9, 0.95), "held back", id="worse on corrections"),
        pytest.param((0.8, 0.9), (0.9, 0.87), "forgot", id="forgot too much"),
    ],
)
def test_new_weights_must_be_no_worse_and_forget_nothing(
    corrections: tuple[float, float], made_up: tuple[float, float], said: str | None
) -> None:
    pairs = [({"recall": a}, {"recall": b}) for a, b in (corrections, made_up)]
    why = why_worse(*pairs)
    assert (why is None) if said is None else (why is not None and said in why)


def test_quality_is_the_mean_with_errors_turned_round() -> None:
    assert quality({"recall": 1.0, "precision": 0.5, "false on empty": 0.25}) == 0.75
    assert quality({"recall": 0.5, "outline error": 0.1}) == pytest.approx(0.7)
    assert quality({}) == 0
