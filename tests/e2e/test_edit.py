"""Figures, joints and draw order are mended in a real browser, by finger, mouse and keyboard."""

from collections.abc import Iterator
from itertools import pairwise

import msgspec
import pytest
from playwright.sync_api import Browser, Locator, Response, expect

from animator.core.annotation import FigureAnnotation
from animator.core.skeleton import Joint
from tests.support_bad_images import blank_page, encode
from tests.support_mending import Mender
from tests.support_pages import JOB_MS, SIZES, new_visit
from tests.support_serve import App
from tests.support_touch import Finger, Point, between, middle_of

pytestmark = pytest.mark.browser


class Visit:
    """One browser with one drawing, opened by a tool at a time; `reset` undoes all corrections."""

    def __init__(self, browser: Browser, app: App, kind: str) -> None:
        is_phone = kind == "phone"
        self.kind = kind
        self.context = new_visit(browser, kind, device_scale_factor=2 if is_phone else 1)
        picture = app.http.get("/samples/dancer.jpg").content
        self.mender = Mender(self.context, app.url, picture)
        self.page = self.mender.page
        self.found = self.mender.annotation()
        self.finger = Finger(self.page) if is_phone else None
        self.tracks: list[str] = []
        self.page.on("response", self.keep_track)

    @property
    def figure(self) -> FigureAnnotation:
        return self.mender.figure()

    @property
    def revision(self) -> int:
        return self.mender.annotation().revision

    def open(self, tool: str) -> None:
        self.mender.open(tool)
        expect(self.page.locator(".edit-state")).to_have_text("Saved")

    def reset(self) -> None:
        now = self.mender.annotation()
        if now.figures == self.found.figures:
            return
        answer = self.mender.http.put(
            f"{self.mender.address}/annotation",
            data=msgspec.json.encode(self.found).decode(),
            headers={"Content-Type": "application/json", "If-Match": f'"{now.revision}"'},
        )
        assert answer.ok, answer.text()

    def drag(self, *way: Point) -> None:
        """With a finger on a phone, with the mouse on a desk."""
        if self.finger is not None:
            self.finger.draw(way)
            return
        mouse = self.page.mouse
        mouse.move(*way[0])
        mouse.down()
        for start, end in pairwise(way):
            for place in between(start, end):
                mouse.move(*place)
        mouse.up()

    def drag_by(self, node: Locator, right: float, down: float) -> float:
        """Drag by CSS pixels and wait until it is saved; pixels of the drawing for one of CSS."""
        revision = self.revision
        x, y = middle_of(node)
        self.drag((x, y), (x + right / 2, y + down), (x + right, y + down))
        self.mender.wait_until_saved(revision)
        return self.pixel

    @property
    def pixel(self) -> float:
        (left, _), (right, _) = self.mender.on_screen(0, 0), self.mender.on_screen(1, 0)
        return 1 / (right - left)

    def press(self, button: str) -> None:
        """Press a button of a tool, and wait until what it did is saved."""
        revision = self.revision
        self.page.get_by_role("button", name=button, exact=True).click()
        self.mender.wait_until_saved(revision)

    def press_key(self, key: str) -> None:
        revision = self.revision
        self.page.keyboard.press(key)
        self.mender.wait_until_saved(revision)

    def wait_until_it_dances(self) -> int:
        """The revision of the annotation that the player shows."""
        expect(self.page.locator(".dancer:not(.is-old) canvas")).to_be_visible(timeout=JOB_MS)
        told = self.mender.http.get(f"{self.mender.url}/api/animations/{self.tracks[-1]}").json()
        return int(told["revision"])

    def keep_track(self, answer: Response) -> None:
        if answer.url.endswith("file.track"):
            self.tracks.append(answer.url.split("/")[-2])


@pytest.fixture(scope="module", params=list(SIZES))
def shared_visit(request: pytest.FixtureRequest, browser: Browser, app: App) -> Iterator[Visit]:
    visit = Visit(browser, app, request.param)
    yield visit
    visit.context.close()


