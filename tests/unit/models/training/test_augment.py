from collections.abc import Callable
from dataclasses import replace

import cv2
import numpy as np
import pytest
from numpy.random import Generator
from numpy.typing import NDArray

from models.training.augment import (
    detector_example,
    jitter_colours,
    pose_example,
    thing_example,
)
from models.training.synthesis import LabelledFigure, Sample

LEFT_WRIST, RIGHT_WRIST = 9, 10
SEEDS = range(30)


@pytest.fixture
def sample() -> Sample:
    """A grey figure on white with a black left wrist on the image's right, a white right one."""
    image = np.full((240, 320, 3), 255, np.uint8)
    mask = np.zeros((240, 320), np.uint8)
    cv2.rectangle(mask, (100, 40), (219, 199), 1, -1)
    image[mask > 0] = 128
    cv2.circle(image, (200, 100), 5, (0, 0, 0), -1)
    cv2.circle(image, (120, 100), 5, (255, 255, 255), -1)
    keypoints = np.zeros((17, 3), np.float32)
    keypoints[LEFT_WRIST] = (200.5, 100.5, 2)
    keypoints[RIGHT_WRIST] = (120.5, 100.5, 2)
    figure = LabelledFigure(
        box=np.array([100, 40, 220, 200], np.float32), mask=mask > 0, keypoints=keypoints
    )
    return Sample(image=image, figures=(figure,), tags=())


@pytest.fixture
def plain(monkeypatch: pytest.MonkeyPatch) -> None:
    """Leave the colours alone, so that they can be compared."""
    keep: Callable[[NDArray[np.uint8], Generator], NDArray[np.uint8]] = lambda image, _: image  # noqa: E731
    monkeypatch.setattr("models.training.augment.jitter_colours", keep)


def brightness(image: NDArray[np.uint8], point: NDArray[np.float32]) -> int:
    return int(image[int(point[1]), int(point[0]), 0])


@pytest.mark.usefixtures("plain")
@pytest.mark.parametrize("seed", SEEDS)
def test_keypoints_and_mask_follow_the_pixels_of_a_crop(sample: Sample, seed: int) -> None:
    example = pose_example(sample, sample.figures[0], 192, np.random.default_rng(seed))
    left, right = example.keypoints[LEFT_WRIST], example.keypoints[RIGHT_WRIST]
    assert example.image.shape == (192, 192, 3)
    assert left[2] == right[2] == 2
    shades = sorted(brightness(example.image, wrist) for wrist in (left, right))
    assert shades[0] < 60
    assert shades[1] > 200
    assert example.mask[int(left[1]), int(left[0])]
    assert example.mask[int(right[1]), int(right[0])]


@pytest.mark.usefixtures("plain")
def test_mirrored_half_of_the_time_and_then_left_and_right_change_places(sample: Sample) -> None:
    mirrored = 0
    for seed in SEEDS:
        example = pose_example(sample, sample.figures[0], 96, np.random.default_rng(seed))
        mirrored += brightness(example.image, example.keypoints[RIGHT_WRIST]) < 60
    assert 5 < mirrored < 25


@pytest.mark.usefixtures("plain")
@pytest.mark.parametrize("lies", range(4))
def test_turn_sets_a_crop_upright_again(sample: Sample, lies: int) -> None:
    """A bar along the figure's upper edge is on top again after as many turns as it says."""
    sample.image[40:60, 100:220] = 0
    turned = Sample(
        image=np.ascontiguousarray(np.rot90(sample.image, -lies)),
        figures=(turn_figure(sample.figures[0], lies),),
        tags=(),
    )
    seen = set()
    for seed in range(60):
        example = pose_example(turned, turned.figures[0], 96, np.random.default_rng(seed))
        if example.turn < 0:
            continue
        seen.add(example.turn)
        upright = np.rot90(example.image, -example.turn)
        dark = np.nonzero(upright[..., 0] < 50)[0]
        grey = np.nonzero(np.abs(upright[..., 0].astype(int) - 128) < 20)[0]
        assert np.median(dark) < np.median(grey)
    assert seen == {0, 1, 2, 3}


def turn_figure(figure: LabelledFigure, turns: int) -> LabelledFigure:
    mask = np.ascontiguousarray(np.rot90(figure.mask, -turns))
    rows, columns = np.nonzero(mask)
    box = np.array([columns.min(), rows.min(), columns.max() + 1, rows.max() + 1], np.float32)
    return LabelledFigure(box=box, mask=mask, keypoints=np.zeros((17, 3), np.float32), turn=turns)


@pytest.mark.parametrize("seed", range(6))
def test_crop_of_a_thing_has_neither_keypoints_nor_mask(sample: Sample, seed: int) -> None:
    box = np.array([100, 40, 220, 200], np.float32)
    example = thing_example(sample, box, 96, np.random.default_rng(seed))
    assert not example.is_figure
    assert not example.mask.any()
    assert not example.keypoints[:, 2].any()
    assert example.turn == -1
    assert np.ptp(example.image.astype(int)) > 60  # the thing itself is there
    assert pose_example(sample, sample.figures[0], 96, np.random.default_rng(seed)).is_figure


def test_turn_of_a_figure_that_lies_on_its_page_is_unknown(sample: Sample) -> None:
    lying = replace(sample.figures[0], turn=None)
    turns = [pose_example(sample, lying, 96, np.random.default_rng(s)).turn for s in SEEDS]
    assert set(turns) == {-1}


def test_keypoint_outside_the_crop_is_absent(sample: Sample) -> None:
    sample.figures[0].keypoints[0] = (2, 2, 2)
    sample.figures[0].keypoints[1] = (2, 2, -1)
    example = pose_example(sample, sample.figures[0], 96, np.random.default_rng(1))
    assert sorted(example.keypoints[:3, 2]) == [-1, 0, 0]  # unknown stays unknown; mirrored or not


@pytest.mark.usefixtures("plain")
@pytest.mark.parametrize("seed", SEEDS)
def test_boxes_and_masks_of_a_page_fit_its_figure(sample: Sample, seed: int) -> None:
    example = detector_example(sample, 160, np.random.default_rng(seed))
    (box,) = example.boxes
    assert example.image.shape == (160, 160, 3)
    assert example.masks.shape == (1, 160, 160)
    dark = example.image[..., 0] < 200
    inside = dark[int(box[1]) : int(box[3]), int(box[0]) : int(box[2])]
    assert inside.sum() >= 0.98 * dark.sum()
    width, height = sorted((box[2] - box[0], box[3] - box[1]))
    assert width / height == pytest.approx(0.75, abs=0.04)


def test_page_without_figures_has_no_boxes(sample: Sample) -> None:
    empty = Sample(image=sample.image, figures=(), tags=())
    example = detector_example(empty, 64, np.random.default_rng(0))
    assert example.boxes.shape == (0, 4)
    assert example.masks.shape == (0, 64, 64)


def test_other_colours_keep_paper_lighter_than_ink() -> None:
    image = np.full((32, 32, 3), 240, np.uint8)
    image[8:24, 8:24] = 30
    for seed in SEEDS:
        other = jitter_colours(image, np.random.default_rng(seed))
        assert other.shape == image.shape
        assert other.dtype == np.uint8
        assert float(other[:6].mean()) - float(other[12:20, 12:20].mean()) > 80
