"""Endless streams of training batches, drawn on the fly and deterministic by seed."""

from collections.abc import Iterator

import cv2
import numpy as np
import torch
from torch import Tensor
from torch.utils.data import DataLoader, IterableDataset, get_worker_info

from models.drawn_humanoid_detector.network import INPUT_SIDE as DETECTOR_SIDE
from models.drawn_humanoid_pose_estimator.network import INPUT_SIDE as POSE_SIDE
from models.training.augment import PoseExample, detector_example, pose_example, thing_example
from models.training.mixing import Draw
from models.training.synthesis import synthesize

__all__ = ("DetectorBatch", "PoseBatch", "detector_batches", "pose_batches")

PoseBatch = tuple[Tensor, Tensor, Tensor, Tensor, Tensor]
"""Images (B, 3, S, S) uint8, keypoints (B, 17, 3) float32, masks (B, S, S) bool, turns (B,) int64,
and whether there is a figure, (B,) bool."""

DetectorBatch = tuple[list[Tensor], list[dict[str, Tensor]]]
"""Images (3, S, S) float in [0, 1], and targets as torchvision's Mask R-CNN takes them."""

_VIEWS = 3  # crops taken of each figure: a crop costs a tenth of a drawing
_SHUFFLE = 192  # examples held back, so that the views of one figure meet in no batch


def pose_batches(
    first_seed: int, batch_size: int, workers: int, draw: Draw = synthesize
) -> Iterator[PoseBatch]:
    """Batches for the pose network; `workers` processes draw, 0 draws in this one."""
    return iter(DataLoader(_PoseStream(first_seed, draw), batch_size, num_workers=workers))


def detector_batches(
    first_seed: int, batch_size: int, workers: int, draw: Draw = synthesize
) -> Iterator[DetectorBatch]:
    """Batches for the detector; `workers` processes draw, 0 draws in this one."""
    stream = _DetectorStream(first_seed, draw)
    return iter(DataLoader(stream, batch_size, num_workers=workers, collate_fn=_collate))


def _seeds(first: int) -> Iterator[int]:
    cv2.setNumThreads(1)
    info = get_worker_info()
    step = 1 if info is None else info.num_workers
    seed = first if info is None else first + info.id
    while True:
        yield seed
        seed += step


class _PoseStream(IterableDataset[PoseBatch]):
    def __init__(self, first_seed: int, draw: Draw) -> None:
        self._first_seed, self._draw = first_seed, draw

    def __iter__(self) -> Iterator[PoseBatch]:
        held: list[PoseExample] = []
        for seed in _seeds(self._first_seed):
            dice = np.random.default_rng(seed)
            sample = self._draw(seed, int(dice.choice((256, 320, 448))))
            for figure in sample.figures:
                if (figure.keypoints[:, 2] > 0).sum() < 5 or figure.mask.sum() < 100:
                    continue
                held.extend(pose_example(sample, figure, POSE_SIDE, dice) for _ in range(_VIEWS))
            held.extend(thing_example(sample, box, POSE_SIDE, dice) for box in sample.things)
            while len(held) > _SHUFFLE:
                place = int(dice.integers(len(held)))
                held[place], held[-1] = held[-1], held[place]
                yield _pose_tensors(held.pop())


def _pose_tensors(example: PoseExample) -> PoseBatch:
    return (
        torch.from_numpy(example.image).permute(2, 0, 1),
        torch.from_numpy(example.keypoints),
        torch.from_numpy(example.mask),
        torch.tensor(example.turn),
        torch.tensor(example.is_figure),
    )


class _DetectorStream(IterableDataset[tuple[Tensor, dict[str, Tensor]]]):
    def __init__(self, first_seed: int, draw: Draw) -> None:
        self._first_seed, self._draw = first_seed, draw

    def __iter__(self) -> Iterator[tuple[Tensor, dict[str, Tensor]]]:
        for seed in _seeds(self._first_seed):
            dice = np.random.default_rng(seed)
            sample = self._draw(seed, DETECTOR_SIDE)
            example = detector_example(sample, DETECTOR_SIDE, dice)
            image = torch.from_numpy(example.image).permute(2, 0, 1).float() / 255
            target = {
                "boxes": torch.from_numpy(example.boxes),
                "labels": torch.ones(len(example.boxes), dtype=torch.int64),
                "masks": torch.from_numpy(example.masks.astype(np.uint8)),
            }
            yield image, target


def _collate(items: list[tuple[Tensor, dict[str, Tensor]]]) -> DetectorBatch:
    return [image for image, _ in items], [target for _, target in items]
