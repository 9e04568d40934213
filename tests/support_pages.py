"""Pages of the app in a real browser: at the sizes of a phone and of a desk, and as they look."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from playwright.sync_api import Browser, Page

from tests.support_serve import ROOT

SIZES = {"phone": (390, 844), "desk": (1440, 900)}
AXE = ROOT / "web" / "node_modules" / "axe-core" / "axe.min.js"
SAMPLES = ROOT / "web" / "samples"
LANGUAGES = {"en": "en-US", "zh": "zh-CN"}

_WATCH_SHIFTS = """
window.shifts = [];
new PerformanceObserver((list) => {
  for (const entry of list.getEntries()) {
    const moved = entry.sources.map(({ node }) => node?.className || node?.nodeName || "gone");
    if (!entry.hadRecentInput) window.shifts.push([entry.value, ...moved.map(String)]);
  }
}).observe({ type: "layout-shift", buffered: true });
"""

_RUN_AXE = """async () => {
  const { violations, passes } = await axe.run(document);
  const told = violations.flatMap(({ id, nodes }) =>
    nodes.map(({ target, failureSummary }) => `${id}: ${target.join(" ")}: ${failureSummary}`));
  return { told, passes: passes.length };
}"""


@contextmanager
def open_page(browser: Browser, size: str, **options: Any) -> Iterator[Page]:
    """A page of its own, whose code may not fail and whose policy may not be broken."""
    width, height = SIZES[size]
    is_phone = size == "phone"
    context = browser.new_context(
        viewport={"width": width, "height": height},
        is_mobile=is_phone,
        has_touch=is_phone,
        **options,
    )
    context.add_init_script(_WATCH_SHIFTS)
    page = context.new_page()
    faults: list[str] = []
    page.on("pageerror", lambda error: faults.append(str(error)))
    page.on("console", lambda m: faults.append(m.text) if "Security Policy" in m.text else None)
    yield page
    context.close()
    assert faults == []


def take_picture(page: Page, name: str) -> None:
    """Keep how the page looks, where ANIMATOR_SCREENSHOTS names a folder for that."""
    if folder := os.environ.get("ANIMATOR_SCREENSHOTS"):
        page.screenshot(path=Path(folder) / f"{name}.png")


def find_shifts(page: Page) -> list[list[object]]:
    """What moved by itself since the page was loaded: how much, and which parts."""
    page.wait_for_timeout(200)  # the observer tells of them a little later
    shifts: list[list[object]] = page.evaluate("window.shifts")
    return shifts


def find_barriers(page: Page) -> list[str]:
    """What axe finds that keeps somebody from using the page."""
    page.evaluate(AXE.read_text(encoding="utf-8"))
    found = page.evaluate(_RUN_AXE)
    assert found["passes"] > 10, "axe looked at the page"
    told: list[str] = found["told"]
    return told


def hand_in(page: Page, *samples: str) -> None:
    """Choose samples by their names, as files of one's own."""
    files = [SAMPLES / f"{name}.jpg" for name in samples]
    page.locator("input[type=file][multiple]").set_input_files(files)
