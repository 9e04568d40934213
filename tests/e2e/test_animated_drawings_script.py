"""A client that asks as AnimatedDrawings' `image_to_annotations.py` does, of our real models.

What is pinned here: the ports, the multipart form as `requests` writes it (one part `data`, with
that file name and no type), and all that the script reads of the answers.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import cv2
import httpx
import numpy as np
import pytest
from numpy.typing import NDArray

from tests.support_contract import Server, start_server, wait_for_server

MODELS = Path(__file__).parents[2] / "models"

# Pairs of the skeleton that the script builds: each joint is the mean of COCO keypoints.
JOINTS = ((11, 12), (5, 6), (0,), (6,), (8,), (10,), (5,), (7,), (9,), (12,), (14,), (16,), (11,))


@pytest.fixture(scope="module")
def server() -> Iterator[Server]:
    with start_server(MODELS) as process:
        yield wait_for_server(process)
        process.terminate()


def post(server: Server, model: str, image: NDArray[np.uint8]) -> Any:
    encoded = cv2.imencode(".png", image)[1].tobytes()
    part = b'--limit\r\nContent-Disposition: form-data; name="data"; filename="data"\r\n\r\n'
    answer = httpx.post(
        f"{server.inference}/predictions/{model}",
        content=part + encoded + b"\r\n--limit--\r\n",
        headers={"Content-Type": "multipart/form-data; boundary=limit"},
        timeout=60,
    )
    assert answer.status_code == 200, answer.text
    return answer.json()


def load_drawing(path: Path) -> NDArray[np.uint8]:
    image = cv2.imread(str(path))
    assert image is not None
    scale = min(1.0, 1000 / max(image.shape))
    return np.asarray(cv2.resize(image, None, fx=scale, fy=scale), np.uint8)


def test_script_finds_a_figure_and_its_skeleton(server: Server, shared_data: Path) -> None:
    image = load_drawing(shared_data / "animated-drawings" / "drawings" / "garlic.png")
    found = post(server, "drawn_humanoid_detector", image)
    assert found, "no figure found in the sample drawing"
    assert found[0]["class_name"] == "drawn_humanoid"
    assert found[0]["score"] == max(figure["score"] for figure in found)
    left, top, right, bottom = (round(side) for side in found[0]["bbox"])
    crop = image[top:bottom, left:right]
    assert crop.shape[:2] == (bottom - top, right - left)
    assert min(crop.shape[:2]) > 8

    poses = post(server, "drawn_humanoid_pose_estimator", np.ascontiguousarray(crop))
    (pose,) = poses
    points = np.array(pose["keypoints"])
    assert points.shape == (17, 3)
    joints = np.array([points[list(pair), :2].mean(axis=0) for pair in JOINTS])
    assert (joints >= 0).all()
    assert (joints <= [crop.shape[1], crop.shape[0]]).all()


def test_bytes_that_are_no_picture_are_the_callers_fault(server: Server) -> None:
    for model in ("drawn_humanoid_detector", "drawn_humanoid_pose_estimator"):
        answer = httpx.post(
            f"{server.inference}/predictions/{model}", files={"data": b"no picture"}
        )
        assert answer.status_code == 400
        assert answer.json()["type"] == "BadRequestException"
