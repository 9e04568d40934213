"""Every page: nothing moves by itself, axe finds nothing, and both languages are spoken."""

from collections.abc import Iterator
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import Browser, FilePayload, Page, expect

from tests.support_bad_images import blank_page, encode
from tests.support_pages import (
    AXE,
    JOB_MS,
    LANGUAGES,
    SIZES,
    find_barriers,
    find_shifts,
    find_small,
    hand_in,
    open_page,
    take_picture,
)

pytestmark = pytest.mark.browser

TOOLS = ("figures", "outline", "joints", "order")


@pytest.fixture(params=zip(SIZES, LANGUAGES, strict=True), ids="-".join)
def visit(
    request: pytest.FixtureRequest, browser: Browser, server: str
) -> Iterator[tuple[Page, str]]:
    """A first visit at a size in a language, and a name for both."""
    size, language = request.param
    options = {"locale": LANGUAGES[language], "reduced_motion": "reduce"}
    with open_page(browser, size, **options) as page:
        page.goto(server, wait_until="networkidle")
        yield page, f"{size}-{language}"


def test_nobody_is_kept_from_any_page(visit: tuple[Page, str], server: str) -> None:
    if not AXE.is_file():
        pytest.skip("axe is not installed: run `npm ci` in web/")
    page, name = visit
    found = {"first": find_barriers(page)}
    take_picture(page, f"first-{name}")
    hand_in(page, "robot")
    expect(page.locator(".stage .picture, .player canvas").first).to_be_visible()
    found["working"] = find_barriers(page)
    expect(page.locator(".player canvas")).to_be_visible(timeout=JOB_MS)
    page.locator(".exports summary").click()
    page.locator(".share .button").click()
    expect(page.locator(".share-box")).to_be_visible()
    found["result"] = find_barriers(page)
    page.locator(".share-box .actions .button").first.click()
    link = page.locator(".share-box input[readonly]").input_value()
    found["link"] = find_barriers(page)
    page.locator(".farewell .is-text").click()
    found["question"] = find_barriers(page)
    page.keyboard.press("Escape")
    drawing = urlsplit(page.url).path
    paths = [f"{drawing}/edit/{tool}" for tool in TOOLS]
    lost = ("/shared/nope", "/drawings/nope", "/drawings/nope/edit/joints", "/nope")
    for path in (urlsplit(link).path, *paths, *lost, "/privacy", "/"):
        page.goto(server + path, wait_until="networkidle")
        expect(page.locator("main h1, main h2").first).to_be_attached()
        found[path] = find_barriers(page)
    page.goto(f"{server}/privacy", wait_until="networkidle")
    take_picture(page, f"privacy-{name}")
    assert {path: told for path, told in found.items() if told} == {}


def test_nothing_moves_by_itself(visit: tuple[Page, str], server: str) -> None:
    page, _ = visit
    assert find_shifts(page) == []
    hand_in(page, "dancer")
    expect(page.locator(".player canvas")).to_be_visible(timeout=JOB_MS)
    assert find_shifts(page) == []
    drawing = urlsplit(page.url).path
    for path in (drawing, *(f"{drawing}/edit/{tool}" for tool in TOOLS), "/privacy", "/nope", "/"):
        page.goto(server + path, wait_until="networkidle")
        assert find_shifts(page) == [], path


def test_picture_stays_where_it_is_when_nobody_is_found_in_it(visit: tuple[Page, str]) -> None:
    page, _ = visit
    blank: FilePayload = {
        "name": "paper.png",
        "mimeType": "image/png",
        "buffer": encode(blank_page(), "PNG"),
    }
    page.locator("input[type=file][multiple]").set_input_files([blank])
    expect(page.get_by_role("alert")).to_be_visible(timeout=JOB_MS)
    assert find_shifts(page) == []


