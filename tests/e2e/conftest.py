"""The whole app in processes of its own with the real models, and a real browser to open it in."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, sync_playwright

from tests.support_serve import ROOT, App, serving_app

CHROMIUM = Path("/usr/bin/chromium")
FLAGS = (
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--use-fake-device-for-media-stream",  # a camera that shows a test picture,
    "--use-fake-ui-for-media-stream",  # and may be used
)


@pytest.fixture(scope="package")
def app(tmp_path_factory: pytest.TempPathFactory) -> Iterator[App]:
    """A running `animator serve` on free ports."""
    with serving_app(tmp_path_factory.mktemp("data"), models=ROOT / "models") as app:
        yield app


@pytest.fixture(scope="package")
def server(app: App) -> str:
    """Its base address, without a slash at the end."""
    return app.url


@pytest.fixture(scope="package")
def drawing(app: App) -> str:
    """The id of a sample that has been read."""
    drawing = app.upload(app.http.get("/samples/dancer.jpg").content)
    assert app.wait_for_job(drawing["job"], within=60)["state"] == "done"
    return str(drawing["id"])


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    """A real Chromium. Playwright's event loop keeps others from running, so these tests come last,
    and no test that uses asyncio in this thread can be put into this folder.
    """
    if not CHROMIUM.exists():
        pytest.skip(f"no Chromium at {CHROMIUM}: install the package `chromium`")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=list(FLAGS))
        yield browser
        browser.close()
