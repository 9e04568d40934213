"""A pose model that knows one doll: keypoints at fixed shares of the ink's box."""

from collections.abc import Sequence

import numpy as np

from serving.handlers.handler import HandlerContext, Tensors

# x, y in shares of the box, in COCO order, for the doll that tests draw.
_DOLL = np.array(
    [
        *[(0.5, 0.12), (0.55, 0.1), (0.45, 0.1), (0.6, 0.12), (0.4, 0.12)],
        *[(0.62, 0.32), (0.38, 0.32), (0.8, 0.36), (0.2, 0.36), (0.95, 0.4), (0.05, 0.4)],
        *[(0.57, 0.62), (0.43, 0.62), (0.6, 0.8), (0.4, 0.8), (0.63, 0.97), (0.37, 0.97)],
    ]
)


class DollPose:
    def load(self, context: HandlerContext) -> None:
        pass

    def decode(self, body: bytes) -> Tensors:
        raise ValueError

    def infer(self, batch: Sequence[Tensors]) -> Sequence[Tensors]:
        return [_estimate(item["image"]) for item in batch]

    def encode(self, outputs: Tensors) -> object:
        return {}


def _estimate(image: np.ndarray) -> Tensors:
    ink = image.min(axis=2) < 128
    rows, columns = np.nonzero(ink)
    corner = np.array([columns.min(), rows.min()])
    size = np.array([np.ptp(columns), np.ptp(rows)]) + 1
    return {
        "keypoints": (corner + _DOLL * size).astype(np.float32),
        "scores": np.ones(17, np.float32),
        "mask": ink.astype(np.float32),
    }
