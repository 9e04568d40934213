"""Draw the picture of the editor in the documentation, with the page itself in a real browser.

Say `python -m docs.draw_page`, or `make docs`, which draws the other pictures too.
"""

import tempfile
from pathlib import Path

from playwright.sync_api import Page, expect, sync_playwright

from tests.e2e.conftest import CHROMIUM, FLAGS
from tests.support_pages import hand_in
from tests.support_serve import ROOT, serving_app

SAMPLE = "robot"
SIZE = (1200, 750)
PICTURE = ROOT / "docs" / "pictures" / "mending.jpg"
PATIENCE_MS = 60_000


def draw_editor(page: Page, url: str) -> bytes:
    """The sample's joints being mended while it dances, as JPEG."""
    page.goto(url, wait_until="networkidle")
    hand_in(page, SAMPLE)
    expect(page.locator(".player canvas")).to_be_visible(timeout=PATIENCE_MS)
    page.locator("a.mend").click()
    page.locator(".edit-tab", has_text="Joints").click()
    page.locator(".grip").nth(4).focus()
    expect(page.locator(".dancer canvas")).to_be_visible(timeout=PATIENCE_MS)
    page.wait_for_timeout(1500)  # into the dance
    return page.screenshot(type="jpeg", quality=82)


def main() -> None:
    """Make the picture anew."""
    with (
        tempfile.TemporaryDirectory() as folder,
        serving_app(Path(folder), models=ROOT / "models") as app,
        sync_playwright() as playwright,
    ):
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=list(FLAGS))
        width, height = SIZE
        page = browser.new_page(viewport={"width": width, "height": height}, locale="en-US")
        PICTURE.write_bytes(draw_editor(page, app.url))
        browser.close()


if __name__ == "__main__":
    main()
