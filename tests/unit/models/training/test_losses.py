import pytest

pytest.importorskip("torch", reason="training needs the extra `torch`")

import torch
from torch import Tensor

from models.training.losses import pose_loss


def outputs(x: int, y: int, *, inside: float = 20.0) -> tuple[Tensor, ...]:
    """Logits of one point at a cell of an 8 x 8 grid; the mask's left half is full; upright."""
    heatmaps = torch.full((1, 1, 8, 8), -20.0)
    heatmaps[0, 0, y, x] = 20.0
    mask = torch.full((1, 8, 8), -inside)
    mask[:, :, :4] = inside
    turn, figure = torch.tensor([[20.0, 0.0, 0.0, 0.0]]), torch.tensor([20.0])
    return heatmaps, torch.full((1, 1), 20.0), mask, turn, figure


MASK = torch.zeros(1, 32, 32, dtype=torch.bool)
MASK[:, :, :16] = True
UPRIGHT = torch.zeros(1, dtype=torch.int64)
FIGURE = torch.ones(1, dtype=torch.bool)
THING = torch.zeros(1, dtype=torch.bool)


def point(x: float, y: float, v: int) -> Tensor:
    return torch.tensor([[[x, y, float(v)]]])


def test_peak_at_the_point_costs_less_than_beside_it() -> None:
    truth = point(14, 10, 2)  # cell (3, 2) of four pixels
    right = pose_loss(outputs(3, 2), (truth, MASK, UPRIGHT, FIGURE))["heatmap"]
    wrong = pose_loss(outputs(6, 2), (truth, MASK, UPRIGHT, FIGURE))["heatmap"]
    assert right < wrong


def test_absent_point_costs_no_heatmap_but_presence() -> None:
    terms = pose_loss(outputs(3, 2), (point(14, 10, 0), MASK, UPRIGHT, FIGURE))
    assert terms["heatmap"] == 0
    assert terms["presence"] == pytest.approx(0.2 * 20.0)


def test_unknown_point_costs_nothing_whatever_is_said_of_it() -> None:
    terms = pose_loss(outputs(3, 2), (point(14, 10, -1), MASK, UPRIGHT, FIGURE))
    assert float(terms["heatmap"]) == float(terms["presence"]) == 0
    known = torch.cat((point(14, 10, 2), point(30, 30, -1)), dim=1)
    heatmaps, _, mask, *others = outputs(3, 2)
    both = (heatmaps.repeat(1, 2, 1, 1), torch.tensor([[0.0, 20.0]]), mask, *others)
    # of the two only the known one counts: log 2, not the mean of log 2 and 20
    assert pose_loss(both, (known, MASK, UPRIGHT, FIGURE))["presence"] == pytest.approx(
        0.2 * 0.6931, abs=1e-4
    )


def test_hidden_point_counts_half_beside_a_seen_one() -> None:
    heatmaps, presence, mask, *others = outputs(3, 2)
    both = (heatmaps.repeat(1, 2, 1, 1), presence.repeat(1, 2), mask, *others)
    good, bad = (14.0, 10.0), (30.0, 10.0)
    seen_good = torch.tensor([[[*good, 2.0], [*bad, 1.0]]])
    seen_bad = torch.tensor([[[*good, 1.0], [*bad, 2.0]]])
    easy = pose_loss(both, (seen_good, MASK, UPRIGHT, FIGURE))["heatmap"]
    hard = pose_loss(both, (seen_bad, MASK, UPRIGHT, FIGURE))["heatmap"]
    assert easy < hard


def test_right_mask_costs_nothing_and_the_opposite_a_lot() -> None:
    truth = point(14, 10, 2)
    assert pose_loss(outputs(3, 2), (truth, MASK, UPRIGHT, FIGURE))["mask"] < 0.01
    assert pose_loss(outputs(3, 2, inside=-20.0), (truth, MASK, UPRIGHT, FIGURE))["mask"] > 10


@pytest.mark.parametrize("turn", [1, 2, 3])
def test_figure_that_does_not_stand_teaches_no_keypoints(turn: int) -> None:
    terms = pose_loss(outputs(6, 2), (point(14, 10, 2), MASK, torch.tensor([turn]), FIGURE))
    assert terms["heatmap"] == 0
    assert terms["presence"] < 1e-6
    assert terms["mask"] < 0.01
    assert terms["turn"] == pytest.approx(0.3 * 20, rel=1e-3)


def test_right_turn_costs_nothing_and_an_unknown_one_is_left_out() -> None:
    right = pose_loss(outputs(3, 2), (point(14, 10, 2), MASK, UPRIGHT, FIGURE))
    unknown = pose_loss(outputs(3, 2), (point(14, 10, 2), MASK, torch.tensor([-1]), FIGURE))
    assert right["turn"] < 1e-6
    assert unknown["turn"] == 0
    assert unknown["heatmap"] > 0


def test_thing_teaches_that_it_is_no_figure_and_nothing_else() -> None:
    truth = (point(14, 10, 2), ~MASK, torch.tensor([-1]), THING)
    terms = pose_loss(outputs(6, 2), truth)
    assert terms.pop("figure") == pytest.approx(0.3 * 20)
    assert all(float(value) == 0 for value in terms.values())


def test_figure_that_is_seen_as_one_costs_nothing_for_it() -> None:
    terms = pose_loss(outputs(3, 2), (point(14, 10, 2), MASK, UPRIGHT, FIGURE))
    assert terms["figure"] < 1e-6
