import pytest

pytest.importorskip("torch", reason="training needs the extra `torch`")

import torch
from torch import Tensor

from models.training.losses import pose_loss


def outputs(x: int, y: int, *, inside: float = 20.0) -> tuple[Tensor, Tensor, Tensor]:
    """Logits of one point at a cell of an 8 x 8 grid; the mask's left half is full."""
    heatmaps = torch.full((1, 1, 8, 8), -20.0)
    heatmaps[0, 0, y, x] = 20.0
    mask = torch.full((1, 8, 8), -inside)
    mask[:, :, :4] = inside
    return heatmaps, torch.full((1, 1), 20.0), mask


MASK = torch.zeros(1, 32, 32, dtype=torch.bool)
MASK[:, :, :16] = True


def point(x: float, y: float, v: int) -> Tensor:
    return torch.tensor([[[x, y, float(v)]]])


def test_peak_at_the_point_costs_less_than_beside_it() -> None:
    truth = point(14, 10, 2)  # cell (3, 2) of four pixels
    right = pose_loss(outputs(3, 2), truth, MASK)["heatmap"]
    wrong = pose_loss(outputs(6, 2), truth, MASK)["heatmap"]
    assert right < wrong


def test_absent_point_costs_no_heatmap_but_presence() -> None:
    terms = pose_loss(outputs(3, 2), point(14, 10, 0), MASK)
    assert terms["heatmap"] == 0
    assert terms["presence"] == pytest.approx(0.2 * 20.0)


def test_unknown_point_costs_nothing_whatever_is_said_of_it() -> None:
    terms = pose_loss(outputs(3, 2), point(14, 10, -1), MASK)
    assert float(terms["heatmap"]) == float(terms["presence"]) == 0
    known = torch.cat((point(14, 10, 2), point(30, 30, -1)), dim=1)
    heatmaps, _, mask = outputs(3, 2)
    both = (heatmaps.repeat(1, 2, 1, 1), torch.tensor([[0.0, 20.0]]), mask)
    # of the two only the known one counts: log 2, not the mean of log 2 and 20
    assert pose_loss(both, known, MASK)["presence"] == pytest.approx(0.2 * 0.6931, abs=1e-4)


def test_hidden_point_counts_half_beside_a_seen_one() -> None:
    heatmaps, presence, mask = outputs(3, 2)
    both = (heatmaps.repeat(1, 2, 1, 1), presence.repeat(1, 2), mask)
    good, bad = (14.0, 10.0), (30.0, 10.0)
    seen_good = torch.tensor([[[*good, 2.0], [*bad, 1.0]]])
    seen_bad = torch.tensor([[[*good, 1.0], [*bad, 2.0]]])
    easy = pose_loss(both, seen_good, MASK)["heatmap"]
    hard = pose_loss(both, seen_bad, MASK)["heatmap"]
    assert easy < hard


def test_right_mask_costs_nothing_and_the_opposite_a_lot() -> None:
    truth = point(14, 10, 2)
    assert pose_loss(outputs(3, 2), truth, MASK)["mask"] < 0.01
    assert pose_loss(outputs(3, 2, inside=-20.0), truth, MASK)["mask"] > 10
