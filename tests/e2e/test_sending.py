"""Handing in drawings in a real browser: several at once, from the clipboard, by a camera."""

from collections.abc import Iterator
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import Browser, Page, Route, expect

from tests.support_pages import (
    JOB_MS,
    SIZES,
    expect_taken,
    find_shifts,
    hand_in,
    open_page,
    take_picture,
)

pytestmark = pytest.mark.browser

COPY = """async (url) => {
  const picture = await createImageBitmap(await (await fetch(url)).blob());
  const canvas = new OffscreenCanvas(picture.width, picture.height);
  canvas.getContext("2d").drawImage(picture, 0, 0);
  const blob = await canvas.convertToBlob({ type: "image/png" });
  await navigator.clipboard.write([new ClipboardItem({ "image/png": blob })]);
}"""


@pytest.fixture(params=list(SIZES))
def page(request: pytest.FixtureRequest, browser: Browser, server: str) -> Iterator[Page]:
    with open_page(browser, request.param) as page:
        page.goto(server)
        yield page


@pytest.fixture
def desk(browser: Browser, server: str) -> Iterator[Page]:
    allowed = ["clipboard-read", "clipboard-write", "camera"]
    with open_page(browser, "desk", permissions=allowed) as page:
        page.goto(server)
        yield page


def size_of(page: Page) -> str:
    width = page.viewport_size["width"] if page.viewport_size else 0
    return "phone" if width == SIZES["phone"][0] else "desk"


def test_several_are_sent_the_first_opens_and_the_others_are_one_tap_away(
    page: Page, server: str
) -> None:
    hand_in(page, "hat", "robot", "dancer")
    expect_taken(page, "hat.jpg")
    take_picture(page, f"sending-{size_of(page)}")
    strip = page.locator(".strip")
    expect(strip.get_by_role("link")).to_have_count(3, timeout=JOB_MS)
    expect(strip.locator("[aria-current=page]")).to_contain_text("hat.jpg")
    expect(page.locator(".player canvas")).to_be_visible(timeout=JOB_MS)
    take_picture(page, f"result-{size_of(page)}")
    assert find_shifts(page) == []
    strip.get_by_role("link", name="robot.jpg").click()
    expect(strip.locator("[aria-current=page]")).to_contain_text("robot.jpg")
    expect_taken(page, "robot.jpg")

    page.goto(server)
    mine = page.locator(".my-drawings")
    expect(mine.get_by_role("link")).to_have_count(3)
    expect(mine.get_by_role("link").first).to_contain_text("dancer.jpg, 30 days left")
    take_picture(page, f"mine-{size_of(page)}")
    assert find_shifts(page) == []
    mine.get_by_role("link", name="hat.jpg").click()
    expect(page.locator(".player canvas")).to_be_visible(timeout=JOB_MS)


def test_same_drawing_again_is_the_same_drawing(desk: Page, server: str) -> None:
    hand_in(desk, "monster")
    expect_taken(desk, "monster.jpg")
    first = urlsplit(desk.url).path
    desk.goto(server)
    hand_in(desk, "monster")
    expect_taken(desk, "monster.jpg")
    assert urlsplit(desk.url).path == first


def test_bad_file_is_told_and_makes_way_for_a_good_one(desk: Page) -> None:
    chooser = desk.locator("input[type=file][multiple]")
    chooser.set_input_files({"name": "letter.png", "mimeType": "image/png", "buffer": b"Dear all"})
    alert = desk.get_by_role("alert")
    expect(alert).to_contain_text("I cannot read this file")
    desk.get_by_role("button", name="Another picture").click()
    expect(alert).to_have_count(0)
    hand_in(desk, "hat")
    expect_taken(desk, "hat.jpg")


def test_server_that_has_too_much_to_do_is_asked_again_by_itself(desk: Page) -> None:
    answers = iter([429])

    def answer(route: Route) -> None:
        if status := next(answers, None):
            problem = '{"code": "too_many_requests", "detail": "Too often."}'
            route.fulfill(status=status, content_type="application/problem+json", body=problem)
        else:
            route.continue_()

    desk.route("**/api/drawings?*", answer)
    hand_in(desk, "robot")
    expect(desk.locator(".upload-status")).to_contain_text("There is a queue just now")
    expect_taken(desk, "robot.jpg")


def test_picture_is_pasted_by_button_and_by_keys(desk: Page, server: str) -> None:
    desk.get_by_role("button", name="Paste a picture").click()
    expect(desk.locator(".drop-zone")).to_contain_text("There is no picture to paste")
    desk.evaluate(COPY, "/samples/dancer.jpg")
    desk.get_by_role("button", name="Paste a picture").click()
    expect_taken(desk, "pasted picture.png")
    desk.goto(server)
    desk.evaluate(COPY, "/samples/hat.jpg")
    desk.keyboard.press("Control+V")
    expect_taken(desk, "image.png")


def test_photo_is_taken_looked_at_taken_again_and_used(desk: Page) -> None:
    desk.get_by_role("button", name="Take a photo").click()
    camera = desk.get_by_role("dialog", name="Take a photo")
    take = camera.get_by_role("button", name="Take the photo")
    expect(take).to_be_enabled()
    expect(take).to_be_focused()
    take_picture(desk, "camera-desk")
    take.click()
    camera.get_by_role("button", name="Once more").click()
    take.click()
    camera.get_by_role("button", name="Use this one").click()
    expect(camera).to_have_count(0)
    expect_taken(desk, "photo.jpg")


def test_camera_that_is_refused_is_told_and_closed(browser: Browser, server: str) -> None:
    refuse = "navigator.mediaDevices.getUserMedia = () => Promise.reject(new Error('no'));"
    with open_page(browser, "desk") as page:
        page.add_init_script(refuse)
        page.goto(server)
        page.get_by_role("button", name="Take a photo").click()
        camera = page.get_by_role("dialog")
        expect(camera).to_contain_text("I may not use the camera")
        page.keyboard.press("Escape")
        expect(camera).to_have_count(0)
