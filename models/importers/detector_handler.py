"""Boxes and coarse masks of figures, from an imported Mask R-CNN."""

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from models.imaging import decode_rgb
from models.importers.conventions import RegionConventions
from models.importers.description import GRAPH, WEIGHTS, read_description
from models.importers.preparing import Planes, prepare_picture
from models.measures import measure_figures, measure_picture
from models.onnx_session import open_session
from serving.handlers.handler import HandlerContext, Tensors

__all__ = ("ImportedDetectorHandler",)

_FIGURE = 1  # the first class after the background: the only one, or COCO's person

Outputs = tuple[NDArray[np.float32], NDArray[np.float32], NDArray[np.int64], NDArray[np.float32]]
Network = Callable[[Planes], Outputs]
"""A prepared picture to boxes (N, 4), scores (N,), labels (N,) and masks (N, 28, 28)."""


class ImportedDetectorHandler:
    """Takes and gives the tensors of `models.drawn_humanoid_detector.handler`.

    Args:
        network: already loaded with its conventions, in place of `load`.
    """

    def __init__(self, network: tuple[Network, RegionConventions] | None = None) -> None:
        self._network = network

    def load(self, context: HandlerContext) -> None:
        """Open the graph on the CPU where there is one; else the torch network."""
        folder = Path(context.model_dir)
        description = read_description(folder)
        if description.regions is None:
            msg = f"{description.kind} is no detector"
            raise ValueError(msg)
        _, conventions = description.regions
        if context.device == "cpu" and (folder / GRAPH).is_file():
            self._network = (_onnx_network(folder / GRAPH, context.threads), conventions)
        else:
            # torch is not installed where the graph does
            from models.importers.torch_route import load_detector

            network = load_detector(description, folder / WEIGHTS, context.device)
            self._network = (network, conventions)

    def decode(self, body: bytes) -> Tensors:
        """An encoded picture to one item."""
        return {"image": decode_rgb(body)}

    def infer(self, batch: Sequence[Tensors]) -> Sequence[Tensors]:
        """Find the figures of each picture; pictures differ too much to share a call."""
        if self._network is None:
            msg = "load comes before infer"
            raise RuntimeError(msg)
        network, conventions = self._network
        results = []
        for item in batch:
            planes = prepare_picture(item["image"], conventions)
            results.append(_result(item["image"], planes, network(planes)))
        return results

    def encode(self, outputs: Tensors) -> object:
        """The answer that AnimatedDrawings' script reads: a list of boxes, best first."""
        return [
            {"class_name": "drawn_humanoid", "bbox": box.tolist(), "score": float(score)}
            for box, score in zip(outputs["boxes"], outputs["scores"], strict=True)
        ]

    def measure(self, item: Tensors, outputs: Tensors) -> Mapping[str, float]:
        """What may drift: the pictures, and what is found in them."""
        image = item["image"]
        found = measure_figures(image, outputs["boxes"], outputs["scores"])
        return {**measure_picture(image), **found}


def _onnx_network(file: Path, threads: int) -> Network:
    session = open_session(file, threads)

    def run(planes: Planes) -> Outputs:
        feed = {"image": planes.pixels, "size": planes.size}
        boxes, scores, labels, masks = session.run(None, feed)
        return boxes, scores, labels, masks

    return run


def _result(
    image: NDArray[np.uint8], planes: Planes, outputs: Outputs
) -> dict[str, NDArray[np.float32]]:
    """Figures only, in pixels of the picture."""
    boxes, scores, labels, masks = outputs
    limit = np.array([image.shape[1], image.shape[0]], np.float32)
    corners = np.clip(boxes.reshape(-1, 2, 2) / planes.scale, 0, limit).reshape(-1, 4)
    kept = labels == _FIGURE
    return {
        "boxes": np.asarray(corners[kept], dtype=np.float32),
        "scores": np.asarray(scores[kept], dtype=np.float32),
        "masks": np.asarray(masks[kept], dtype=np.float32),
    }
