import json
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import pytest
from numpy.typing import NDArray

pytest.importorskip("torch", reason="training needs the extra `torch`")

from animator.core.geometry import Box
from models.drawn_humanoid_detector.handler import DetectorHandler
from models.drawn_humanoid_pose_estimator.handler import PoseHandler
from models.training import by_factor
from models.training.ablate import AGAIN, WHOLE, Plan, Run, ablate, placed_share, table
from models.training.annotated import AnnotatedDrawing
from models.training.groups import GROUPS
from models.training.looking import Looker
from models.training.scoring import TrueFigure
from models.training.synthesis import DEFAULT_SETTINGS, synthesize
from models.training.synthesis.factors import all_factors

Array = NDArray[np.float32]


def detector(_: NDArray[np.uint8]) -> tuple[Array, Array, Array]:
    """One box of 200 x 240 at (40, 40)."""
    boxes = np.array([[40, 40, 240, 280]], np.float32)
    return boxes, np.array([0.9], np.float32), np.ones((1, 28, 28), np.float32)


def pose(crops: NDArray[np.uint8]) -> tuple[Array, ...]:
    """All points in the middle of the crop."""
    count = len(crops)
    heatmaps = np.full((count, 17, 48, 48), -40, np.float32)
    heatmaps[:, :, 23:25, 23:25] = 40
    mask = np.zeros((count, 48, 48), np.float32)
    return heatmaps, np.zeros((count, 17), np.float32), mask, np.ones(count, np.float32)


@pytest.fixture
def looker() -> Looker:
    return Looker(DetectorHandler(detector), PoseHandler(pose), 0.5)


@pytest.fixture
def data(tmp_path: Path) -> Path:
    """A picture of 320 x 320 with one figure, of whose two joints one is in its middle."""
    folder = tmp_path / "drawings"
    folder.mkdir()
    figure: dict[str, Any] = {"image_id": 1, "bbox": [40, 40, 200, 240], "main": True}
    figure["keypoints"] = [140, 160, 2, 230, 160, 2]
    document = {
        "categories": [{"keypoints": ["root", "left_hand"]}],
        "images": [{"id": 1, "file_name": "a.png", "tags": [], "annotated": "boxes+joints"}],
        "annotations": [figure],
    }
    (folder / "annotations.json").write_text(json.dumps(document))
    cv2.imwrite(str(folder / "a.png"), np.full((320, 320, 3), 255, np.uint8))
    return folder


def test_joints_are_placed_in_the_true_box(looker: Looker, tmp_path: Path) -> None:
    file = tmp_path / "a.png"
    cv2.imwrite(str(file), np.full((100, 200, 3), 255, np.uint8))
    # the detector's only box, (40, 40) to (240, 280) of 320 x 320, is not asked for
    figure = TrueFigure(Box(100, 30, 140, 70), {"root": (120, 50), "left_hand": (120, 56)})
    drawing = AnnotatedDrawing(file, (), (figure, TrueFigure(Box(0, 0, 9, 9))))
    assert placed_share(looker, [drawing]) == pytest.approx(0.5)


def test_runs_are_scored_kept_and_not_repeated(looker: Looker, data: Path, tmp_path: Path) -> None:
    trained: list[str] = []

    def train(name: str, place: Path) -> Looker:
        trained.append(name)
        place.mkdir(parents=True)
        return looker

    folder = tmp_path / "runs"
    plan = Plan(data, alone=2)
    first = ablate([WHOLE], folder, train, plan)
    both = ablate([WHOLE, "empty pages"], folder, train, plan)
    assert trained == [WHOLE, "empty pages"]
    assert both[0] == first[0]
    assert first[0].real["recall"] == 1.0
    assert first[0].real["joints"] == 0.5
    assert set(first[0].alone) == set(GROUPS)
    assert both[1].alone == {"empty pages": {"false on empty": 1.0}}


def test_run_without_a_detector_is_scored_on_joints_alone(
    looker: Looker, data: Path, tmp_path: Path
) -> None:
    def train(name: str, place: Path) -> Looker:
        place.mkdir(parents=True)
        return looker

    (run,) = ablate([WHOLE], tmp_path / "runs", train, Plan(data, pages=0, alone=2))
    assert run.real == {"joints": 0.5}


def test_run_with_other_seeds_is_scored_on_every_group(
    looker: Looker, data: Path, tmp_path: Path
) -> None:
    def train(name: str, place: Path) -> Looker:
        place.mkdir(parents=True)
        return looker

    (run,) = ablate([AGAIN[0]], tmp_path / "runs", train, Plan(data, alone=2))
    assert set(run.alone) == set(GROUPS)
    assert AGAIN[0] in table([run])


def test_table_sets_the_group_beside_the_run_that_knew_it() -> None:
    whole = Run(
        without=WHOLE,
        real={"recall": 0.9, "precision": 0.8, "joints": 0.7},
        alone={"tools": {"recall": 0.6, "joints": 0.5}},
    )
    part = Run(
        without="tools",
        real={"recall": 0.5, "precision": 0.4},
        alone={"tools": {"recall": 0.3, "joints": 0.25}},
    )
    lines = table([whole, part]).splitlines()
    assert lines[2] == "| nothing | 0.900 | 0.800 | 0.700 | - | - | - | - | - |"
    assert lines[3] == "| tools | 0.500 | 0.400 | - | - | 0.600 → 0.300 | - | 0.500 → 0.250 | - |"


@pytest.mark.parametrize("name", list(GROUPS))
def test_group_changes_the_pictures_and_can_be_drawn_alone(name: str) -> None:
    group = GROUPS[name]
    assert group.without != DEFAULT_SETTINGS
    assert group.alone != group.without
    for settings in (group.without, group.alone):
        image = synthesize(3, 192, settings).image
        assert max(image.shape[:2]) == 192


def test_factors_are_scored_each_on_its_own_drawings(looker: Looker) -> None:
    factors = [f for f in all_factors() if f.name in ("figures-stick", "things-houses")]
    stick, houses = by_factor.rows(looker, factors, 3)
    assert stick[0] == "figures-stick"
    assert stick[4] == "-"  # there is no page without a figure
    assert 0 <= float(stick[1]) <= 1
    assert 0 <= float(stick[3]) <= 1
    assert houses == ("things-houses", "-", "-", "-", "1.000")


def test_unknown_factor_is_named(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("sys.argv", ["by_factor", "unicorns"])
    with pytest.raises(SystemExit):
        by_factor.main()
    assert "no factor is called unicorns" in capsys.readouterr().err
