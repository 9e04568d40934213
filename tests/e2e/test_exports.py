"""Keeping what the page shows: every format, made when it is asked for; and giving that up."""

import io
import json
import zipfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import pytest
from PIL import Image
from playwright.sync_api import Browser, Page, expect

from tests.support_pages import JOB_MS, open_page, save
from tests.support_serve import App

pytestmark = pytest.mark.browser

MOTION = "hop"


@contextmanager
def open_exports(browser: Browser, app: App, drawing: str) -> Iterator[Page]:
    """The page of a drawing whose figure moves, with all formats to be seen."""
    with open_page(browser, "phone", reduced_motion="reduce", storage_state=app.owner) as page:
        page.goto(f"{app.url}/drawings/{drawing}?motion={MOTION}")
        expect(page.locator(".player canvas")).to_be_visible(timeout=JOB_MS)
        page.get_by_text("More ways to keep it").click()
        yield page


@pytest.fixture
def page(browser: Browser, app: App, drawing: str) -> Iterator[Page]:
    with open_exports(browser, app, drawing) as page:
        yield page


@pytest.fixture(scope="module")
def clear_page(browser: Browser, app: App, drawing: str) -> Iterator[Page]:
    """On it, nothing lies behind the figure."""
    with open_exports(browser, app, drawing) as page:
        page.get_by_text("Nothing", exact=True).click()
        yield page


def is_clear_webp(data: bytes) -> bool:
    with Image.open(io.BytesIO(data)) as picture:
        return getattr(picture, "n_frames", 1) > 1 and picture.convert("RGBA").getpixel((1, 1)) == (
            0,
            0,
            0,
            0,
        )


def is_moving_png(data: bytes) -> bool:
    with Image.open(io.BytesIO(data)) as picture:
        return picture.format == "PNG" and getattr(picture, "n_frames", 1) > 1


def is_still_of_a_figure(data: bytes) -> bool:
    with Image.open(io.BytesIO(data)) as picture:
        alpha = np.array(picture.convert("RGBA"))[..., 3]
    return bool(alpha.min() == 0 and alpha.max() == 255)


def holds(*names: str) -> Callable[[bytes], bool]:
    def check(data: bytes) -> bool:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            found = [Path(name).name for name in archive.namelist()]
        return set(names) <= set(found)

    return check


@pytest.mark.parametrize(
    ("title", "suffix", "is_sound"),
    [
        ("Film for web pages", "webm", lambda data: data[:4] == b"\x1a\x45\xdf\xa3"),
        ("Sticker WebP", "webp", is_clear_webp),
        ("Sticker, nothing lost", "apng", is_moving_png),
        ("Picture of this moment", "png", is_still_of_a_figure),
        ("Sprite sheet", "sheet.zip", holds("sheet.png", "sheet.json")),
        ("Places of the joints", "joints.json", lambda data: "figures" in json.loads(data)),
        ("The figure itself", "character.zip", holds("char_cfg.yaml", "mask.png", "texture.png")),
        ("3-D model", "glb", lambda data: data[:4] == b"glTF"),
    ],
)
def test_each_format_is_made_and_saved_as_it_looks(
    clear_page: Page, title: str, suffix: str, is_sound: Callable[[bytes], bool]
) -> None:
    name, data = save(clear_page, title)
    assert name == f"doll-{MOTION}.{suffix}"
    assert is_sound(data)


def test_file_that_is_there_is_not_made_again_until_it_would_look_different(
    page: Page, drawing: str
) -> None:
    save(page, "Places of the joints")
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.method))
    with page.expect_download():
        page.get_by_role("link", name="Places of the joints").click()
    assert "POST" not in asked
    page.get_by_text("Slow", exact=True).click()
    expect(page.get_by_role("button", name="Places of the joints")).to_be_visible()
    assert "POST" not in asked, "the player changes the speed by itself"
    _, slow = save(page, "Places of the joints")
    page.get_by_text("Normal", exact=True).click()
    with page.expect_download() as download:
        page.get_by_role("link", name="Places of the joints").click()
    usual = json.loads(Path(download.value.path()).read_bytes())
    frames = [len(told["figures"][0]["output"]) for told in (json.loads(slow), usual)]
    assert frames[0] == pytest.approx(2 * frames[1], abs=2)


def test_what_is_given_up_is_given_up_on_the_server_too(page: Page, app: App, drawing: str) -> None:
    page.get_by_text("Mirrored").click()
    expect(page.locator(".is-waiting")).to_have_count(0, timeout=JOB_MS)
    button = page.get_by_role("button", name="Sticker, nothing lost")
    with page.expect_response(lambda answer: answer.request.method == "POST") as asked:
        button.focus()
        page.keyboard.press("Enter")
    cancel = page.get_by_role("button", name="Cancel")
    expect(cancel).to_be_focused()
    page.keyboard.press("Enter")
    expect(button).to_be_visible()
    expect(button).to_be_focused()
    made = asked.value.json()
    end = app.wait_for_job(made["job"])
    assert (end["state"], end["problem"]["code"]) == ("failed", "not_found")
    listed = app.http.get(f"/api/drawings/{drawing}/animations").json()
    assert made["id"] not in [animation["id"] for animation in listed]
