"""What the shipped models say of themselves is what they give."""

from pathlib import Path

import numpy as np
import pytest

from serving.archive.inputs import check_inputs
from serving.archive.manifest import read_manifest
from serving.local import LocalPredictor

MODELS = Path(__file__).parents[3] / "models"


@pytest.mark.parametrize("name", ["drawn_humanoid_detector", "drawn_humanoid_pose_estimator"])
@pytest.mark.parametrize("size", [(90, 60), (300, 400)], ids=str)
def test_outputs_are_as_declared(name: str, size: tuple[int, int]) -> None:
    page = np.full((*size, 3), 255, np.uint8)
    page[size[0] // 4 : size[0] // 2, size[1] // 3 : size[1] // 2] = 20
    outputs = LocalPredictor(MODELS, threads=1).infer(name, {"image": page})
    declared = read_manifest(MODELS / name).outputs
    assert [each.name for each in declared] == list(outputs)
    check_inputs(outputs, declared)
