"""Outlines are mended in a real browser: by finger, by mouse and by keyboard, and it lasts."""

from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import pytest
import yaml
from numpy.typing import NDArray
from PIL import Image
from playwright.sync_api import Browser, BrowserContext, expect

from animator.core.annotation import FigureAnnotation
from animator.core.mask import Mask, run_lengths_from_mask
from tests.support_mending import PAPER, Mender, agreement, silhouette
from tests.support_pages import AXE, find_barriers, new_visit
from tests.support_serve import PATIENCE, ROOT, TINY_MODELS, serving_app, wait_until
from tests.support_touch import Finger, middle_of

pytestmark = pytest.mark.browser

MINUTE = 60.0
ROBOT = ROOT / "web" / "samples" / "robot.jpg"
CROSS = "Brush: the arrow keys move it, hold the space bar to draw"


@pytest.fixture
def phone(browser: Browser) -> Iterator[BrowserContext]:
    context = new_visit(browser, "phone")
    yield context
    context.close()


@pytest.fixture(scope="module")
def desk(browser: Browser, server: str) -> Iterator[Mender]:
    """A sample that the real models have read; its outline changes from test to test."""
    context = new_visit(browser, "desk")
    mender = Mender(context, server, ROBOT.read_bytes())
    yield mender
    context.close()
    assert mender.faults == []


class Character:
    """A drawing whose mask and joints were made by hand, as AnimatedDrawings comes with it."""

    def __init__(self, folder: Path) -> None:
        self.picture = (folder / "texture.png").read_bytes()
        self.mask = np.array(Image.open(folder / "mask.png").convert("L")) > 127
        told = yaml.safe_load((folder / "char_cfg.yaml").read_text())
        self.joints = {joint["name"]: joint for joint in told["skeleton"]}

    def skeleton(self, moved: dict[str, tuple[float, float]]) -> dict[str, Any]:
        """As the API takes it, with some joints elsewhere."""
        joints = [
            {"name": name, "parent": joint["parent"], "x": x, "y": y, "score": 1.0}
            for name, joint in self.joints.items()
            for x, y in [moved.get(name, joint["loc"])]
        ]
        return {"joints": joints}


