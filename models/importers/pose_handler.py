"""Keypoints of figures, from an imported top-down network or keypoint R-CNN.

They see no silhouette, so the answer holds no `mask`.
"""

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from models.imaging import decode_rgb
from models.importers.conventions import RegionConventions, TopDownConventions
from models.importers.description import GRAPH, WEIGHTS, Description, read_description
from models.importers.heatmaps import Points, points_of_box, points_of_view
from models.importers.preparing import inner_box, prepare_crop, prepare_picture
from models.measures import measure_keypoints, measure_picture
from models.onnx_session import open_session
from serving.handlers.handler import HandlerContext, Tensors

__all__ = ("ImportedPoseHandler", "look_with_regions", "look_with_view")

Arrays = Sequence[NDArray[np.float32]]
Network = Callable[[dict[str, NDArray[Any]]], Arrays]
"""Inputs of the graph by name to its outputs."""

Look = Callable[[NDArray[np.uint8]], Points]
"""A crop to points in its pixels and scores."""


class ImportedPoseHandler:
    """Takes the tensors of `models.drawn_humanoid_pose_estimator.handler`, gives no `mask`.

    Args:
        look: already loaded, in place of `load`.
    """

    def __init__(self, look: Look | None = None) -> None:
        self._look = look

    def load(self, context: HandlerContext) -> None:
        """Open the graph on the CPU where there is one; else the torch network."""
        folder = Path(context.model_dir)
        description = read_description(folder)
        if context.device == "cpu" and (folder / GRAPH).is_file():
            network = _onnx_network(folder / GRAPH, context.threads)
        else:
            # torch is not installed where the graph does
            from models.importers.torch_route import load_pose

            network = load_pose(description, folder / WEIGHTS, context.device)
        self._look = _look_with(description, network)

    def decode(self, body: bytes) -> Tensors:
        """An encoded picture to one item."""
        return {"image": decode_rgb(body)}

    def infer(self, batch: Sequence[Tensors]) -> Sequence[Tensors]:
        """Look at each crop."""
        if self._look is None:
            msg = "load comes before infer"
            raise RuntimeError(msg)
        found = [self._look(item["image"]) for item in batch]
        return [{"keypoints": points, "scores": scores} for points, scores in found]

    def encode(self, outputs: Tensors) -> object:
        """The answer that AnimatedDrawings' script reads: one skeleton with its keypoints."""
        points = np.column_stack((outputs["keypoints"], outputs["scores"]))
        return [{"keypoints": points.astype(float).tolist()}]

    def measure(self, item: Tensors, outputs: Tensors) -> Mapping[str, float]:
        """What may drift: the crops, and how the figures in them stand."""
        image = item["image"]
        placed = measure_keypoints(image, outputs["keypoints"], outputs["scores"])
        return {**measure_picture(image), **placed}


def look_with_view(network: Network, conventions: TopDownConventions) -> Look:
    """A top-down network on crops."""

    def look(image: NDArray[np.uint8]) -> Points:
        view = prepare_crop(image, conventions)
        ((heatmaps,),) = network({"image": view.pixels[None]})
        stride = conventions.input_width / heatmaps.shape[-1]
        points, scores = points_of_view(heatmaps, stride)
        # its places are of pixels' corners, ours of the picture: a pixel's centre is at one half
        return points * view.scale + view.origin + np.float32(0.5), scores

    return look


def look_with_regions(network: Network, conventions: RegionConventions) -> Look:
    """Keypoint R-CNN on crops: the best figure it finds counts; else the one that is expected."""

    def look(image: NDArray[np.uint8]) -> Points:
        planes = prepare_picture(image, conventions)
        expected = inner_box(image.shape[1], image.shape[0]) * np.tile(planes.scale, 2)
        inputs: dict[str, NDArray[Any]] = {
            "image": planes.pixels,
            "size": planes.size,
            "expected": expected[None],
        }
        (box,), (heatmaps,) = network(inputs)
        points, logits = points_of_box(heatmaps, box)
        scores = 1 / (1 + np.exp(-np.clip(logits, -40, 40)))
        return points / planes.scale, scores.astype(np.float32)

    return look


def _look_with(description: Description, network: Network) -> Look:
    if description.top_down is not None:
        return look_with_view(network, description.top_down[1])
    if description.regions is not None and description.regions[0].keypoint:
        return look_with_regions(network, description.regions[1])
    msg = f"{description.kind} finds no keypoints"
    raise ValueError(msg)


def _onnx_network(file: Path, threads: int) -> Network:
    session = open_session(file, threads)

    def run(inputs: dict[str, NDArray[Any]]) -> Arrays:
        outputs: Arrays = session.run(None, inputs)
        return outputs

    return run
