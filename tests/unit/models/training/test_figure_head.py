"""The head that tells figures from things: fitted on what the network's layers say of crops."""

import numpy as np
import pytest

pytest.importorskip("torch", reason="the head is fitted with the extra `torch`")

from models.training.figure_head import Shown, fit_head


def shown(count: int, middle: float, *, is_figure: bool, seed: int) -> Shown:
    """Two values of each crop: the first tells, the second is noise, a thousand times as large."""
    dice = np.random.default_rng(seed)
    values = np.stack((dice.normal(middle, 1, count), dice.normal(0, 1000, count)), axis=1)
    return Shown(values.astype(np.float32), is_figure)


FIGURES = shown(400, 2.0, is_figure=True, seed=1)
THINGS = shown(400, -2.0, is_figure=False, seed=2)
UNSEEN = shown(1000, 2.0, is_figure=True, seed=3)


def test_three_in_a_hundred_of_the_held_back_figures_are_lost() -> None:
    head = fit_head([FIGURES, THINGS], UNSEEN.values)
    assert head.believes(UNSEEN.values).mean() == pytest.approx(0.97, abs=0.002)


def test_what_tells_figures_from_things_is_gone_by() -> None:
    head = fit_head([FIGURES, THINGS], UNSEEN.values)
    # 1.9 deviations below the figures' middle, which is 2.1 above the things' middle
    assert head.believes(shown(4000, -2.0, is_figure=False, seed=4).values).mean() < 0.04
    assert abs(head.weight[1]) * 1000 < 0.1 * abs(head.weight[0])


def test_many_crops_of_one_kind_do_not_drown_the_others() -> None:
    flood = shown(40_000, 2.0, is_figure=True, seed=5)
    alone = fit_head([FIGURES, THINGS], UNSEEN.values)
    flooded = fit_head([FIGURES, flood, THINGS], UNSEEN.values)
    at = THINGS.values
    assert flooded.believes(at).mean() == pytest.approx(alone.believes(at).mean(), abs=0.02)
