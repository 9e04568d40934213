import json
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import pytest
from numpy.typing import NDArray

pytest.importorskip("torch", reason="evaluation compares with the extra `torch`")

from models.drawn_humanoid_detector.handler import DetectorHandler
from models.drawn_humanoid_pose_estimator.handler import PoseHandler
from models.training import evaluate as command
from models.training.annotated import read_annotated
from models.training.evaluate import Look, evaluate, mask_overlap, table
from models.training.looking import Looker

Array = NDArray[np.float32]


@pytest.fixture
def data(tmp_path: Path) -> Path:
    """Two pictures of 320 x 320: one with a figure, one without."""
    names = ["root", "hip", "left_hand", "right_hand"]
    figure: dict[str, Any] = {"image_id": 1, "bbox": [40, 40, 200, 240], "main": True}
    figure["keypoints"] = [140, 160, 2, 0, 0, 2, 300, 160, 2, 140, 160, 1]
    document = {
        "categories": [{"keypoints": names}],
        "images": [
            {"id": 1, "file_name": "a.png", "tags": ["pencil"], "annotated": "boxes+joints"},
            {"id": 2, "file_name": "b.png", "tags": ["pencil"], "annotated": "negative"},
            {"id": 3, "file_name": "c.png", "tags": [], "annotated": "none"},
        ],
        "annotations": [figure],
    }
    (tmp_path / "annotations.json").write_text(json.dumps(document))
    for name in ("a.png", "b.png"):
        cv2.imwrite(str(tmp_path / name), np.full((320, 320, 3), 255, np.uint8))
    return tmp_path


def detector(_: NDArray[np.uint8]) -> tuple[Array, Array, Array]:
    """Always the same box, once more a little smaller, and a weak one elsewhere."""
    boxes = np.array([[40, 40, 240, 280], [45, 45, 235, 275], [0, 0, 30, 30]], np.float32)
    return boxes, np.array([0.9, 0.8, 0.2], np.float32), np.ones((3, 28, 28), np.float32)


def pose(crops: NDArray[np.uint8]) -> tuple[Array, ...]:
    """All points in the middle of the crop; a mask that is full on its left half."""
    heatmaps = np.full((len(crops), 17, 48, 48), -40, np.float32)
    heatmaps[:, :, 23:25, 23:25] = 40
    mask = np.full((len(crops), 48, 48), -40, np.float32)
    mask[:, :, :24] = 40
    surely = np.ones(len(crops), np.float32)
    return heatmaps, np.zeros((len(crops), 17), np.float32), mask, surely


@pytest.fixture
def looker() -> Looker:
    return Looker(DetectorHandler(detector), PoseHandler(pose), 0.5)


def see_with(looker: Looker) -> Look:
    return lambda drawing: looker.look(drawing.read())


def test_pictures_without_annotation_are_left_out(data: Path) -> None:
    drawings = list(read_annotated(data))
    assert [d.file.name for d in drawings] == ["a.png", "b.png"]
    assert drawings[1].figures == ()


def test_only_visible_joints_count_and_the_repeated_one_does_not(data: Path) -> None:
    (figure,) = next(iter(read_annotated(data))).figures
    assert figure.joints == {"root": (140, 160), "left_hand": (300, 160)}


def test_picture_that_is_missing_is_named(data: Path) -> None:
    (data / "a.png").unlink()
    with pytest.raises(FileNotFoundError, match=r"a\.png"):
        next(iter(read_annotated(data))).read()


def test_overlapping_and_weak_boxes_are_no_figures(data: Path, looker: Looker) -> None:
    with_figure, without = evaluate(see_with(looker), read_annotated(data))
    assert with_figure.counts["predicted"] == with_figure.counts["matched"] == 1
    assert without.counts["empty_false"] == 1


def test_joints_are_placed_in_the_picture(data: Path, looker: Looker) -> None:
    outcome = evaluate(see_with(looker), read_annotated(data))[0]
    assert outcome.found[0].joints["root"] == pytest.approx((140, 160), abs=1.5)
    assert outcome.counts["joints"] == 2
    assert outcome.counts["right@0.05"] == 1


def test_table_has_a_line_for_all_and_for_frequent_tags(data: Path, looker: Looker) -> None:
    outcomes = evaluate(see_with(looker), read_annotated(data))
    head, _, *lines = table(outcomes, by_tag=True).splitlines()
    assert head.split("|")[1].strip() == "style"
    assert lines == ["| all | 2 | 1 | 1.000 | 1.000 | 0.500 | 0.500 | 0.500 | 1.000 |"]
    lines = table(outcomes * 2, by_tag=True).splitlines()[2:]
    assert [line.split("|")[1].strip() for line in lines] == ["all", "pencil"]


def test_mask_is_compared_over_the_whole_crop(tmp_path: Path, looker: Looker) -> None:
    folder = tmp_path / "pip"
    folder.mkdir()
    cv2.imwrite(str(folder / "texture.png"), np.zeros((192, 192, 3), np.uint8))
    whole = np.full((192, 192), 255, np.uint8)
    cv2.imwrite(str(folder / "mask.png"), whole)
    assert mask_overlap(looker, tmp_path) == {"pip": pytest.approx(0.5, abs=0.02)}


def test_command_prints_scores_and_draws_the_worst(
    data: Path,
    looker: Looker,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setattr(command, "load_looker", lambda *_: looker)
    out = data / "worst"
    words = ["evaluate", "--data", str(data), "--worst", "1", "--out", str(out)]
    monkeypatch.setattr("sys.argv", words)
    assert command.main() == 0
    assert "| all | 2 | 1 |" in capsys.readouterr().out
    (picture,) = out.iterdir()
    assert picture.name == "00-b.jpg"
    drawn = cv2.imread(str(picture))
    assert drawn is not None
    assert drawn.shape == (640, 640, 3)
