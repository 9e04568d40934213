"""Boxes and coarse masks of figures, as the server calls for them."""

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from models.drawn_humanoid_detector import INPUT_SIDE
from models.imaging import decode_rgb
from models.letterbox import Letterbox, letterbox_for
from models.measures import measure_figures, measure_picture
from models.onnx_session import check_cpu_precision, open_session
from serving.handlers.handler import HandlerContext, Tensors

__all__ = ("DetectorHandler",)

LABEL = "drawn_humanoid"

Outputs = tuple[NDArray[np.float32], NDArray[np.float32], NDArray[np.float32]]
Network = Callable[[NDArray[np.uint8]], Outputs]
"""One picture (320, 320, 3) uint8 RGB to boxes (N, 4), scores (N,) and masks (N, 28, 28)."""

BatchNetwork = Callable[[NDArray[np.uint8]], Sequence[Outputs]]
"""Pictures (B, 320, 320, 3) uint8 RGB to what `Network` gives of each."""


class DetectorHandler:
    """One item: `image` (H, W, 3) uint8 RGB, a whole picture.

    One result, best first: `boxes` (N, 4) float32 xyxy in pixels of the picture, clipped to it;
    `scores` (N,) float32 in [0.05, 1]; `masks` (N, 28, 28) float32 probability over each box.

    Args:
        network: already loaded, in place of `load`.
    """

    def __init__(self, network: Network | None = None) -> None:
        self._find_all = _one_by_one(network) if network else None

    def load(self, context: HandlerContext) -> None:
        """Open the graph on the CPU, or the torch network on a GPU."""
        folder = Path(context.model_dir)
        if context.device == "cpu":
            check_cpu_precision(context.precision)
            self._find_all = _one_by_one(_onnx_network(folder / "model.onnx", context.threads))
            return
        # torch is not installed where there is no GPU
        from models.drawn_humanoid_detector.torch_route import load_batch_network

        weights = folder / "weights.safetensors"
        self._find_all = load_batch_network(weights, context.device, context.precision)

    def decode(self, body: bytes) -> Tensors:
        """An encoded picture to one item."""
        return {"image": decode_rgb(body)}

    def infer(self, batch: Sequence[Tensors]) -> Sequence[Tensors]:
        """Find the figures of pictures of any sizes."""
        if self._find_all is None:
            msg = "load comes before infer"
            raise RuntimeError(msg)
        images = [item["image"] for item in batch]
        boxes = [letterbox_for(image.shape[1], image.shape[0], INPUT_SIDE) for image in images]
        pixels = [box.apply(image) for box, image in zip(boxes, images, strict=True)]
        found = zip(boxes, images, self._find_all(np.stack(pixels)), strict=True)
        return [_result(box, image, *parts) for box, image, parts in found]

    def encode(self, outputs: Tensors) -> object:
        """The answer that AnimatedDrawings' script reads: a list of boxes, best first."""
        return [
            {"class_name": LABEL, "bbox": box.astype(float).tolist(), "score": float(score)}
            for box, score in zip(outputs["boxes"], outputs["scores"], strict=True)
        ]

    def measure(self, item: Tensors, outputs: Tensors) -> Mapping[str, float]:
        """What may drift: the pictures, and what is found in them."""
        image = item["image"]
        found = measure_figures(image, outputs["boxes"], outputs["scores"])
        return {**measure_picture(image), **found}


def _one_by_one(network: Network) -> BatchNetwork:
    """The graph for the CPU takes one picture a call."""
    return lambda pixels: [network(picture) for picture in pixels]


def _onnx_network(file: Path, threads: int) -> Network:
    session = open_session(file, threads)

    def run(pixels: NDArray[np.uint8]) -> Outputs:
        planes = np.ascontiguousarray(pixels.transpose(2, 0, 1)[None], dtype=np.float32)
        boxes, scores, masks = session.run(None, {"pixels": planes})
        return boxes, scores, masks

    return run


def _result(
    box: Letterbox,
    image: NDArray[np.uint8],
    boxes: NDArray[np.float32],
    scores: NDArray[np.float32],
    masks: NDArray[np.float32],
) -> dict[str, NDArray[np.float32]]:
    """Boxes back into the picture; those that lie in the margin only are dropped."""
    height, width = image.shape[:2]
    corners = box.invert(boxes.reshape(-1, 2, 2))
    corners = np.clip(corners, 0, np.array([width, height], np.float32)).reshape(-1, 4)
    kept = (corners[:, 2] - corners[:, 0] >= 1) & (corners[:, 3] - corners[:, 1] >= 1)
    order = np.argsort(-scores[kept], kind="stable")
    return {
        "boxes": np.asarray(corners[kept][order], dtype=np.float32),
        "scores": np.asarray(scores[kept][order], dtype=np.float32),
        "masks": np.asarray(masks[kept][order], dtype=np.float32),
    }
