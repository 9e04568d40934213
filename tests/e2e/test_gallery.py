"""The gallery in a real browser: figures on cards, search, several figures, own motions."""

import io
import re
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import pytest
from numpy.typing import NDArray
from PIL import Image, ImageOps
from playwright.sync_api import Browser, Page, expect

from animator.core.mask import Mask, run_lengths_from_mask
from animator.motion import list_motions, load_motion, write_bvh
from tests.support_pages import AXE, JOB_MS, SIZES, find_barriers, open_page, take_picture
from tests.support_serve import App, wait_until

pytestmark = pytest.mark.browser

PAIR = "anamel-451-green-pair.jpg"


def upload(app: App, picture: bytes) -> str:
    drawing = app.upload(picture)
    assert app.wait_for_job(drawing["job"], within=60)["state"] == "done"
    return str(drawing["id"])


@pytest.fixture(scope="module")
def dancer(app: App) -> str:
    """The id of a drawing of one figure."""
    return upload(app, app.http.get("/samples/dancer.jpg").content)


@pytest.fixture(scope="module")
def pair(app: App, shared_data: Path) -> str:
    """The id of a drawing of two figures."""
    return upload(app, (shared_data / "drawings" / PAIR).read_bytes())


@pytest.fixture
def open_gallery(browser: Browser, app: App) -> Iterator[Any]:
    """Opens the page of a drawing as its owner."""
    with ExitStack() as opened:

        def open_drawing(drawing: str, size: str = "desk", **how: Any) -> Page:
            visit = open_page(browser, size, storage_state=app.owner, **how)
            page = opened.enter_context(visit)
            page.goto(f"{app.url}/drawings/{drawing}")
            expect(page.locator(".player canvas")).to_be_visible(timeout=JOB_MS)
            page.locator(".motion-cards").scroll_into_view_if_needed()
            expect(page.locator("[data-live]").first).to_be_visible(timeout=JOB_MS)
            return page

        yield open_drawing


def check_barriers(page: Page) -> None:
    """Nobody is kept from it, as far as axe can tell."""
    if AXE.is_file():
        assert find_barriers(page) == []


def look(page: Page, motion: str) -> NDArray[np.int16]:
    """What a card shows just now: (h, w, 3)."""
    shot = page.locator(f"[data-motion={motion}] canvas").screenshot()
    with Image.open(io.BytesIO(shot)) as picture:
        return np.array(picture.convert("RGB")).astype(np.int16)


def pick(page: Page, who: str) -> None:
    """Direct one of several figures, or all."""
    radio = page.get_by_role("radio", name=who, exact=True)
    page.locator("label.cast-one").filter(has=radio).click()
    expect(radio).to_be_checked()


def has_dress(card: NDArray[np.int16]) -> bool:
    """Whether something is as pink as the dancer's dress."""
    return bool((card[..., 0] - card[..., 1] > 25).mean() > 0.01)


def chosen(page: Page) -> str:
    return page.locator("[role=option][aria-selected=true]").inner_text()


@pytest.mark.parametrize("size", list(SIZES))
def test_own_figure_does_every_motion_on_its_card_and_nothing_moves_for_it(
    open_gallery: Any, dancer: str, size: str
) -> None:
    page = open_gallery(dancer, size)
    take_picture(page, f"gallery-cards-{size}")
    heights = page.evaluate(
        "[...document.querySelectorAll('.motion-card')].map(c => c.offsetWidth)"
    )
    assert len(heights) >= len(list_motions())
    assert min(heights) >= 96
    wait_until(lambda: has_dress(look(page, "bow")), 10, "the dancer on the card")
    first = look(page, "bow")
    page.wait_for_timeout(700)
    assert np.abs(look(page, "bow") - first).max() > 60, "it moves"
    # those that are far down are drawn when they come near
    page.locator("[data-motion=zombie]").scroll_into_view_if_needed()
    expect(page.locator("[data-motion=zombie] [data-live]")).to_be_visible()


def test_who_wants_less_motion_sees_a_telling_pose_that_stays(
    open_gallery: Any, dancer: str
) -> None:
    page = open_gallery(dancer, reduced_motion="reduce")
    first = look(page, "bow")
    page.wait_for_timeout(400)
    np.testing.assert_array_equal(look(page, "bow"), first)


