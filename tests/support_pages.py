"""Pages of the app in a real browser: at the sizes of a phone and of a desk, and as they look."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from playwright.sync_api import Browser, BrowserContext, Page, expect

from tests.support_serve import ROOT

SIZES = {"phone": (390, 844), "desk": (1440, 900)}
JOB_MS = 60_000
"""How long a job may take on a busy machine."""

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

# A label is pressed for its input; of what is drawn small, `::before` or `::after` is pressed, too.
_FIND_SMALL = """() => {
  const pressed = "button, a[href], select, summary, input:not([type=file], [type=hidden])";
  const reach = (node) => ["::before", "::after"].map((part) => {
    const style = getComputedStyle(node, part);
    const sides = [parseFloat(style.width), parseFloat(style.height)];
    return style.position === "absolute" ? sides : [0, 0];
  });
  return [...document.querySelectorAll(pressed)].flatMap((node) => {
    const whole = node.closest("label") ?? node;
    const { width, height, bottom } = whole.getBoundingClientRect();
    if (!node.checkVisibility({ visibilityProperty: true }) || node.closest("[inert]")) return [];
    if (bottom <= 0 || !width) return [];
    const scale = width / whole.offsetWidth;
    const parts = reach(whole).map(([w, h]) => [w * scale, h * scale]);
    const wide = Math.max(width, ...parts.map(([w]) => w));
    const high = Math.max(height, ...parts.map(([, h]) => h));
    const name = `${node.tagName}.${node.className}`;
    return high < 43.5 || (wide < 43.5 && !node.closest("label"))
      ? [`${name}: ${Math.round(wide)} x ${Math.round(high)}`] : [];
  });
}"""


def new_visit(browser: Browser, size: str, **options: Any) -> BrowserContext:
    """Somebody new at a phone or at a desk; whoever opens it closes it."""
    width, height = SIZES[size]
    is_phone = size == "phone"
    return browser.new_context(
        viewport={"width": width, "height": height},
        is_mobile=is_phone,
        has_touch=is_phone,
        **options,
    )


@contextmanager
def open_page(browser: Browser, size: str, **options: Any) -> Iterator[Page]:
    """A page of its own, whose code may not fail and whose policy may not be broken."""
    context = new_visit(browser, size, **options)
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


def find_small(page: Page) -> list[str]:
    """What can be pressed but is less than 44 CSS pixels wide or high."""
    found: list[str] = page.evaluate(_FIND_SMALL)
    return found


def save(page: Page, title: str) -> tuple[str, bytes]:
    """Press a button that makes a file; its name, and what is in it."""
    with page.expect_download(timeout=JOB_MS) as download:
        page.get_by_role("button", name=title).click()
    return download.value.suggested_filename, Path(download.value.path()).read_bytes()


def hand_in(page: Page, *samples: str) -> None:
    """Choose samples by their names, as files of one's own."""
    files = [SAMPLES / f"{name}.jpg" for name in samples]
    page.locator("input[type=file][multiple]").set_input_files(files)


def expect_taken(page: Page, name: str) -> None:
    """Wait until a drawing has its page: it is shown there, or, soon after, its figure moving."""
    drawing = page.locator(".stage").get_by_role("img", name=f"Your drawing, {name}")
    figure = page.get_by_role("img", name="Your figure, moving")
    expect(drawing.or_(figure).first).to_be_visible(timeout=JOB_MS)
