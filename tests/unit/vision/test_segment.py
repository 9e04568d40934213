"""Outlines of drawings whose true silhouette is known."""

from pathlib import Path

import cv2
import numpy as np
import pytest
from numpy.typing import NDArray
from PIL import Image

from animator.core.drawing import Figure
from animator.core.errors import EmptyMask
from animator.core.geometry import Box
from animator.vision import segment
from animator.vision.belief import Belief
from tests.support_drawings import (
    HEAD,
    STROKES,
    draw_stick_figure,
    paper,
    stick_belief,
    stick_figure,
)

Bits = NDArray[np.bool_]


def figure_of(image: NDArray[np.uint8]) -> Figure:
    height, width = image.shape[:2]
    return Figure(box=Box(0.0, 0.0, float(width), float(height)), image=image)


def belief_of(own: NDArray[np.float32], taken: Bits | None = None) -> Belief:
    """A belief whose box is the whole crop but for a rim of 5 pixels."""
    box = np.zeros(own.shape, bool)
    box[5:-5, 5:-5] = True
    none = np.zeros(own.shape, bool)
    return Belief(own=own, box=box, taken=none if taken is None else taken, denied=none)


def flat(shape: tuple[int, ...], value: float = 0.75) -> Belief:
    """A belief that takes all for the figure, but is not certain of it."""
    return belief_of(np.full(shape, value, np.float32))


def coarse(truth: Bits) -> NDArray[np.float32]:
    """A true mask as a model gives it: 28 x 28 cells, a little unsure."""
    cells = cv2.resize(truth.astype(np.float32), (28, 28), interpolation=cv2.INTER_AREA)
    return np.asarray(cv2.resize(0.95 * cells, truth.shape[::-1]), np.float32)


def true_mask() -> Bits:
    """The stick figure's strokes, with the soft rim that antialiasing gives them, and full head."""
    canvas = np.zeros((300, 200), np.uint8)
    cv2.ellipse(canvas, HEAD[0], HEAD[1], 0, 0, 360, 1, -1)
    cv2.ellipse(canvas, HEAD[0], HEAD[1], 0, 0, 360, 1, 5)
    for start, end in STROKES:
        cv2.line(canvas, start, end, 1, 5)
    return canvas > 0


def overlap(a: Bits, b: Bits) -> float:
    return float((a & b).sum() / (a | b).sum())


def test_stick_figure_gets_its_strokes_and_a_full_head() -> None:
    mask = segment(figure_of(stick_figure()), belief_of(stick_belief())).data
    assert overlap(mask, true_mask()) > 0.88
    assert mask[60, 100]
    assert not mask[150, 40]


def test_shadow_across_the_figure_changes_nothing() -> None:
    image = stick_figure().astype(np.float32)
    image[150:] *= 0.6
    mask = segment(figure_of(image.astype(np.uint8)), belief_of(stick_belief())).data
    assert overlap(mask, true_mask()) > 0.88


def test_faint_pencil_is_found() -> None:
    image = draw_stick_figure(paper(), ink=(205, 205, 205))
    assert overlap(segment(figure_of(image), belief_of(stick_belief())).data, true_mask()) > 0.85


def test_yellow_pen_is_found() -> None:
    image = draw_stick_figure(paper(level=250), ink=(245, 235, 120))
    assert overlap(segment(figure_of(image), belief_of(stick_belief())).data, true_mask()) > 0.85


def test_white_on_black_is_found() -> None:
    image = draw_stick_figure(np.zeros((300, 200, 3), np.uint8), ink=(255, 255, 255))
    assert overlap(segment(figure_of(image), belief_of(stick_belief())).data, true_mask()) > 0.88


def test_underexposed_page_is_no_light_drawing_on_dark() -> None:
    image = draw_stick_figure(paper(level=75), ink=(10, 10, 20))
    assert overlap(segment(figure_of(image), belief_of(stick_belief())).data, true_mask()) > 0.85


def test_faint_legs_under_a_dark_coat_are_found() -> None:
    page = draw_stick_figure(paper(), ink=(190, 180, 185))
    cv2.rectangle(page, (92, 100), (108, 170), (20, 20, 20), -1)
    mask = segment(figure_of(page), belief_of(stick_belief())).data
    assert mask[240, 125]
    assert mask[240, 75]


def test_ruled_lines_are_left_out() -> None:
    page = paper()
    for row in range(20, 300, 28):
        cv2.line(page, (0, row), (199, row + 4), (150, 160, 190), 1, cv2.LINE_AA)
    mask = segment(figure_of(draw_stick_figure(page)), belief_of(stick_belief())).data
    assert overlap(mask, true_mask()) > 0.85
    assert not mask[:, :15].any()