def test_cards_are_found_by_word_and_kind_and_chosen_by_keys(
    open_gallery: Any, dancer: str
) -> None:
    page = open_gallery(dancer)
    cards = page.get_by_role("option")
    page.get_by_role("searchbox").fill("joy")
    titles = cards.all_inner_texts()
    assert titles == [info.title for info in list_motions() if "joy" in info.tags]
    page.get_by_role("button", name="Sport", exact=True).click()
    both = [i.title for i in list_motions() if {"joy", "sport"} <= set(i.tags)]
    assert cards.all_inner_texts() == both
    page.get_by_role("searchbox").fill("submarine")
    expect(page.get_by_text("No movement is called that")).to_be_visible()
    check_barriers(page)
    page.get_by_role("searchbox").fill("")
    page.get_by_role("button", name="All", exact=True).click()

    cards.first.focus()
    page.keyboard.press("ArrowRight")
    expect(cards.nth(1)).to_be_focused()
    page.keyboard.press("ArrowDown")
    page.keyboard.press("ArrowUp")
    expect(cards.nth(1)).to_be_focused()
    page.keyboard.press("Home")
    page.keyboard.press("ArrowLeft")
    expect(cards.first).to_be_focused()
    assert page.locator("[role=option][tabindex='0']").count() == 1, "one stop for the tab key"
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", level=1)).to_have_text(
        "It can dance ballet!", timeout=JOB_MS
    )
    assert chosen(page) == "Ballet"


def test_chinese_titles_are_told_and_found(open_gallery: Any, dancer: str) -> None:
    page = open_gallery(dancer, locale="zh-CN")
    page.get_by_role("searchbox").fill("开心")
    assert "单脚跳" in page.get_by_role("option").all_inner_texts()
    page.get_by_role("searchbox").fill("walk")
    assert "走路" in page.get_by_role("option").all_inner_texts()


def test_one_of_two_figures_does_something_else_and_begins_later(
    open_gallery: Any, app: App, pair: str
) -> None:
    page = open_gallery(pair, "phone")
    pick(page, "Figure 2")
    page.locator("[data-motion=jump]").click()
    expect(page).to_have_url(re.compile("jump"))
    slider = page.get_by_role("slider")
    slider.fill("1.5")
    slider.dispatch_event("change")
    page.get_by_text("Facing the other way").click()
    expect(page).to_have_url(re.compile("jump%7E1.5%7Em"))
    page.wait_for_timeout(300)
    expect(page.locator(".is-waiting")).to_have_count(0, timeout=JOB_MS)
    take_picture(page, "gallery-pair-phone")
    check_barriers(page)

    asked = app.http.get(f"/api/drawings/{pair}/animations").json()[0]["request"]
    ((figure, part),) = asked["figures"].items()
    assert asked["motion"] == "dance"
    assert part == {"motion": "jump", "mirror": True, "start": 1.5, "speed": 1.0}
    boxes = app.http.get(f"/api/drawings/{pair}/annotation").json()["figures"]
    assert figure == max(boxes, key=lambda one: one["box"][0])["id"], "counted from the left"

    page.reload()
    expect(page.locator(".player canvas")).to_be_visible(timeout=JOB_MS)
    pick(page, "Figure 2")
    assert chosen(page) == "Jump"
    expect(page.get_by_role("slider")).to_have_value("1.5")
    pick(page, "All")
    assert chosen(page) == "Dance"


def test_motion_of_ones_own_is_handed_in_seen_and_deleted(
    open_gallery: Any, dancer: str, tmp_path: Path
) -> None:
    page = open_gallery(dancer)
    file = tmp_path / "Our hop.bvh"
    file.write_text(write_bvh(load_motion("hop")[0]))
    page.locator(".own-upload input").set_input_files(file)
    card = page.get_by_role("option", name="Our hop")
    expect(card).to_have_attribute("aria-selected", "true", timeout=JOB_MS)
    expect(page.get_by_role("heading", level=1)).to_have_text("It moves!", timeout=JOB_MS)
    expect(card.locator("[data-live]")).to_be_visible(timeout=JOB_MS)
    take_picture(page, "gallery-own-desk")
    page.get_by_role("button", name="Your own", exact=True).click()
    assert page.get_by_role("option").all_inner_texts() == ["Our hop"]

    page.get_by_role("button", name="Delete this movement").click()
    expect(card).to_have_count(0)
    expect(page.get_by_role("heading", level=1)).to_have_text("It can dance!", timeout=JOB_MS)


