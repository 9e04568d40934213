"""The CPU's route (ONNX Runtime) and the GPU's (torch) read the same weights."""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

pytest.importorskip("torch", reason="compares with the extra `torch`")


from models.drawn_humanoid_detector import INPUT_SIDE
from models.drawn_humanoid_detector import torch_route as detector_route
from models.drawn_humanoid_detector.handler import DetectorHandler
from models.drawn_humanoid_pose_estimator import torch_route as pose_route
from models.drawn_humanoid_pose_estimator.handler import PoseHandler
from models.imaging import decode_rgb
from models.letterbox import letterbox_for
from serving.handlers.handler import Handler, HandlerContext

MODELS = Path(detector_route.__file__).parents[1]
NAMES = ("ad-garlic.jpg", "amateur-bear.png", "fork-prince.jpg", "quickdraw-yoga-08.png")


@pytest.fixture(scope="module")
def pictures(shared_data: Path) -> list[NDArray[np.uint8]]:
    files = [shared_data / "drawings" / name for name in NAMES]
    return [np.asarray(decode_rgb(file.read_bytes())) for file in files if file.is_file()]


def both(
    graph: Handler, network: Handler, folder: Path, pictures: list[NDArray[np.uint8]]
) -> Iterator[tuple[Mapping[str, NDArray[Any]], Mapping[str, NDArray[Any]]]]:
    graph.load(HandlerContext(model_dir=str(folder)))
    for picture in pictures:
        (a,), (b,) = graph.infer([{"image": picture}]), network.infer([{"image": picture}])
        yield a, b


def test_detector_finds_the_same_figures_on_both_routes(pictures: list[NDArray[np.uint8]]) -> None:
    folder = MODELS / "drawn_humanoid_detector"
    network = DetectorHandler(detector_route.load_network(folder / "weights.safetensors", "cpu"))
    for a, b in both(DetectorHandler(), network, folder, pictures):
        sure = int((a["scores"] > 0.5).sum())
        assert sure == int((b["scores"] > 0.5).sum()) > 0
        assert np.allclose(a["boxes"][:sure], b["boxes"][:sure], atol=1.0)
        assert np.allclose(a["scores"][:sure], b["scores"][:sure], atol=0.01)
        assert np.allclose(a["masks"][:sure], b["masks"][:sure], atol=0.02)


def test_several_pictures_in_one_call_are_each_as_alone(
    pictures: list[NDArray[np.uint8]],
) -> None:
    weights = MODELS / "drawn_humanoid_detector" / "weights.safetensors"
    find_all = detector_route.load_batch_network(weights, "cpu")
    boxed = [letterbox_for(p.shape[1], p.shape[0], INPUT_SIDE).apply(p) for p in pictures]
    for alone, together in zip(
        [find_all(one[None])[0] for one in boxed], find_all(np.stack(boxed)), strict=True
    ):
        for a, b in zip(alone, together, strict=True):
            assert a.shape == b.shape
            assert np.allclose(a, b, atol=1e-3)


def test_pose_is_the_same_on_both_routes(pictures: list[NDArray[np.uint8]]) -> None:
    folder = MODELS / "drawn_humanoid_pose_estimator"
    network = PoseHandler(pose_route.load_network(folder / "weights.safetensors", "cpu"))
    for a, b in both(PoseHandler(), network, folder, pictures):
        assert np.allclose(a["keypoints"], b["keypoints"], atol=1.0)
        assert np.allclose(a["scores"], b["scores"], atol=0.01)
        assert np.allclose(a["mask"], b["mask"], atol=0.01)
        assert np.allclose(a["figure"], b["figure"], atol=0.01)