def test_thumb_finds_everything(visit: tuple[Page, str], server: str) -> None:
    page, name = visit
    if not name.startswith("phone"):
        pytest.skip("pressed by thumbs on a phone")
    found = {"first": find_small(page)}
    hand_in(page, "dancer")
    expect(page.locator(".player canvas")).to_be_visible(timeout=JOB_MS)
    page.locator(".exports summary").click()
    expect(page.locator(".export-options")).to_be_visible()
    found["result"] = find_small(page)
    for tool in TOOLS:
        page.goto(f"{page.url.split('?')[0].split('/edit')[0]}/edit/{tool}")
        expect(page.locator(".dancer canvas")).to_be_visible(timeout=JOB_MS)
        found[tool] = find_small(page)
    assert {where: small for where, small in found.items() if small} == {}


def test_whole_way_can_be_gone_by_keyboard_alone(visit: tuple[Page, str]) -> None:
    page, name = visit
    if not name.startswith("desk"):
        pytest.skip("phones have no keys")
    go_by_keys(page, ".sample")
    page.keyboard.press("Enter")
    expect(page.locator(".player canvas")).to_be_visible(timeout=JOB_MS)
    go_by_keys(page, ".motion-card")
    page.keyboard.press("ArrowRight")
    page.keyboard.press("Enter")
    expect(page.locator(".motion-card:focus")).to_have_attribute("aria-selected", "true")
    expect(page.locator(".stage-note")).to_have_count(0, timeout=JOB_MS)
    dancing = page.url
    assert "?motion=" in dancing
    go_by_keys(page, "a.mend", back=True)
    page.keyboard.press("Enter")
    expect(page.locator(".board-picture")).to_be_visible(timeout=JOB_MS)
    go_by_keys(page, ".edit-tab[href*='joints']")
    page.keyboard.press("Enter")
    go_by_keys(page, ".grip")
    page.keyboard.press("Shift+ArrowUp")
    expect(page.locator("button.icon-button").first).to_have_attribute("aria-disabled", "false")
    go_by_keys(page, ".edit-done", back=True)
    page.keyboard.press("Enter")
    expect(page.locator(".player canvas")).to_be_visible(timeout=JOB_MS)
    assert page.url == dancing
    go_by_keys(page, ".export button")
    page.keyboard.press("Enter")
    expect(page.locator(".export .is-made")).to_be_visible(timeout=JOB_MS)


def go_by_keys(page: Page, target: str, back: bool = False) -> None:
    """Tab, or Shift+Tab, until one of the targets has the focus."""
    for _ in range(60):
        page.keyboard.press("Shift+Tab" if back else "Tab")
        if page.locator(f"{target}:focus").count():
            return
    pytest.fail(f"no way leads to {target}")


def test_page_says_which_language_it_speaks(visit: tuple[Page, str]) -> None:
    page, name = visit
    is_chinese = name.endswith("zh")
    expect(page.locator("html")).to_have_attribute("lang", "zh-Hans" if is_chinese else "en")
    page.keyboard.press("Tab")
    skip = page.locator(".skip")
    expect(skip).to_be_focused()
    expect(skip).to_have_text("跳到正文" if is_chinese else "Skip to the page")
    page.keyboard.press("Enter")
    expect(page.locator("#main")).to_be_focused()


def test_all_of_ones_own_is_deleted_at_once(visit: tuple[Page, str], server: str) -> None:
    page, name = visit
    if name.endswith("zh"):
        pytest.skip("said in English")
    hand_in(page, "hat")
    expect(page.locator(".stage .picture, .player canvas").first).to_be_visible()
    address = page.url
    (cookie,) = page.context.cookies()
    assert (cookie["httpOnly"], cookie["sameSite"]) == (True, "Strict")
    page.get_by_role("link", name="Privacy").click()
    expect(page.locator("main")).to_contain_text("For 30 days. Then all of it is deleted")
    page.get_by_role("button", name="Delete everything now").click()
    page.get_by_role("button", name="Yes, delete everything").click()
    expect(page.locator("main")).to_contain_text("Everything of yours has been deleted")
    assert page.context.cookies() == []
    page.goto(address)
    expect(page.get_by_role("heading", level=1)).to_have_text("There is nothing here")
    page.goto(server)
    expect(page.locator(".samples")).to_be_visible()
    expect(page.locator(".my-drawings")).to_be_hidden()
