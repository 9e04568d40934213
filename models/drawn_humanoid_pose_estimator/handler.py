"""Keypoints and silhouette of figures, as the server calls for them."""

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from models.drawn_humanoid_pose_estimator import INPUT_SIDE
from models.drawn_humanoid_pose_estimator.decoding import decode_heatmaps, sigmoid
from models.imaging import decode_rgb
from models.letterbox import Letterbox, letterbox_for
from models.measures import measure_keypoints, measure_picture
from models.onnx_session import check_cpu_precision, open_session
from serving.handlers.handler import HandlerContext, Tensors

__all__ = ("PoseHandler",)


Outputs = tuple[NDArray[np.float32], ...]
Network = Callable[[NDArray[np.uint8]], Outputs]
"""Crops (B, 192, 192, 3) uint8 RGB to heatmap, presence, mask and figure logits."""


class PoseHandler:
    """One item: `image` (h, w, 3) uint8 RGB, the crop of one figure.

    One result: `keypoints` (17, 2) float32 in pixels of the crop and within it, COCO order;
    `scores` (17,) float32 in [0, 1]; `mask` (m, n) float32, the silhouette's probability over the
    whole crop; `figure` (1,) float32, the probability that the crop shows a figure.

    Args:
        network: already loaded, in place of `load`.
    """

    def __init__(self, network: Network | None = None) -> None:
        self._network = network

    def load(self, context: HandlerContext) -> None:
        """Open the graph on the CPU, or the torch network on a GPU."""
        folder = Path(context.model_dir)
        if context.device == "cpu":
            check_cpu_precision(context.precision)
            self._network = _onnx_network(folder / "model.onnx", context.threads)
        else:
            # torch is not installed where there is no GPU
            from models.drawn_humanoid_pose_estimator.torch_route import load_network

            weights = folder / "weights.safetensors"
            self._network = load_network(weights, context.device, context.precision)

    def decode(self, body: bytes) -> Tensors:
        """An encoded picture to one item."""
        return {"image": decode_rgb(body)}

    def infer(self, batch: Sequence[Tensors]) -> Sequence[Tensors]:
        """Look at crops of any sizes in one call of the network."""
        if self._network is None:
            msg = "load comes before infer"
            raise RuntimeError(msg)
        boxes = [letterbox_for(i["image"].shape[1], i["image"].shape[0], INPUT_SIDE) for i in batch]
        pixels = np.stack([box.apply(i["image"]) for box, i in zip(boxes, batch, strict=True)])
        parts = self._network(pixels)
        return [_result(box, part) for box, *part in zip(boxes, *parts, strict=True)]

    def encode(self, outputs: Tensors) -> object:
        """The answer that AnimatedDrawings' script reads: one skeleton with its keypoints."""
        points = np.column_stack((outputs["keypoints"], outputs["scores"]))
        return [{"keypoints": points.astype(float).tolist()}]

    def measure(self, item: Tensors, outputs: Tensors) -> Mapping[str, float]:
        """What may drift: the crops, and how the figures in them stand."""
        image = item["image"]
        placed = measure_keypoints(image, outputs["keypoints"], outputs["scores"])
        return {
            **measure_picture(image),
            **placed,
            "figure_score": float(outputs["figure"][0]),
        }


def _onnx_network(file: Path, threads: int) -> Network:
    session = open_session(file, threads)

    def run(pixels: NDArray[np.uint8]) -> Outputs:
        feed: Mapping[str, Any] = {
            "pixels": np.ascontiguousarray(pixels.transpose(0, 3, 1, 2), dtype=np.float32)
        }
        return tuple(session.run(None, feed))

    return run


def _result(box: Letterbox, parts: Sequence[NDArray[np.float32]]) -> dict[str, NDArray[np.float32]]:
    """What the network says of one crop, in the crop's own pixels."""
    heatmaps, presence, mask, figure = parts
    cells, scores = decode_heatmaps(heatmaps, presence)
    cell = box.side / heatmaps.shape[-1]
    crop = np.round((box.width / box.scale[0], box.height / box.scale[1]))
    # A peak in the margin has no place in the crop but its edge.
    points = np.clip(box.invert(np.asarray(cells * cell, dtype=np.float32)), 0, crop)
    whole = cv2.resize(sigmoid(mask), (box.side, box.side), interpolation=cv2.INTER_LINEAR)
    inside = whole[box.top : box.top + box.height, box.left : box.left + box.width]
    return {
        "keypoints": np.asarray(points, dtype=np.float32),
        "scores": scores,
        "mask": np.ascontiguousarray(inside, dtype=np.float32),
        "figure": sigmoid(np.reshape(figure, 1)),
    }
