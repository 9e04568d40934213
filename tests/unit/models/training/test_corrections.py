"""What people corrected comes back as they left it: to learn from, and to test on."""

import hashlib
import json
from pathlib import Path
from typing import Any

import cv2
import msgspec
import numpy as np
import pytest

from animator.core.annotation import Annotation, FigureAnnotation
from animator.core.geometry import Box
from animator.core.mask import Mask, run_lengths_from_mask
from animator.core.skeleton import Skeleton
from models.training.amateur import open_drawings
from models.training.annotated import read_annotated
from models.training.corrections import (
    Correction,
    TooFewCorrections,
    held_back_outlines,
    is_complete,
    write_corrections,
)
from models.training.synthesis import Sample
from tests.support_corrections import figure_of, one_figure_samples

LEFT_WRIST, NOSE, LEFT_EYE = 9, 0, 1


@pytest.fixture(scope="module")
def samples() -> list[Sample]:
    return one_figure_samples(4)


def correction(sample: Sample, first: int, figures: int = 1) -> Correction:
    """A drawing whose hash begins with this byte: below 51 of 255 it is held back."""
    height, width = sample.image.shape[:2]
    found = tuple(figure_of(figure) for figure in sample.figures[:figures])
    return Correction(
        sha256=f"{first:02x}" + hashlib.sha256(sample.image.tobytes()).hexdigest()[2:],
        given=5.0,
        image=sample.image,
        annotation=Annotation(width=width, height=height, figures=found, revision=3),
    )


def provenance(folder: Path) -> dict[str, Any]:
    document: dict[str, Any] = json.loads((folder / "provenance.json").read_text())
    return document


def test_drawing_to_learn_from_has_the_labels_that_people_left(
    samples: list[Sample], tmp_path: Path
) -> None:
    write_corrections(tmp_path, [correction(samples[0], 0x20), correction(samples[1], 0x90)])
    drawings = open_drawings(tmp_path / "train")
    assert len(drawings) == 1
    truth = samples[1].figures[0]
    sample = drawings.sample(0, max(truth.mask.shape))
    assert sample is not None
    assert np.array_equal(sample.image, samples[1].image)
    (figure,) = sample.figures
    assert np.array_equal(figure.mask, truth.mask)
    for place in (LEFT_WRIST, NOSE):
        assert figure.keypoints[place, :2] == pytest.approx(truth.keypoints[place, :2], abs=1e-3)
    assert figure.keypoints[LEFT_EYE, 2] == -1  # no joint tells where it is


def test_drawing_to_test_on_has_box_joints_and_mask(samples: list[Sample], tmp_path: Path) -> None:
    write_corrections(tmp_path, [correction(samples[0], 0x20), correction(samples[1], 0x90)])
    (drawing,) = read_annotated(tmp_path / "held_back")
    truth = samples[0].figures[0]
    (figure,) = drawing.figures
    assert (figure.box.x1, figure.box.y2) == (truth.box[0], truth.box[3])
    wrist = tuple(truth.keypoints[LEFT_WRIST, :2].tolist())
    assert figure.joints["left_hand"] == pytest.approx(wrist, abs=1e-3)
    assert "hip" not in figure.joints
    (outline,) = held_back_outlines(tmp_path)
    assert outline.file == drawing.file
    assert np.array_equal(outline.data, truth.mask)


def test_one_in_five_is_held_back_by_its_own_bytes(samples: list[Sample], tmp_path: Path) -> None:
    ones = [
        correction(s, first) for s, first in zip(samples, (0x32, 0x34, 0x01, 0xFF), strict=True)
    ]
    write_corrections(tmp_path / "a", ones)
    write_corrections(tmp_path / "b", ones[::-1])
    held = {d["sha256"][:2]: d["held_back"] for d in provenance(tmp_path / "a")["drawings"]}
    assert held == {"01": True, "32": True, "34": False, "ff": False}
    assert provenance(tmp_path / "a")["train"] == provenance(tmp_path / "b")["train"]


@pytest.mark.parametrize("firsts", [(0x90, 0xA0), (0x01, 0x02)], ids=["none", "all"])
def test_there_is_always_one_to_learn_from_and_one_to_test_on(
    samples: list[Sample], tmp_path: Path, firsts: tuple[int, int]
) -> None:
    write_corrections(tmp_path, [correction(s, f) for s, f in zip(samples, firsts, strict=False)])
    held = [drawing["held_back"] for drawing in provenance(tmp_path)["drawings"]]
    assert sorted(held) == [False, True]


def test_same_drawing_twice_is_one(samples: list[Sample], tmp_path: Path) -> None:
    with pytest.raises(TooFewCorrections, match="there are 1"):
        write_corrections(tmp_path, [correction(samples[0], 0x20)] * 2)


