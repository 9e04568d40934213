"""Keeping and sharing in a real browser: links, options in the address, everything in a zip."""

import io
import re
import zipfile
from collections.abc import Iterator

import pytest
from PIL import Image
from playwright.sync_api import Browser, Page, expect

from tests.support_pages import JOB_MS, SAMPLES, SIZES, hand_in, open_page, save, take_picture

pytestmark = pytest.mark.browser

on_phone = pytest.mark.parametrize("size", ["phone"], indirect=True)


@pytest.fixture(scope="module", params=list(SIZES))
def size(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture(scope="module")
def page(browser: Browser, server: str, size: str) -> Iterator[Page]:
    """The page of a drawing whose figure moves."""
    with open_page(browser, size, reduced_motion="reduce") as page:
        page.goto(server)
        hand_in(page, "dancer")
        expect(page.locator(".player canvas")).to_be_visible(timeout=JOB_MS)
        page.get_by_text("More ways to keep it").click()
        yield page


def test_shared_link_plays_for_others_until_it_is_taken_back(
    page: Page, size: str, browser: Browser
) -> None:
    page.get_by_role("button", name="Share a link").click()
    page.get_by_text("7 days").click()
    take_picture(page, f"share-{size}")
    page.get_by_role("button", name="Make the link").click()
    link = page.get_by_role("textbox", name="The link").input_value()
    with open_page(browser, size) as other:
        other.goto(link)
        expect(other.get_by_role("heading", level=1)).to_have_text("Look, it can dance!")
        expect(other.locator(".player canvas")).to_be_visible()
        expect(other.get_by_role("button", name="Save as GIF")).to_have_count(0)
        take_picture(other, f"shared-{size}")
        address = page.url
        other.goto(address)
        expect(other.get_by_role("heading", level=1)).to_have_text("There is nothing here")

        page.get_by_role("button", name="Stop sharing").click()
        expect(page.locator(".share")).to_contain_text("The link leads nowhere any more")
        other.goto(link)
        expect(other.get_by_role("heading", level=1)).to_have_text("This is not shown any more")


@on_phone
def test_link_that_was_made_is_found_again_after_a_reload(page: Page) -> None:
    page.get_by_role("button", name="Share a link").click()
    page.get_by_role("button", name="Make the link").click()
    field = page.get_by_role("textbox", name="The link")
    link = field.input_value()
    page.reload()
    page.get_by_role("button", name="Share a link").click(timeout=JOB_MS)
    expect(field).to_have_value(link)
    page.get_by_text("More ways to keep it").click()


@on_phone
def test_size_rate_plays_and_part_are_kept_in_the_address_and_in_the_file(page: Page) -> None:
    for choice in ("256", "10", "3 times"):
        page.locator(".export-options").get_by_text(choice, exact=True).click()
    page.get_by_role("spinbutton", name="To, seconds").fill("2")
    page.get_by_role("spinbutton", name="To, seconds").press("Enter")
    expect(page).to_have_url(re.compile("trim=0-2&side=256&fps=10&plays=3"))
    page.reload()
    expect(page.locator(".player canvas")).to_be_visible(timeout=JOB_MS)
    page.get_by_text("More ways to keep it").click()
    expect(page.get_by_role("spinbutton", name="To, seconds")).to_have_value("2")
    expect(page.get_by_role("radio", name="256")).to_be_checked()
    with Image.open(io.BytesIO(save(page, "Save as GIF")[1])) as picture:
        assert max(picture.size) == 256
        assert picture.info["loop"] == 2  # times again
        milliseconds = 0
        for frame in range(getattr(picture, "n_frames", 1)):
            picture.seek(frame)
            milliseconds += picture.info["duration"]
            assert picture.info["duration"] >= 100
    assert milliseconds == pytest.approx(2000, abs=20)
    expect(page.get_by_role("link", name="Save as GIF")).to_contain_text("kB")


def test_colour_shadow_and_a_picture_lie_behind_and_under(page: Page, size: str) -> None:
    player = page.locator(".player")
    page.get_by_text("Shadow", exact=True).click()
    page.get_by_text("Colour", exact=True).click()
    expect(player).to_have_css("background-color", "rgb(255, 224, 138)")
    page.get_by_label("Colour behind the figure").fill("#336699")
    expect(player).to_have_css("background-color", "rgb(51, 102, 153)")
    expect(page.locator(".player-ground")).to_be_visible()
    take_picture(page, f"colour-{size}")
    with Image.open(io.BytesIO(save(page, "Picture of this moment")[1])) as picture:
        assert picture.convert("RGB").getpixel((2, 2)) == (51, 102, 153)

    page.get_by_text("Picture", exact=True).click()
    page.locator(".backdrop-more input").set_input_files(SAMPLES / "hat.jpg")
    expect(page.locator(".player-paper")).to_be_visible(timeout=JOB_MS)
    take_picture(page, f"picture-{size}")
    with Image.open(io.BytesIO(save(page, "Picture of this moment")[1])) as picture:
        assert picture.convert("RGB").getpixel((2, 2)) != (51, 102, 153)


@on_phone
def test_everything_is_there_in_one_zip(page: Page) -> None:
    with zipfile.ZipFile(io.BytesIO(save(page, "Everything")[1])) as archive:
        names = archive.namelist()
    assert {"drawing.jpg", "annotation.json"} <= set(names)
    assert any(name.endswith(".character.zip") for name in names)