@pytest.fixture
def visit(shared_visit: Visit) -> Iterator[Visit]:
    """A phone that is touched, or a desk with a mouse; faults of the page's code fail."""
    shared_visit.reset()
    shared_visit.page.goto("about:blank")
    yield shared_visit
    assert shared_visit.mender.faults == []


on_phone = pytest.mark.parametrize("shared_visit", ["phone"], indirect=True)
on_desk = pytest.mark.parametrize("shared_visit", ["desk"], indirect=True)


def joint(figure: FigureAnnotation, name: str) -> Joint:
    assert figure.skeleton is not None
    return figure.skeleton.joints[figure.skeleton.index(name)]


def box_of(figure: FigureAnnotation) -> tuple[float, float, float, float]:
    return figure.box.x1, figure.box.y1, figure.box.x2, figure.box.y2


def test_wrong_joint_is_dragged_and_the_figure_dances_anew(visit: Visit) -> None:
    visit.open("joints")
    before = joint(visit.figure, "left_hand")
    hand = visit.page.get_by_role("button", name="left hand", exact=True)
    tag = visit.page.locator(".joint-tag")
    if visit.finger is None:
        visit.drag_by(hand, -40, 30)
    else:
        (x, y), revision = middle_of(hand), visit.revision
        visit.finger.hold([(x, y), (x - 40, y + 30)])
        expect(tag).to_have_text("left hand")
        expect(visit.page.locator(".loupe")).to_be_visible()
        visit.mender.keep_picture("edit-joint-held-phone")
        visit.finger.lift()
        visit.mender.wait_until_saved(revision)
    expect(tag).to_be_hidden()
    after = joint(visit.figure, "left_hand")
    moved = (after.x - before.x, after.y - before.y)
    assert moved == pytest.approx((-40 * visit.pixel, 30 * visit.pixel), abs=1.5)
    assert after.score == 1.0
    assert visit.wait_until_it_dances() == visit.revision
    visit.mender.keep_picture(f"edit-joints-{visit.kind}")


@on_desk
def test_correction_is_there_after_reload_and_undo_and_redo_lead_to_and_fro(visit: Visit) -> None:
    visit.open("joints")
    hip = visit.page.get_by_role("button", name="left foot", exact=True)
    visit.drag_by(hip, 20, -20)
    mended = visit.figure
    for button, expected in (("Take back", visit.found.figures[0]), ("Do again", mended)):
        visit.press(button)
        assert visit.figure == expected
    visit.page.reload()
    expect(visit.page.locator(".grip.is-joint")).to_have_count(15)
    assert visit.figure == mended
    x, y = middle_of(visit.page.get_by_role("button", name="left foot", exact=True))
    there = joint(mended, "left_foot")
    box = box_of(mended)
    assert (x, y) == pytest.approx(
        visit.mender.on_screen(box[0] + there.x, box[1] + there.y), abs=1.0
    )


def test_box_is_pulled_and_what_is_in_it_found_anew(visit: Visit) -> None:
    visit.open("figures")
    before = box_of(visit.figure)
    corner = visit.page.get_by_role("button", name="Lower right corner")
    pixel = visit.drag_by(corner, -30, -40)
    after = visit.figure
    expected = (*before[:2], before[2] - 30 * pixel, before[3] - 40 * pixel)
    assert box_of(after) == pytest.approx(expected, abs=1.5)
    assert visit.wait_until_it_dances() == visit.revision
    found = visit.figure
    assert found.mask is not None
    assert found.mask.size == (after.box.height, after.box.width)
    assert found.skeleton is not None
    visit.mender.keep_picture(f"edit-figures-{visit.kind}")
    visit.press("Take back")
    assert visit.figure == visit.found.figures[0], "mask and joints come back with the box"


