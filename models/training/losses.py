"""What the pose network is asked for."""

import torch
from torch import Tensor
from torch.nn import functional

__all__ = ("pose_loss",)

_SIGMA = 1.0  # width of the target's peak, cells of the heatmap


def pose_loss(outputs: tuple[Tensor, ...], truth: tuple[Tensor, ...]) -> dict[str, Tensor]:
    """Loss terms of a batch.

    Figures that do not stand upright teach no keypoints: the product turns them first, and the way
    up is what tells left from right. What is no figure teaches only that.

    Args:
        outputs: heatmap logits (B, K, h, w), presence logits (B, K), mask logits (B, h, w), turn
            logits (B, 4), figure logits (B,).
        truth: keypoints (B, K, 3) x, y in pixels of the input, and v: 2 seen, 1 hidden, 0 absent,
            below 0 unknown: nothing is asked of it; masks (B, H, W) bool, at the size of the input;
            turns (B,) int64, quarter turns that set the figure upright, -1 where none does; whether
            there is a figure, (B,) bool.

    Returns:
        Cross-entropy of the heatmaps as distributions over cells, binary cross-entropy of
        presence, binary cross-entropy plus Dice loss of the mask, cross-entropy of the turns, and
        binary cross-entropy of the figure.
    """
    heatmaps, presence, mask, turn, figure = outputs
    keypoints, masks, turns, is_figure = truth
    stands = (is_figure & (turns <= 0))[:, None]
    there = keypoints[..., 2] > 0
    known = (is_figure[:, None] & (keypoints[..., 2] >= 0)).float()
    doubt = functional.binary_cross_entropy_with_logits(presence, there.float(), reduction="none")
    real = is_figure.float()
    told = functional.cross_entropy(turn, turns, ignore_index=-1, reduction="sum") / len(turns)
    return {
        "heatmap": _heatmap_loss(heatmaps, keypoints, stands, masks.shape[-1]),
        "presence": 0.2 * (doubt * known).sum() / known.sum().clamp(min=1),
        "mask": (_mask_loss(mask, masks) * real).sum() / real.sum().clamp(min=1),
        "turn": 0.3 * told,
        "figure": 0.3 * functional.binary_cross_entropy_with_logits(figure, real),
    }


def _heatmap_loss(heatmaps: Tensor, keypoints: Tensor, stands: Tensor, side: int) -> Tensor:
    """Mean cross-entropy over the keypoints that are there, the hidden ones at half weight."""
    there = stands & (keypoints[..., 2] > 0)
    weight = there * torch.where(keypoints[..., 2] > 1, 1.0, 0.5)
    cell = side / heatmaps.shape[-1]
    target = _gaussians(keypoints[..., :2] / cell, heatmaps.shape[-2], heatmaps.shape[-1])
    entropy = -(target * functional.log_softmax(heatmaps.flatten(2), dim=2)).sum(dim=2)
    return (entropy * weight).sum() / weight.sum().clamp(min=1)


def _mask_loss(mask: Tensor, masks: Tensor) -> Tensor:
    """Binary cross-entropy plus half the Dice loss, (B,)."""
    cell = round(masks.shape[-1] / mask.shape[-1])
    truth = functional.avg_pool2d(masks[:, None].float(), cell)[:, 0]
    doubt = functional.binary_cross_entropy_with_logits(mask, truth, reduction="none")
    return doubt.mean(dim=(1, 2)) + 0.5 * _dice(torch.sigmoid(mask), truth)


def _gaussians(centres: Tensor, height: int, width: int) -> Tensor:
    """Distributions (B, K, h * w) around centres (B, K, 2) in cells; they sum to one."""
    xs = torch.arange(width, device=centres.device) + 0.5
    ys = torch.arange(height, device=centres.device) + 0.5
    across = torch.exp(-((xs - centres[..., :1]) ** 2) / (2 * _SIGMA**2))
    down = torch.exp(-((ys - centres[..., 1:]) ** 2) / (2 * _SIGMA**2))
    peaks = (down[..., :, None] * across[..., None, :]).flatten(2)
    return peaks / peaks.sum(dim=2, keepdim=True).clamp(min=1e-6)


def _dice(probability: Tensor, truth: Tensor) -> Tensor:
    shared = 2 * (probability * truth).sum(dim=(1, 2)) + 1
    whole = (probability + truth).sum(dim=(1, 2)) + 1
    return 1 - shared / whole
