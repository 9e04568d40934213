"""Whether a drawing may be learned from, in a real browser: off unless given, and taken back."""

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, expect

from tests.support_pages import JOB_MS, SIZES, open_page, take_picture
from tests.support_serve import App, draw_doll, serving_app

pytestmark = pytest.mark.browser

LABEL = "Learn from this drawing"


@pytest.fixture(scope="module")
def asking(tmp_path_factory: pytest.TempPathFactory) -> Iterator[App]:
    """A server that may be allowed to learn."""
    with serving_app(tmp_path_factory.mktemp("asking"), learning=True) as app:
        yield app


@pytest.fixture(scope="module")
def doll(asking: App) -> str:
    drawing = asking.upload(draw_doll())
    assert asking.wait_for_job(drawing["job"])["state"] == "done"
    return str(drawing["id"])


@pytest.mark.parametrize("size", SIZES)
def test_consent_is_off_until_it_is_given_and_can_be_taken_back(
    browser: Browser, asking: App, doll: str, size: str
) -> None:
    address = f"{asking.url}/drawings/{doll}"
    consent = f"/api/drawings/{doll}/consent"
    with open_page(browser, size, storage_state=asking.owner) as page:
        page.goto(address)
        tick = page.get_by_label(LABEL)
        expect(tick).not_to_be_checked(timeout=JOB_MS)
        assert asking.http.get(consent).status_code == 404

        tick.check()
        expect(page.locator(".consent")).to_contain_text("You can take this back")
        take_picture(page, f"consent-{size}")
        assert asking.http.get(consent).status_code == 200
        page.reload()
        expect(tick).to_be_checked(timeout=JOB_MS)

        tick.uncheck()
        expect(page.locator(".consent")).to_contain_text("It will not be learned from")
        assert asking.http.get(consent).status_code == 404


def test_server_that_does_not_learn_does_not_ask(browser: Browser, app: App, drawing: str) -> None:
    with open_page(browser, "phone", storage_state=app.owner) as page:
        page.goto(f"{app.url}/drawings/{drawing}")
        expect(page.get_by_role("button", name="Delete this drawing")).to_be_visible(timeout=JOB_MS)
        expect(page.get_by_label(LABEL)).to_have_count(0)