def spoil(mask: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """An arm and a foot are not found, and paper between the legs is taken for the figure."""
    wrong = mask.copy()
    wrong[225:380, :165] = False
    wrong[490:, 320:] = False
    wrong[420:560, 215:300] = True
    return wrong


def test_wrong_outline_and_joints_are_mended_within_a_minute_with_a_finger(
    phone: BrowserContext, tmp_path: Path, shared_data: Path
) -> None:
    truth = Character(shared_data / "animated-drawings" / "characters" / "char1")
    height, width = truth.mask.shape
    wrong = {
        "right_elbow": (180.0, 300.0),
        "right_hand": (190.0, 360.0),
        "left_foot": (330.0, 450.0),
    }

    def is_mended(mender: Mender) -> bool:
        figure = mender.figure()
        assert figure.skeleton is not None
        places = {joint.name: (joint.x, joint.y) for joint in figure.skeleton.joints}
        away = [np.hypot(*np.subtract(places[name], truth.joints[name]["loc"])) for name in wrong]
        return agreement(silhouette(figure), truth.mask) > 0.95 and max(away) < 3

    with serving_app(tmp_path, models=TINY_MODELS) as app:
        mender = Mender(phone, app.url, truth.picture)
        mask = run_lengths_from_mask(Mask(spoil(truth.mask)))
        change = {"box": [0, 0, width, height], "mask": mask, "skeleton": truth.skeleton(wrong)}
        mender.correct(change)
        assert agreement(silhouette(mender.figure()), truth.mask) < 0.85
        mender.open("outline")
        mender.keep_picture("outline-wrong")
        finger, revision = Finger(mender.page), mender.annotation().revision
        button = partial(mender.page.get_by_role, "button")

        finger.press(button(name="Magic"))
        finger.tap(mender.on_screen(75, 275))  # the line of the arm, which leads to the foot
        mender.hears("Added by magic")
        finger.press(mender.page.get_by_text("Take away"))
        finger.tap(mender.on_screen(258, 470))  # paper between the legs
        mender.hears("Taken away by magic")
        finger.press(button(name="Fill holes"))
        mender.hears("holes filled")
        revision = mender.wait_until_saved(revision)
        mender.keep_picture("outline-mended")

        finger.press(mender.page.get_by_role("link", name="Joints"))
        for name, place in wrong.items():
            finger.draw([mender.on_screen(*place), mender.on_screen(*truth.joints[name]["loc"])])
        mender.wait_until_saved(revision)
        mender.keep_picture("joints-mended")
        assert is_mended(mender)
        assert finger.seconds < MINUTE, f"{finger.gestures} gestures take too long"
        mender.page.reload()
        expect(mender.page.locator(".grip.is-joint")).to_have_count(15)
        assert is_mended(mender)
        assert mender.faults == []
    with serving_app(tmp_path, models=TINY_MODELS) as app:
        mender.url = app.url
        assert is_mended(mender)


def joints_on_paper(figure: FigureAnnotation) -> NDArray[np.float64]:
    """Where the joints are in the drawing (J, 2)."""
    assert figure.skeleton is not None
    corner = (figure.box.x1, figure.box.y1)
    return np.array([np.add(corner, (joint.x, joint.y)) for joint in figure.skeleton.joints])


def place(figure: FigureAnnotation, joint: str) -> NDArray[np.float64]:
    assert figure.skeleton is not None
    return np.asarray(joints_on_paper(figure)[figure.skeleton.index(joint)])


def parts(figure: FigureAnnotation) -> int:
    return int(cv2.connectedComponents(silhouette(figure).astype(np.uint8), connectivity=4)[0]) - 1


def test_what_is_painted_beside_the_box_belongs_to_the_figure_and_can_be_taken_back(
    desk: Mender,
) -> None:
    before, revision = desk.figure(), desk.annotation().revision
    desk.open("outline")
    start = desk.on_screen(before.box.x1 - 30, before.box.y1 + 60)
    desk.drag([start, (start[0], start[1] + 40)])
    desk.hears("Added.")
    revision = desk.wait_until_saved(revision)
    grown = desk.figure()
    assert grown.box.x1 < before.box.x1 - 30
    np.testing.assert_allclose(joints_on_paper(grown), joints_on_paper(before), atol=1e-3)
    assert parts(grown) == parts(before) + 1

    desk.page.get_by_role("button", name="One piece").click()
    desk.hears("One piece taken away.")
    revision = desk.wait_until_saved(revision)
    assert parts(desk.figure()) == 1

    desk.page.keyboard.press("Control+z")
    desk.hears("Taken back: taking pieces away.")
    desk.page.keyboard.press("Control+z")
    wait_until(lambda: desk.figure() == before, PATIENCE, "the figure as it was")


def test_cut_through_the_neck_leaves_a_head_of_its_own_and_the_figure_dances_on(
    desk: Mender,
) -> None:
    before, revision = desk.figure(), desk.annotation().revision
    neck = 0.35 * place(before, "neck")[1] + 0.65 * place(before, "torso")[1]
    desk.open("outline")
    desk.page.keyboard.press("c")
    desk.drag([desk.on_screen(before.box.x1 - 5, neck), desk.on_screen(before.box.x2 + 5, neck)])
    desk.hears("Cut through: there is a piece more now.")
    desk.wait_until_saved(revision)
    cut = desk.figure()
    assert parts(cut) > parts(before)
    lost = silhouette(before).sum() - silhouette(cut).sum()
    assert 0 < lost < 0.03 * silhouette(before).sum(), "a slit is thin"
    expect(desk.page.locator(".dancer:not([aria-busy]) canvas")).to_be_visible(timeout=20_000)
    desk.keep_picture("outline-cut")


def test_outline_is_mended_by_keyboard_alone(desk: Mender) -> None:
    before, revision = desk.figure(), desk.annotation().revision
    desk.open("outline")
    cross, keyboard = desk.page.get_by_role("button", name=CROSS), desk.page.keyboard
    cross.focus()
    keyboard.press("e")
    desk.hears("Erase what is not the figure.")
    for key in ("]", "]"):
        keyboard.press(key)
    keyboard.down(" ")
    for _ in range(6):
        keyboard.press("ArrowRight")
    keyboard.up(" ")
    desk.hears("Erased.")
    desk.wait_until_saved(revision)
    erased = silhouette(before) & ~silhouette(desk.figure())
    assert erased.sum() > 200
    columns = np.flatnonzero(erased.any(axis=0))
    rows = np.flatnonzero(erased.any(axis=1))
    assert len(columns) > len(rows), "it went to the right"

    keyboard.press("Control+z")
    desk.hears("Taken back: erasing.")
    wait_until(lambda: desk.figure() == before, PATIENCE, "the figure as it was")

    if AXE.is_file():
        keyboard.press("f")
        assert find_barriers(desk.page) == []
    revision = desk.annotation().revision
    keyboard.press("g")
    desk.hears("Touch what is not the figure")
    keyboard.press(" ")
    desk.hears("Taken away by magic.")
    keyboard.press("h")
    expect(desk.page.locator(".outline-canvas")).to_be_hidden()
    desk.wait_until_saved(revision)


def test_outline_is_found_anew_when_it_is_asked_for(desk: Mender) -> None:
    legs = silhouette(desk.figure()).copy()
    half = len(legs) // 2
    legs[:half] = False
    desk.correct({"mask": run_lengths_from_mask(Mask(legs))})
    desk.open("outline")
    desk.page.get_by_role("button", name="Find anew").click()
    wait_until(lambda: silhouette(desk.figure())[:half].sum() > 0, PATIENCE, "another outline")
    found = silhouette(desk.figure())
    assert 0.3 < found[:half].sum() / found.sum() < 0.7
    expect(desk.page.locator(".edit-state")).to_have_text("Saved")


def test_two_fingers_zoom_and_paint_nothing(phone: BrowserContext, server: str) -> None:
    mender = Mender(phone, server, ROBOT.read_bytes())
    mender.open("outline")
    revision, finger = mender.annotation().revision, Finger(mender.page)
    middle = middle_of(mender.page.locator(".board"))
    wide = mender.page.evaluate(PAPER)[2]
    finger.pinch(middle, 60, 180)
    assert mender.page.evaluate(PAPER)[2] > 2 * wide
    mender.page.wait_for_timeout(500)
    assert mender.annotation().revision == revision

    before = silhouette(mender.figure())
    mender.page.get_by_role("button", name="Erase").tap()
    finger.draw([middle, (middle[0] + 30, middle[1])])
    mender.wait_until_saved(revision)
    erased = before & ~silhouette(mender.figure())
    assert 0 < erased.sum() < 0.05 * before.sum(), "the closer one looks, the finer the brush"
    assert mender.faults == []
