"""What the pose network is asked for."""

import torch
from torch import Tensor
from torch.nn import functional

__all__ = ("pose_loss",)

_SIGMA = 1.0  # width of the target's peak, cells of the heatmap


def pose_loss(
    outputs: tuple[Tensor, Tensor, Tensor], keypoints: Tensor, masks: Tensor
) -> dict[str, Tensor]:
    """Loss terms of a batch.

    Args:
        outputs: heatmap logits (B, K, h, w), presence logits (B, K), mask logits (B, h, w).
        keypoints: (B, K, 3) x, y in pixels of the input, and v: 2 seen, 1 hidden, 0 absent,
            below 0 unknown: nothing is asked of it.
        masks: (B, H, W) bool, at the size of the input.

    Returns:
        Cross-entropy of the heatmaps as distributions over cells, binary cross-entropy of
        presence, and binary cross-entropy plus Dice loss of the mask.
    """
    heatmaps, presence, mask = outputs
    cell = masks.shape[-1] / heatmaps.shape[-1]
    there = keypoints[..., 2] > 0
    weight = there * torch.where(keypoints[..., 2] > 1, 1.0, 0.5)
    target = _gaussians(keypoints[..., :2] / cell, heatmaps.shape[-2], heatmaps.shape[-1])
    entropy = -(target * functional.log_softmax(heatmaps.flatten(2), dim=2)).sum(dim=2)
    truth = functional.avg_pool2d(masks[:, None].float(), round(cell))[:, 0]
    known = (keypoints[..., 2] >= 0).float()
    doubt = functional.binary_cross_entropy_with_logits(presence, there.float(), reduction="none")
    overlap = _dice(torch.sigmoid(mask), truth)
    return {
        "heatmap": (entropy * weight).sum() / weight.sum().clamp(min=1),
        "presence": 0.2 * (doubt * known).sum() / known.sum().clamp(min=1),
        "mask": functional.binary_cross_entropy_with_logits(mask, truth) + 0.5 * overlap,
    }


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
    return (1 - shared / whole).mean()
