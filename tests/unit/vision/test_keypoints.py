"""The pose model's tensors become keypoints of the crop."""

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from animator.core.drawing import Figure
from animator.core.geometry import Box
from animator.vision import look_at


class FixedPose:
    """Says that every keypoint lies at (10, 20) of what it is given."""

    def infer(self, model: str, inputs: Mapping[str, NDArray[Any]]) -> Mapping[str, NDArray[Any]]:
        assert model == "drawn_humanoid_pose_estimator"
        self.shape = inputs["image"].shape
        return {
            "keypoints": np.tile(np.array([10.0, 20.0], np.float32), (17, 1)),
            "scores": np.full(17, 1.5, np.float32),
            "mask": np.zeros((4, 3), np.float64),
        }


def figure(width: int, height: int) -> Figure:
    box = Box(7.0, 9.0, 7.0 + width, 9.0 + height)
    return Figure(box=box, image=np.zeros((height, width, 3), np.uint8))


def test_small_crop_is_given_as_it_is() -> None:
    pose = FixedPose()
    view = look_at(figure(60, 80), pose)
    assert pose.shape == (80, 60, 3)
    assert view.keypoints.points[0].tolist() == [10.0, 20.0]
    assert view.mask is not None
    assert view.mask.dtype == np.float32


def test_large_crop_is_shrunk_and_points_are_scaled_back() -> None:
    pose = FixedPose()
    view = look_at(figure(1024, 512), pose)
    assert pose.shape == (256, 512, 3)
    assert view.keypoints.points[16].tolist() == [20.0, 40.0]


def test_scores_stay_within_one() -> None:
    assert look_at(figure(60, 80), FixedPose()).keypoints.scores.max() == 1.0


def test_model_without_a_mask_is_taken_as_it_is() -> None:
    class Points(FixedPose):
        def infer(
            self, model: str, inputs: Mapping[str, NDArray[Any]]
        ) -> Mapping[str, NDArray[Any]]:
            outputs = super().infer(model, inputs)
            return {name: outputs[name] for name in ("keypoints", "scores")}

    view = look_at(figure(60, 80), Points())
    assert view.mask is None
    assert view.keypoints.points[0].tolist() == [10.0, 20.0]