def test_page_on_which_people_left_no_figure_teaches_that_there_is_none(
    samples: list[Sample], tmp_path: Path
) -> None:
    ones = [correction(samples[0], 0x20, figures=0), correction(samples[1], 0x90, figures=0)]
    write_corrections(tmp_path, ones)
    sample = open_drawings(tmp_path / "train").sample(0, 100)
    assert sample is not None
    assert sample.figures == ()
    (drawing,) = read_annotated(tmp_path / "held_back")
    assert drawing.figures == ()


def test_large_drawings_are_kept_small_with_their_labels(
    samples: list[Sample], tmp_path: Path
) -> None:
    one = correction(samples[1], 0x90)
    large = cv2.resize(one.image, None, fx=8, fy=8, interpolation=cv2.INTER_NEAREST)
    (figure,) = one.annotation.figures
    assert figure.skeleton is not None
    joints = tuple(msgspec.structs.replace(j, x=8 * j.x, y=8 * j.y) for j in figure.skeleton.joints)
    x1, y1, x2, y2 = (8 * value for value in msgspec.to_builtins(figure.box))
    mask = np.kron(samples[1].figures[0].mask, np.ones((8, 8))) > 0
    part = np.ascontiguousarray(mask[int(y1) : int(y2), int(x1) : int(x2)])
    grown = FigureAnnotation(
        id="f",
        box=Box(x1, y1, x2, y2),
        mask=run_lengths_from_mask(Mask(part)),
        skeleton=Skeleton(joints=joints),
    )
    annotation = msgspec.structs.replace(one.annotation, figures=(grown,))
    big = Correction(one.sha256, 5.0, np.asarray(large, np.uint8), annotation)
    write_corrections(tmp_path, [correction(samples[0], 0x20), big])
    side = max(samples[1].image.shape[:2])
    sample = open_drawings(tmp_path / "train").sample(0, side)
    picture = cv2.imread(str(tmp_path / "train" / big.name))
    assert picture is not None
    assert max(picture.shape) == 1024
    assert sample is not None
    wanted = samples[1].figures[0]
    assert sample.figures[0].keypoints[NOSE] == pytest.approx(wanted.keypoints[NOSE], abs=0.6)
    assert (sample.figures[0].mask ^ wanted.mask).sum() < 0.02 * wanted.mask.sum() + 60


def test_joint_that_nobody_moved_counts_only_when_the_model_was_sure(
    samples: list[Sample], tmp_path: Path
) -> None:
    one = correction(samples[1], 0x90)
    (figure,) = one.annotation.figures
    assert figure.skeleton is not None
    scores = {"left_hand": 0.4, "right_hand": 0.6}
    joints = tuple(
        msgspec.structs.replace(j, score=scores.get(j.name, j.score))
        for j in figure.skeleton.joints
    )
    skeleton = msgspec.structs.replace(figure.skeleton, joints=joints)
    unsure = msgspec.structs.replace(figure, skeleton=skeleton)
    annotation = msgspec.structs.replace(one.annotation, figures=(unsure,))
    changed = Correction(one.sha256, 5.0, one.image, annotation)
    write_corrections(tmp_path, [correction(samples[0], 0x20), changed])
    sample = open_drawings(tmp_path / "train").sample(0, 240)
    assert sample is not None
    assert sample.figures[0].keypoints[[LEFT_WRIST, LEFT_WRIST + 1], 2].tolist() == [-1, 2]


def test_provenance_names_hashes_and_no_addresses(samples: list[Sample], tmp_path: Path) -> None:
    ones = [correction(samples[0], 0x20), correction(samples[1], 0x90)]
    write_corrections(tmp_path, ones)
    document = provenance(tmp_path)
    assert document["drawings"][1] == {
        "sha256": ones[1].sha256,
        "consent": 5.0,
        "annotation": 3,
        "figures": 1,
        "held_back": False,
    }
    data = (tmp_path / "train" / "annotations.json").read_bytes()
    assert document["train"] == hashlib.sha256(data).hexdigest()


def test_only_what_people_changed_and_finished_is_complete(samples: list[Sample]) -> None:
    annotation = correction(samples[0], 0x20).annotation
    (figure,) = annotation.figures
    assert is_complete(annotation)
    assert is_complete(msgspec.structs.replace(annotation, figures=()))
    assert not is_complete(msgspec.structs.replace(annotation, revision=0))
    for part in ("mask", "skeleton"):
        half = msgspec.structs.replace(figure, **{part: None})
        assert not is_complete(msgspec.structs.replace(annotation, figures=(figure, half)))
    hidden = msgspec.structs.replace(figure, hidden=True)
    assert not is_complete(msgspec.structs.replace(annotation, figures=(figure, hidden)))
    ordered = msgspec.structs.replace(figure, limbs={"left_shoulder": "back"})
    assert is_complete(msgspec.structs.replace(annotation, figures=(ordered,)))
