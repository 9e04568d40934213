"""Ten drawings, written as the Amateur Drawings Dataset is, come back as they were labelled."""

import json
from pathlib import Path
from typing import Any

import cv2
import msgspec
import numpy as np
import pytest
from numpy.typing import NDArray

from animator.core.mask import Mask, run_lengths_from_mask
from models.training.amateur import BadDrawings, open_drawings
from models.training.mixing import Mixture
from models.training.synthesis import COCO_KEYPOINTS, LabelledFigure, Sample, synthesize

COUNT = 10


def one_figure_samples() -> list[Sample]:
    samples: list[Sample] = []
    seed = 0
    while len(samples) < COUNT:
        sample = synthesize(seed, 200)
        if len(sample.figures) == 1 and sample.figures[0].mask.sum() > 400:
            samples.append(sample)
        seed += 1
    return samples


def outline_of(figure: LabelledFigure) -> NDArray[np.int32]:
    """The outline of its largest part: one polygon has neither holes nor loose parts."""
    outlines, _ = cv2.findContours(
        figure.mask.astype(np.uint8), cv2.RETR_EXTERNAL, cv2.CHAIN_APPROX_NONE
    )
    return np.asarray(max(outlines, key=cv2.contourArea), dtype=np.int32)


def mark_of(figure: LabelledFigure, number: int) -> dict[str, Any]:
    """One annotation: a box, the largest outline as the polygon, all 17 keypoints seen."""
    outline = outline_of(figure).reshape(-1, 2) + 0.5
    x1, y1, x2, y2 = figure.box.tolist()
    points = figure.keypoints.copy()
    points[:, 2] = 2
    return {
        "id": number,
        "image_id": number,
        "category_id": 1,
        "bbox": [x1, y1, x2 - x1, y2 - y1],
        "area": (x2 - x1) * (y2 - y1),
        "iscrowd": 0,
        "segmentation": [outline.ravel().tolist()],
        "keypoints": points.ravel().tolist(),
        "num_keypoints": 17,
    }


@pytest.fixture(scope="module")
def samples() -> list[Sample]:
    return one_figure_samples()


@pytest.fixture
def folder(samples: list[Sample], tmp_path: Path) -> Path:
    """`amateur_drawings_annotations.json`, and the pictures one folder down."""
    pictures = tmp_path / "amateur_drawings"
    pictures.mkdir()
    images, marks = [], []
    for number, sample in enumerate(samples):
        name = f"{number:02d}.png"
        cv2.imwrite(str(pictures / name), sample.image[..., ::-1])
        height, width = sample.image.shape[:2]
        images.append({"id": number, "file_name": name, "width": width, "height": height})
        marks.append(mark_of(sample.figures[0], number))
    category = {"id": 1, "name": "person", "keypoints": list(COCO_KEYPOINTS)}
    document = {"images": images, "annotations": marks, "categories": [category]}
    (tmp_path / "amateur_drawings_annotations.json").write_text(json.dumps(document))
    return tmp_path


def edit(folder: Path, **changes: Any) -> None:
    """Change fields of the first annotation."""
    file = folder / "amateur_drawings_annotations.json"
    document = json.loads(file.read_text())
    document["annotations"][0].update(changes)
    file.write_text(json.dumps(document))


def test_ten_drawings_come_back_with_their_labels(folder: Path, samples: list[Sample]) -> None:
    drawings = open_drawings(folder)
    assert len(drawings) == COUNT
    for place, truth in enumerate(samples):
        sample = drawings.sample(place, max(truth.image.shape[:2]))
        assert sample is not None
        assert np.array_equal(sample.image, truth.image)
        (figure,), (wanted,) = sample.figures, truth.figures
        filled = cv2.fillPoly(wanted.mask.astype(np.uint8) * 0, [outline_of(wanted)], 1)
        assert np.array_equal(figure.mask, filled)
        inside = ((wanted.keypoints[:, :2] >= 0) & (wanted.keypoints[:, :2] <= 200)).all(axis=1)
        assert np.allclose(figure.keypoints[inside, :2], wanted.keypoints[inside, :2])


def test_labels_are_scaled_with_the_picture(folder: Path) -> None:
    square = [20, 40, 60, 40, 60, 120, 20, 120]
    edit(folder, segmentation=[square], keypoints=[40, 80, 2] * 17)
    whole = open_drawings(folder).sample(0, 200)
    half = open_drawings(folder).sample(0, 100)
    assert whole is not None
    assert half is not None
    assert max(half.image.shape[:2]) == 100
    assert half.figures[0].keypoints[0] == pytest.approx([20, 40, 2], abs=0.3)
    assert half.figures[0].box == pytest.approx(whole.figures[0].box / 2, abs=1)