def test_what_is_wrong_with_a_file_is_told_in_plain_words(
    open_gallery: Any, app: App, dancer: str, tmp_path: Path
) -> None:
    page = open_gallery(dancer, "phone")
    known = page.get_by_role("option").count()
    broken, tail = tmp_path / "broken.bvh", tmp_path / "tail.bvh"
    broken.write_text("HIERARCHY\nROOT hips\n{\nOFFSET 0 zero 0\n")
    turns = "CHANNELS 3 Xrotation Yrotation Zrotation"
    tail.write_text(
        f"HIERARCHY\nROOT tail\n{{\nOFFSET 0 0 0\n{turns}\nEnd Site\n{{\nOFFSET 0 1 0\n}}\n}}\n"
        "MOTION\nFrames: 2\nFrame Time: 0.1\n0 0 0\n0 0 0\n"
    )
    alert = page.get_by_role("alert")
    page.locator(".own-upload input").set_input_files(broken)
    expect(alert).to_contain_text("Something is wrong in line 4 of the file.", timeout=JOB_MS)
    page.locator(".own-upload input").set_input_files(tail)
    expect(alert).to_contain_text("I cannot tell which of its joints are: ", timeout=JOB_MS)
    expect(alert).to_contain_text("left hand")
    expect(alert).to_contain_text("right foot")
    alert.scroll_into_view_if_needed()
    take_picture(page, "gallery-problem-phone")
    check_barriers(page)
    assert page.get_by_role("option").count() == known
    names = {motion["title"] for motion in app.http.get("/api/motions").json()}
    assert not {"broken", "tail"} & names, "neither is kept"


def test_file_may_be_dropped_on_the_gallery(open_gallery: Any, dancer: str) -> None:
    page = open_gallery(dancer)
    drop = """(text) => {
      const data = new DataTransfer();
      data.items.add(new File([text], "Dropped.bvh"));
      document.querySelector(".gallery").dispatchEvent(
        new DragEvent("drop", { dataTransfer: data, bubbles: true, cancelable: true }));
    }"""
    page.evaluate(drop, write_bvh(load_motion("hop")[0]))
    expect(page.get_by_role("option", name="Dropped")).to_be_visible(timeout=JOB_MS)


def test_figure_that_cannot_be_cut_out_is_told_by_its_number(
    browser: Browser, app: App, shared_data: Path
) -> None:
    mirrored = ImageOps.mirror(Image.open(shared_data / "drawings" / PAIR))
    data = io.BytesIO()
    mirrored.save(data, "JPEG")
    drawing = upload(app, data.getvalue())
    address = f"/api/drawings/{drawing}"
    answer = app.http.get(f"{address}/annotation")
    one = max(answer.json()["figures"], key=lambda figure: figure["box"][0])
    dot = np.zeros(one["mask"]["size"], np.bool_)
    dot[20, 20] = True
    lengths = msgspec.to_builtins(run_lengths_from_mask(Mask(dot)))
    changed = app.http.patch(
        f"{address}/figures/{one['id']}",
        json={"mask": lengths},
        headers={"If-Match": answer.headers["ETag"]},
    )
    assert changed.status_code == 200, changed.text
    with open_page(browser, "phone", storage_state=app.owner) as page:
        page.goto(f"{app.url}/drawings/{drawing}")
        told = page.locator("[data-code=empty_mask]")
        expect(told).to_contain_text("It is figure 2, counted from the left.", timeout=JOB_MS)
        take_picture(page, "figure-told")


def test_movement_that_failed_while_the_server_was_away_is_made_when_it_is_back(
    open_gallery: Any, dancer: str
) -> None:
    page = open_gallery(dancer, "phone")
    page.route("**/api/**", lambda route: route.abort())
    page.locator("[data-motion=hop]").click()
    expect(page.locator("[data-code=offline]")).to_be_visible()
    expect(page.locator("#banner")).to_contain_text("The server does not answer")
    page.unroute("**/api/**")
    expect(page.locator("#banner")).to_contain_text("The server is back")
    expect(page.locator(".player canvas")).to_be_visible(timeout=JOB_MS)
    expect(page).to_have_url(re.compile("hop"))
    expect(page.locator("[data-code]")).to_have_count(0)
    expect(page.locator("[data-motion=hop]")).to_have_attribute("aria-selected", "true")