def test_sun_beside_the_figure_is_left_out() -> None:
    image = stick_figure()
    cv2.circle(image, (175, 30), 14, (200, 120, 0), 3)
    mask = segment(figure_of(image), belief_of(stick_belief())).data
    assert not mask[10:50, 155:].any()


def test_limb_that_leaves_the_belief_is_followed() -> None:
    own = stick_belief()
    own[:, 130:] = 0.0
    box = np.zeros(own.shape, bool)
    box[:, :130] = True
    none = np.zeros(own.shape, bool)
    belief = Belief(own=own, box=box, taken=none, denied=none)
    assert segment(figure_of(stick_figure()), belief).data[120, 160]


def test_rivals_ink_is_left_out_though_it_touches() -> None:
    taken = np.zeros((300, 200), bool)
    taken[:, 130:] = True
    mask = segment(figure_of(stick_figure()), belief_of(stick_belief(), taken)).data
    assert mask[120, 120]
    assert not mask[:, 136:].any()


def test_gap_in_the_head_is_closed() -> None:
    image = stick_figure()
    image[40:52, 58:72] = 230
    assert segment(figure_of(image), belief_of(stick_belief())).data[60, 100]


def test_detached_leg_is_joined() -> None:
    image = stick_figure()
    image[190:205, 60:100] = 230
    mask = segment(figure_of(image), belief_of(stick_belief())).data
    assert mask[250, 71]
    assert cv2.connectedComponents(mask.astype(np.uint8))[0] == 2


def test_colour_fill_without_outline_is_solid() -> None:
    image = paper()
    cv2.rectangle(image, (60, 40), (140, 260), (90, 170, 60), -1)
    mask = segment(figure_of(image), flat((300, 200))).data
    assert mask[40:260, 60:140].all()
    assert not mask[:30].any()


def test_large_picture_is_outlined_at_its_own_size() -> None:
    large = cv2.resize(stick_figure(), (1400, 2100), interpolation=cv2.INTER_CUBIC)
    belief = cv2.resize(stick_belief(), (1400, 2100))
    mask = segment(
        figure_of(np.asarray(large, np.uint8)), belief_of(np.asarray(belief, np.float32))
    ).data
    assert mask.shape == (2100, 1400)
    small = cv2.resize(mask.astype(np.uint8), (200, 300), interpolation=cv2.INTER_AREA) > 0
    assert overlap(small, true_mask()) > 0.85


@pytest.mark.parametrize("level", [255, 0], ids=["white", "black"])
def test_page_without_ink_is_an_error_with_advice(level: int) -> None:
    with pytest.raises(EmptyMask, match="darker pen"):
        segment(figure_of(np.full((120, 90, 3), level, np.uint8)), flat((120, 90)))


def test_nothing_believed_is_an_error() -> None:
    with pytest.raises(EmptyMask):
        segment(figure_of(stick_figure()), flat((300, 200), 0.0))


@pytest.mark.parametrize("name", ["char1", "char2", "char3", "char5", "char6"])
def test_closed_figures_agree_with_their_published_masks(shared_data: Path, name: str) -> None:
    folder = shared_data / "animated-drawings" / "characters" / name
    image = np.array(Image.open(folder / "texture.png").convert("RGB"))
    truth = np.array(Image.open(folder / "mask.png").convert("L")) > 127
    mask = segment(figure_of(image), belief_of(coarse(truth))).data
    assert not (mask & ~truth).sum() > 0.01 * truth.sum()
    # those who published them left two pixels of paper around the ink
    grown = cv2.dilate(mask.astype(np.uint8), np.ones((5, 5), np.uint8)) > 0
    assert overlap(grown, truth) >= 0.96


def test_edge_in_a_large_picture_runs_between_the_pixels_of_the_grid_it_was_found_on() -> None:
    page = np.full((2400, 1800, 3), 235, np.uint8)
    cv2.ellipse(page, (900, 1200), (500, 800), 0, 0, 360, (40, 40, 40), 24, cv2.LINE_AA)
    truth = np.zeros((2400, 1800), np.uint8)
    cv2.ellipse(truth, (900, 1200), (500, 800), 0, 0, 360, 1, 24)
    cv2.ellipse(truth, (900, 1200), (500, 800), 0, 0, 360, 1, -1)
    mask = segment(figure_of(page), flat((240, 180))).data
    off = cv2.distanceTransform(truth, cv2.DIST_L2, 5) + cv2.distanceTransform(
        1 - truth, cv2.DIST_L2, 5
    )
    wrong = mask != (truth > 0)
    # 2400 pixels were looked at as 640: 3.75 each
    assert off[wrong].max() <= 3.75
    assert wrong.sum() < 3.0 * 4100