@on_phone
def test_figure_is_taken_away_and_drawn_by_hand(visit: Visit) -> None:
    visit.open("figures")
    x1, y1, x2, y2 = box_of(visit.figure)
    visit.press("Take away")
    assert visit.mender.annotation().figures == ()
    expect(visit.page.locator(".dancer-note")).to_have_text("Nobody dances")
    visit.mender.keep_picture(f"edit-nobody-{visit.kind}")
    revision = visit.revision
    start, end = visit.mender.on_screen(x1, y1), visit.mender.on_screen(x2, y2)
    visit.drag(start, ((start[0] + end[0]) / 2, end[1]), end)
    visit.mender.wait_until_saved(revision)
    assert visit.wait_until_it_dances() == visit.revision
    figure = visit.figure
    assert box_of(figure) == pytest.approx((x1, y1, x2, y2), abs=2 * visit.pixel)
    assert figure.skeleton is not None
    assert figure.mask is not None


@on_desk
def test_rejected_figure_stays_on_the_paper_until_it_may_dance(visit: Visit) -> None:
    visit.open("figures")
    visit.press("Keep still")
    assert visit.figure.hidden
    expect(visit.page.locator(".dancer-note")).to_have_text("Nobody dances")
    visit.press("Let it dance")
    assert visit.figure == visit.found.figures[0]
    assert visit.wait_until_it_dances() == visit.revision


@on_phone
def test_another_body_is_laid_into_the_paint(visit: Visit) -> None:
    visit.open("joints")
    visit.press("Four legs")
    figure = visit.figure
    assert figure.skeleton is not None
    names = {joint.name for joint in figure.skeleton.joints}
    assert {"left_foot_f", "right_foot_b", "tail_tip"} <= names
    assert visit.wait_until_it_dances() == visit.revision
    visit.mender.keep_picture(f"edit-four-legs-{visit.kind}")
    visit.press("Take back")
    assert visit.figure == visit.found.figures[0]


@on_desk
def test_limbs_are_taken_off_and_put_on_and_swapped(visit: Visit) -> None:
    visit.open("joints")
    visit.press("Has no arms")
    figure = visit.figure
    assert figure.skeleton is not None
    assert not any(one.name.endswith("hand") for one in figure.skeleton.joints)
    assert visit.wait_until_it_dances() == visit.revision
    revision = visit.revision
    visit.page.get_by_role("combobox").select_option(label="left arm")
    visit.mender.wait_until_saved(revision)
    assert joint(visit.figure, "left_hand").parent == "left_elbow"
    left = joint(visit.figure, "left_foot")
    visit.press("Swap sides")
    swapped = joint(visit.figure, "right_foot")
    assert (swapped.x, swapped.y) == (left.x, left.y)
    assert joint(visit.figure, "right_hand").parent == "right_elbow"
    visit.page.get_by_role("button", name="right hand", exact=True).click()
    visit.press("Take off")
    assert visit.figure.skeleton is not None
    assert "right_shoulder" not in {one.name for one in visit.figure.skeleton.joints}


@on_phone
def test_limb_is_put_in_front(visit: Visit) -> None:
    visit.open("order")
    row = visit.page.get_by_role("group", name="left arm")
    revision = visit.revision
    row.get_by_text("In front").click()
    visit.mender.wait_until_saved(revision)
    assert visit.figure.limbs == {"left_shoulder": "front"}
    assert visit.wait_until_it_dances() == visit.revision
    visit.mender.keep_picture(f"edit-order-{visit.kind}")
    revision = visit.revision
    row.get_by_text("Either").click()
    visit.mender.wait_until_saved(revision)
    assert visit.figure.limbs == {}


