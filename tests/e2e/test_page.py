"""The page in a real browser, before a real server: as a parent would use it."""

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from playwright.sync_api import Browser, Page, Request, expect

from tests.support_bad_images import TEXT, blank_page, encode
from tests.support_frames import ink, moved, read_gif
from tests.support_pages import JOB_MS, SIZES, expect_taken, open_page, save

pytestmark = pytest.mark.browser

DRAWING = "anamel-277-green-smile.jpg"
UNTIL_PLAYED = """() => new Promise((resolve) => {
    const video = document.querySelector("video");
    video.addEventListener("timeupdate", () => video.currentTime > 0.3 && resolve());
})"""

on_phone = pytest.mark.parametrize("page", ["phone"], indirect=True)
on_desk = pytest.mark.parametrize("page", ["desk"], indirect=True)


# They may be there for a tenth of a second, which is too short to wait for them.
_NOTE_JOINTS = """() => {
  window.hasShownJoints = false;
  const look = () => { window.hasShownJoints ||= !!document.querySelector(".overlay-joint"); };
  new MutationObserver(look).observe(document, { childList: true, subtree: true });
}"""


@pytest.fixture(params=list(SIZES))
def page(request: pytest.FixtureRequest, browser: Browser, server: str) -> Iterator[Page]:
    """The first page of the app, at the size of a phone or a desk; faults of its code fail."""
    with open_page(browser, request.param) as page:
        page.goto(server)
        yield page


def hand_in(page: Page, file: Path | tuple[str, bytes]) -> None:
    chooser = page.locator("input[type=file]").last
    if isinstance(file, Path):
        chooser.set_input_files(file)
    else:
        name, data = file
        chooser.set_input_files({"name": name, "mimeType": "image/png", "buffer": data})


def wait_for_animation(page: Page, motion: str) -> None:
    expect(page.get_by_role("heading", level=1)).to_have_text(f"It can {motion}!", timeout=JOB_MS)
    expect(page.locator(".player canvas")).to_be_visible()


def test_drawing_dances_then_jumps_and_is_saved(page: Page, shared_data: Path) -> None:
    page.evaluate(_NOTE_JOINTS)
    hand_in(page, shared_data / "drawings" / DRAWING)
    wait_for_animation(page, "dance")
    assert page.evaluate("window.hasShownJoints"), "what was found is shown before it moves"

    page.get_by_role("option", name="Jump", exact=True).click()
    wait_for_animation(page, "jump")

    name, data = save(page, "Save as GIF")
    assert name == "anamel-277-green-smile-jump.gif"
    frames = read_gif(data)
    drawn = ink(frames)
    assert drawn.mean(axis=(1, 2)).min() > 0.01, "a figure is on every frame"
    border = np.ones(drawn.shape[1:], bool)
    border[2:-2, 2:-2] = False
    assert not drawn[:, border].any(), "the figure stays inside the picture"
    # pale lines on white, which hardly move where the jump turns
    assert moved(frames, least=8).min() > 0, "the figure moves from every frame to the next"
    assert moved(frames).mean() > 0.02

    name, data = save(page, "Save as video")
    assert name == "anamel-277-green-smile-jump.mp4"
    assert data[4:8] == b"ftyp"


@on_desk
def test_finished_motion_comes_back_at_once_and_survives_reload(
    page: Page, shared_data: Path
) -> None:
    hand_in(page, shared_data / "drawings" / DRAWING)
    wait_for_animation(page, "dance")
    page.get_by_role("option", name="Wave").click()
    wait_for_animation(page, "wave")

    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.method))
    page.get_by_role("option", name="Dance").click()
    wait_for_animation(page, "dance")
    assert "POST" not in asked, "nothing is made twice"

    page.reload()
    wait_for_animation(page, "dance")
    page.go_back()
    wait_for_animation(page, "wave")
    assert "POST" not in asked, "nothing is made twice after a reload"


@on_phone
def test_video_plays_and_can_be_paused_where_there_is_no_webgl(
    page: Page, shared_data: Path
) -> None:
    page.add_init_script("delete window.WebGL2RenderingContext")
    page.reload()
    hand_in(page, shared_data / "drawings" / DRAWING)
    expect(page.locator(".player video")).to_be_visible(timeout=JOB_MS)
    expect(page.get_by_role("checkbox", name="Over and over")).to_have_count(0)
    page.evaluate(UNTIL_PLAYED)
    page.get_by_role("button", name="Pause").click()
    assert page.evaluate("document.querySelector('video').paused")
    page.get_by_role("button", name="Play", exact=True).click()
    assert not page.evaluate("document.querySelector('video').paused")


