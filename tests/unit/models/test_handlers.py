import io
import json

import numpy as np
import pytest
from numpy.typing import NDArray
from PIL import Image

from models.drawn_humanoid_detector.handler import DetectorHandler
from models.drawn_humanoid_pose_estimator.handler import PoseHandler
from serving.handlers.handler import Handler, HandlerContext

Array = NDArray[np.float32]
Arrays = tuple[Array, ...]


def picture(width: int, height: int) -> NDArray[np.uint8]:
    return np.full((height, width, 3), 200, np.uint8)


def found(*boxes: tuple[float, float, float, float, float]) -> tuple[Array, Array, Array]:
    """Boxes with their scores, in pixels of the 320 x 320 square."""
    rows = np.array(boxes, np.float32).reshape(-1, 5)
    masks = np.stack([np.full((28, 28), score) for score in rows[:, 4]]).astype(np.float32)
    return rows[:, :4], rows[:, 4], masks


def test_boxes_come_back_in_pixels_of_the_picture() -> None:
    handler = DetectorHandler(lambda _: found((0, 80, 160, 240, 0.9)))
    (result,) = handler.infer([{"image": picture(640, 320)}])
    assert result["boxes"].tolist() == [[0, 0, 320, 320]]
    assert result["boxes"].dtype == result["scores"].dtype == result["masks"].dtype == np.float32


def test_boxes_are_clipped_sorted_and_dropped_outside_the_picture() -> None:
    in_margin, weak, strong = (0, 0, 320, 80, 0.99), (10, 100, 50, 300, 0.3), (0, 90, 9, 99, 0.8)
    handler = DetectorHandler(lambda _: found(in_margin, weak, strong))
    (result,) = handler.infer([{"image": picture(640, 320)}])
    assert result["scores"] == pytest.approx([0.8, 0.3])
    assert result["boxes"][1].tolist() == [20, 40, 100, 320]
    assert result["masks"][:, 0, 0] == pytest.approx([0.8, 0.3])


def test_detector_answers_what_the_annotation_script_reads() -> None:
    handler = DetectorHandler(lambda _: found((0, 80, 160, 240, 0.75)))
    (result,) = handler.infer([{"image": picture(640, 320)}])
    answer = json.loads(json.dumps(handler.encode(result)))
    assert answer == [{"class_name": "drawn_humanoid", "bbox": [0, 0, 320, 320], "score": 0.75}]


def test_body_of_a_request_becomes_an_item() -> None:
    buffer = io.BytesIO()
    Image.new("RGB", (5, 7), (1, 2, 3)).save(buffer, "PNG")
    for handler in (DetectorHandler(), PoseHandler()):
        assert handler.decode(buffer.getvalue())["image"].shape == (7, 5, 3)
        with pytest.raises(ValueError, match="not a picture"):
            handler.decode(b"nothing")


def test_inference_before_loading_says_so() -> None:
    for handler in (DetectorHandler(), PoseHandler()):
        with pytest.raises(RuntimeError, match="load comes before infer"):
            handler.infer([{"image": picture(8, 8)}])


class Pose:
    """Answers every crop with all points at one cell, and a mask that is full on the left."""

    def __init__(self) -> None:
        self.calls: list[tuple[int, ...]] = []

    def __call__(self, crops: NDArray[np.uint8]) -> Arrays:
        self.calls.append(crops.shape)
        count = len(crops)
        heatmaps = np.full((count, 17, 48, 48), -40, np.float32)
        for place in range(count):
            heatmaps[place, :, 23, 10 * place + 5] = 40
        mask = np.full((count, 48, 48), -40, np.float32)
        mask[:, :, :24] = 40
        figure = np.arange(count, dtype=np.float32)
        return heatmaps, np.full((count, 17), 40, np.float32), mask, figure


def test_crops_of_different_sizes_share_one_call_and_keep_their_order() -> None:
    network = Pose()
    items = [{"image": picture(192, 192)}, {"image": picture(384, 192)}]
    first, second = PoseHandler(network).infer(items)
    assert network.calls == [(2, 192, 192, 3)]
    assert first["keypoints"][0].tolist() == [22, 94]
    assert second["keypoints"][0].tolist() == [124, 92]
    assert first["scores"].tolist() == [1] * 17
    assert first["figure"].tolist() == [0.5]
    assert second["figure"] == pytest.approx([0.7311], abs=1e-4)


def test_pose_mask_covers_the_crop_without_the_margin() -> None:
    (result,) = PoseHandler(Pose()).infer([{"image": picture(400, 100)}])
    mask = result["mask"]
    assert mask.shape == (48, 192)
    assert mask[:, :90].min() > 0.99
    assert mask[:, 102:].max() < 0.01


def test_pose_answers_what_the_annotation_script_reads() -> None:
    handler = PoseHandler(Pose())
    (result,) = handler.infer([{"image": picture(192, 192)}])
    answer = json.loads(json.dumps(handler.encode(result)))
    assert len(answer) == 1
    assert answer[0]["keypoints"] == [[22, 94, 1]] * 17


@pytest.mark.parametrize("handler", [DetectorHandler(), PoseHandler()])
def test_precision_that_the_cpu_does_not_have_is_refused(handler: Handler) -> None:
    with pytest.raises(ValueError, match="on the CPU this model works in fp32"):
        handler.load(HandlerContext(model_dir="", precision="fp16"))