@on_phone
def test_two_fingers_zoom_and_move_nothing_else(visit: Visit) -> None:
    visit.open("joints")
    assert visit.finger is not None
    before, pixel, revision = visit.figure, visit.pixel, visit.revision
    hand = visit.page.get_by_role("button", name="right hand", exact=True)
    x, y = middle_of(hand)
    visit.finger.pinch((x + 30, y), 60, 180)  # one of the two is on the hand
    assert visit.pixel == pytest.approx(pixel / 3, rel=0.05)
    x, y = (
        joint(before, "right_hand").x + before.box.x1,
        joint(before, "right_hand").y + before.box.y1,
    )
    assert middle_of(hand) == pytest.approx(visit.mender.on_screen(x, y), abs=1.0)
    assert visit.revision == revision


@on_desk
def test_everything_can_be_done_with_the_keyboard(visit: Visit) -> None:
    page, keyboard = visit.page, visit.page.keyboard
    visit.open("joints")
    hand, before = page.get_by_role("button", name="left hand", exact=True), visit.figure
    hand.focus()
    revision = visit.revision
    for key in ("ArrowRight", "Shift+ArrowUp"):
        keyboard.press(key)
    visit.mender.wait_until_saved(revision)
    start, end = joint(before, "left_hand"), joint(visit.figure, "left_hand")
    assert (end.x - start.x, end.y - start.y) == pytest.approx((1, -10))
    visit.press_key("Control+z")
    assert visit.figure == before
    visit.press_key("Control+Shift+Z")
    assert joint(visit.figure, "left_hand") == end

    page.get_by_role("link", name="Figures").press("Enter")
    badge = page.get_by_role("button", name="Figure 1 of 1")
    badge.focus()
    revision, box = visit.revision, box_of(visit.figure)
    for key in ("Shift+ArrowLeft", "Shift+ArrowUp", "ArrowUp"):
        keyboard.press(key)
    visit.mender.wait_until_saved(revision)
    x1, y1, x2, y2 = box
    assert box_of(visit.figure) == (x1, y1 - 1, x2 - 10, y2 - 11)
    visit.press_key("Delete")
    assert visit.mender.annotation().figures == ()
    page.get_by_role("button", name="New figure").press("Enter")
    expect(badge).to_be_focused()
    expect(page.locator(".edit-state")).to_have_text("Saved")
    assert len(visit.mender.annotation().figures) == 1


@on_desk
def test_wheel_and_keys_zoom_and_all_is_shown_again(visit: Visit) -> None:
    visit.open("figures")
    pixel = visit.pixel
    fitting = visit.page.locator(".board-paper").get_attribute("style") or ""
    x, y = middle_of(visit.page.locator(".board"))
    visit.page.mouse.move(x, y)
    visit.page.mouse.wheel(0, -200)
    expect(visit.page.locator(".board-paper")).not_to_have_attribute("style", fitting)
    closer = visit.pixel
    assert closer < 0.9 * pixel
    visit.page.locator(".board").focus()
    visit.page.keyboard.press("+")
    assert visit.pixel < closer
    visit.page.keyboard.press("0")
    assert visit.pixel == pytest.approx(pixel)


@on_desk
def test_page_on_which_nobody_was_found_leads_to_where_a_box_is_drawn(visit: Visit) -> None:
    blank = Mender(visit.context, visit.mender.url, encode(blank_page(), "PNG"))
    page = blank.page
    page.goto(f"{blank.url}/drawings/{blank.drawing}")
    page.get_by_role("link", name="Draw a box around it myself").click(timeout=JOB_MS)
    expect(page.locator(".tool-hint")).to_contain_text("I found nobody")
    assert blank.annotation().figures == ()
    revision = blank.annotation().revision
    x, y = middle_of(page.locator(".board-picture"))
    page.mouse.move(x - 90, y - 120)
    page.mouse.down()
    page.mouse.move(x, y)
    page.mouse.move(x + 90, y + 120)
    page.mouse.up()
    blank.wait_until_saved(revision)
    expect(page.locator(".dancer:not(.is-old) canvas")).to_be_visible(timeout=JOB_MS)
    assert blank.figure().skeleton is not None
    page.close()
    assert blank.faults == []