def test_run_lengths_are_taken_for_an_outline(folder: Path, samples: list[Sample]) -> None:
    truth = samples[0].figures[0]
    edit(folder, segmentation=msgspec.to_builtins(run_lengths_from_mask(Mask(truth.mask))))
    drawings, side = open_drawings(folder), max(truth.mask.shape)
    whole, half = drawings.sample(0, side), drawings.sample(0, side // 2)
    assert whole is not None
    assert half is not None
    assert np.array_equal(whole.figures[0].mask, truth.mask)
    assert half.figures[0].mask.sum() == pytest.approx(truth.mask.sum() / 4, rel=0.1)


def test_keypoint_that_nobody_looked_for_is_unknown_not_absent(folder: Path) -> None:
    edit(folder, keypoints=[0, 0, 0] + [40, 80, 2] * 15 + [900, 900, 2])
    sample = open_drawings(folder).sample(0, 200)
    assert sample is not None
    assert sample.figures[0].keypoints[:, 2].tolist() == [-1] + [2] * 15 + [0]


@pytest.mark.parametrize(
    "broken",
    [
        {"keypoints": [1, 2, 2]},
        {"keypoints": "none"},
        {"segmentation": [[1, 2, 3, 4]]},
        {"segmentation": {"counts": "abc", "size": [2, 2]}},
    ],
)
def test_broken_annotation_is_passed_over(folder: Path, broken: dict[str, Any]) -> None:
    edit(folder, **broken)
    drawings = open_drawings(folder)
    assert drawings.sample(0, 200) is None
    assert drawings.sample(1, 200) is not None


def test_part_of_the_pictures_will_do(folder: Path) -> None:
    for name in ("00.png", "07.png"):
        (folder / "amateur_drawings" / name).unlink()
    assert len(open_drawings(folder)) == COUNT - 2


def test_picture_outside_the_folder_is_not_read(folder: Path) -> None:
    file = folder / "amateur_drawings_annotations.json"
    document = json.loads(file.read_text())
    document["images"][0]["file_name"] = "../" + folder.name + "/amateur_drawings/00.png"
    document["images"][1]["file_name"] = str(folder.parent / "elsewhere.png")
    (folder.parent / "elsewhere.png").write_bytes(b"")
    file.write_text(json.dumps(document))
    assert len(open_drawings(folder)) == COUNT - 2


def test_hash_tells_sets_apart(folder: Path) -> None:
    before = open_drawings(folder).sha256
    assert open_drawings(folder).sha256 == before
    edit(folder, bbox=[0, 0, 1, 1])
    assert open_drawings(folder).sha256 != before


def test_folder_that_is_no_data_set_is_named(tmp_path: Path) -> None:
    with pytest.raises(BadDrawings, match="one JSON file of annotations, there is none"):
        open_drawings(tmp_path)
    (tmp_path / "a.json").write_text('{"images": 3}')
    with pytest.raises(BadDrawings, match=r"a\.json is no COCO file"):
        open_drawings(tmp_path)
    (tmp_path / "a.json").write_text('{"images": [], "annotations": []}')
    with pytest.raises(BadDrawings, match="none of the 0 annotated pictures"):
        open_drawings(tmp_path)


def test_mixture_has_its_share_of_real_drawings_and_repeats_itself(folder: Path) -> None:
    drawings = open_drawings(folder)
    mixture = Mixture(drawings, 0.5)
    mixed = [mixture(seed, 192) for seed in range(60)]
    real = [sample.tags == ("amateur",) for sample in mixed]
    assert 10 <= sum(real) <= 30
    assert all(np.array_equal(mixture(s, 192).image, mixed[s].image) for s in range(3))
    assert Mixture(drawings, 0.0)(5, 192).tags == synthesize(5, 192).tags
    assert Mixture(drawings, 1.0)(5, 192).tags == ("amateur",)


def test_broken_drawing_is_replaced_by_a_synthetic_one(folder: Path) -> None:
    for file in (folder / "amateur_drawings").iterdir():
        file.write_bytes(b"no picture")
    sample = Mixture(open_drawings(folder), 1.0)(9, 192)
    assert np.array_equal(sample.image, synthesize(9, 192).image)


def test_share_outside_its_bounds_is_refused(folder: Path) -> None:
    with pytest.raises(ValueError, match=r"\[0, 1\], got 1.5"):
        Mixture(open_drawings(folder), 1.5)


def test_both_streams_take_real_drawings(folder: Path) -> None:
    pytest.importorskip("torch", reason="batches are torch's")
    from models.training.data import detector_batches, pose_batches

    mixture = Mixture(open_drawings(folder), 1.0)
    images, targets = next(detector_batches(1, 2, 0, mixture))
    assert [image.shape[0] for image in images] == [3, 3]
    assert [len(target["boxes"]) for target in targets] == [1, 1]
    crops, keypoints, masks, *_ = next(pose_batches(1, 2, 0, mixture))
    assert crops.shape[:2] == (2, 3)
    assert keypoints.shape == (2, 17, 3)
    assert masks.any()