@on_phone
def test_page_without_a_figure_is_told_in_plain_words(page: Page) -> None:
    hand_in(page, ("paper.png", encode(blank_page(), "PNG")))
    told = page.get_by_role("alert")
    expect(told).to_contain_text("I could not find a figure", timeout=JOB_MS)
    expect(told.get_by_role("listitem")).not_to_have_count(0)
    page.get_by_role("link", name="Another drawing").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Make a drawing dance")


@on_desk
def test_what_is_no_picture_is_refused_at_once(page: Page) -> None:
    hand_in(page, ("letter.png", TEXT))
    expect(page.get_by_role("alert")).to_contain_text("I cannot read this file")


@on_desk
def test_sample_can_be_tried_with_the_keyboard(page: Page) -> None:
    page.get_by_role("button", name="Try The monster").focus()
    page.keyboard.press("Enter")
    expect(page.get_by_role("progressbar")).to_be_visible()
    expect_taken(page, "monster.jpg")


@on_desk
def test_dropped_and_pasted_pictures_are_taken(page: Page, server: str) -> None:
    carry = """([kind, url]) => fetch(url).then((answer) => answer.blob()).then((blob) => {
        const carried = new DataTransfer();
        carried.items.add(new File([blob], kind + ".jpg", { type: "image/jpeg" }));
        const name = kind === "drop" ? "dataTransfer" : "clipboardData";
        const Kind = kind === "drop" ? DragEvent : ClipboardEvent;
        window.dispatchEvent(new Kind(kind, { [name]: carried, cancelable: true, bubbles: true }));
    })"""
    for kind, sample in (("drop", "hat"), ("paste", "robot")):
        page.goto(server)
        page.evaluate(carry, [kind, f"/samples/{sample}.jpg"])
        expect_taken(page, f"{kind}.jpg")


@on_phone
def test_deleted_drawing_is_gone_for_good(page: Page) -> None:
    page.get_by_role("button", name="Try The dancer").click()
    wait_for_animation(page, "dance")
    address = page.url
    page.get_by_role("button", name="Delete this drawing").click()
    page.get_by_role("button", name="Yes, delete").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Make a drawing dance")
    page.goto(address)
    expect(page.get_by_role("heading", level=1)).to_have_text("There is nothing here")


@on_phone
def test_lost_server_is_told_and_the_work_kept(page: Page) -> None:
    page.route("**/api/**", lambda route: route.abort())
    page.get_by_role("button", name="Try The robot").click()
    told = page.locator(".upload-status")
    expect(told).to_contain_text("Your drawing is kept here and goes on its way by itself")
    expect(page.locator("#banner")).to_contain_text("The server does not answer")
    page.reload()
    expect(told).to_contain_text("goes on its way by itself")
    page.unroute("**/api/**")
    expect(page.locator("#banner")).to_contain_text("The server is back")
    expect_taken(page, "robot.jpg")


def test_page_talks_to_its_own_host_only(browser: Browser, server: str) -> None:
    context = browser.new_context()
    asked: list[str] = []
    context.on("request", lambda request: asked.append(request.url))
    page = context.new_page()
    page.goto(server, wait_until="networkidle")
    assert len(asked) > 10
    assert all(url.startswith((server, "data:", "blob:")) for url in asked), asked
    assert context.cookies() == []
    context.close()


def test_first_page_is_light(browser: Browser, server: str) -> None:
    context = browser.new_context(viewport={"width": 390, "height": 844})
    page = context.new_page()
    asked: list[Request] = []

    def note(request: Request) -> None:
        asked.append(request)

    page.on("requestfinished", note)
    page.goto(server, wait_until="networkidle")
    assert len(asked) > 10
    assert sum(request.sizes()["responseBodySize"] for request in asked) < 200_000
    context.close()


@on_desk
def test_page_whose_code_does_not_come_says_so_and_comes_back(page: Page, server: str) -> None:
    page.route("**/pages/result.js", lambda route: route.abort())
    page.get_by_role("button", name="Try The robot").click()
    expect(page.get_by_role("alert")).to_contain_text("The server does not answer")
    page.unroute("**/pages/result.js")
    page.get_by_role("button", name="Try again").click()
    expect_taken(page, "robot.jpg")
