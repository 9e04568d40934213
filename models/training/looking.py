"""A picture through both models, without what the product adds: boxes, then joints of each."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray

from animator.core.geometry import Box, clip_box, intersection_over_union, pad_box
from models.drawn_humanoid_detector.handler import DetectorHandler
from models.drawn_humanoid_pose_estimator.handler import PoseHandler
from models.training.scoring import FoundFigure, Point
from serving.handlers.handler import Handler, HandlerContext

__all__ = ("JOINTS", "Looker", "load_looker")

_PADDING = 0.1  # of the box's longer side, as the product pads
_SAME_OVERLAP = 0.45  # boxes that overlap more are one figure
_LEAST_BELIEF = 0.5  # of the pose model in a figure, as the product asks

# COCO's order: 0 nose, 5 left shoulder, 7 left elbow, 9 left wrist, 11 left hip, 13 left knee,
# 15 left ankle; the right side follows each
JOINTS: dict[str, Sequence[int]] = {
    "root": (11, 12),
    "torso": (5, 6),
    "neck": (0,),
    "left_shoulder": (5,),
    "right_shoulder": (6,),
    "left_elbow": (7,),
    "right_elbow": (8,),
    "left_hand": (9,),
    "right_hand": (10,),
    "left_hip": (11,),
    "right_hip": (12,),
    "left_knee": (13,),
    "right_knee": (14,),
    "left_foot": (15,),
    "right_foot": (16,),
}
"""Joints of a skeleton, each the middle of these COCO keypoints."""


@dataclass(frozen=True, slots=True)
class _View:
    """What the pose model says of a box: joints by name, and whether it is a figure's, [0, 1]."""

    joints: Mapping[str, Point]
    belief: float


class Looker:
    """Both handlers, one after the other.

    Args:
        detector: a loaded detector.
        pose: a loaded pose estimator.
        least_score: boxes below this are no figures, [0, 1].
    """

    def __init__(self, detector: Handler, pose: Handler, least_score: float) -> None:
        self._detector, self._pose, self._least_score = detector, pose, least_score

    def look(self, image: NDArray[np.uint8]) -> list[FoundFigure]:
        """The figures of a picture (H, W, 3) uint8 RGB, best first."""
        (found,) = self._detector.infer([{"image": image}])
        boxes: list[tuple[Box, float]] = []
        for corners, score in zip(found["boxes"], found["scores"], strict=True):
            box = Box(*(float(value) for value in corners))
            known = any(intersection_over_union(box, b) > _SAME_OVERLAP for b, _ in boxes)
            if score >= self._least_score and not known:
                boxes.append((box, float(score)))
        seen = [(self._see(image, box), box, score) for box, score in boxes]
        return [FoundFigure(b, s, v.joints) for v, b, s in seen if v.belief >= _LEAST_BELIEF]

    def silhouette(self, crop: NDArray[np.uint8]) -> NDArray[np.bool_]:
        """The pose model's mask (h, w) of a crop (h, w, 3) uint8 RGB."""
        mask = self._pose.infer([{"image": crop}])[0]["mask"]
        size = (crop.shape[1], crop.shape[0])
        return np.asarray(cv2.resize(mask, size, interpolation=cv2.INTER_LINEAR) > 0.5)

    def joints(self, image: NDArray[np.uint8], box: Box) -> Mapping[str, Point]:
        """The joints by name of the figure in a box, pixels of the picture (H, W, 3) uint8 RGB."""
        return self._see(image, box).joints

    def _see(self, image: NDArray[np.uint8], box: Box) -> "_View":
        around = clip_box(pad_box(box, _PADDING), image.shape[1], image.shape[0]) or box
        left, top = int(around.x1), int(around.y1)
        crop = image[top : int(np.ceil(around.y2)), left : int(np.ceil(around.x2))]
        seen = self._pose.infer([{"image": crop}])[0]
        points = seen["keypoints"] + (left, top)
        means = {name: points[list(places)].mean(axis=0) for name, places in JOINTS.items()}
        joints = {name: (float(x), float(y)) for name, (x, y) in means.items()}
        belief = seen.get("figure")  # imported models do not say
        return _View(joints, 1.0 if belief is None else float(belief[0]))


def load_looker(models: Path, route: str, least_score: float) -> Looker:
    """Load both models from a folder of model folders.

    Args:
        models: the folder.
        route: "onnx" or "torch", on the CPU.
        least_score: boxes below this are no figures, [0, 1].
    """
    folders = (models / "drawn_humanoid_detector", models / "drawn_humanoid_pose_estimator")
    if route == "torch":
        # The other route does without torch.
        from models.drawn_humanoid_detector.torch_route import load_network as load_detector
        from models.drawn_humanoid_pose_estimator.torch_route import load_network as load_pose

        detector = DetectorHandler(load_detector(folders[0] / "weights.safetensors", "cpu"))
        pose = PoseHandler(load_pose(folders[1] / "weights.safetensors", "cpu"))
        return Looker(detector, pose, least_score)
    detector, pose = DetectorHandler(), PoseHandler()
    detector.load(HandlerContext(model_dir=str(folders[0])))
    pose.load(HandlerContext(model_dir=str(folders[1])))
    return Looker(detector, pose, least_score)
