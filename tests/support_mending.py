"""One drawing of one browser, open in the editor, and what the server has of it."""

import time
from collections.abc import Sequence
from typing import Any

import msgspec
import numpy as np
from numpy.typing import NDArray
from playwright.sync_api import BrowserContext, Page, expect

from animator.core.annotation import Annotation, FigureAnnotation
from animator.core.mask import mask_from_run_lengths
from tests.support_pages import take_picture
from tests.support_touch import Point

WAIT_MS = 20_000

PAPER = """() => {
    const { left, top, width } = document.querySelector(".board-paper").getBoundingClientRect();
    return [left, top, width];
}"""


class Mender:
    """Hands a drawing in, corrects it over the API, and opens it in the editor.

    Attributes:
        page: the tab.
        drawing: the drawing's id.
        faults: what the page's code threw.
    """

    def __init__(self, context: BrowserContext, url: str, picture: bytes) -> None:
        self.url = url
        self.http = context.request
        made = self.http.post(
            f"{url}/api/drawings",
            data=picture,
            headers={"Content-Type": "application/octet-stream"},
        )
        assert made.ok, made.text()
        self.drawing: str = made.json()["id"]
        self._wait_for_job(made.json()["job"])
        self.faults: list[str] = []
        self.page = self.new_tab(context)

    def new_tab(self, context: BrowserContext) -> Page:
        page = context.new_page()
        page.on("pageerror", lambda error: self.faults.append(str(error)))
        return page

    def _wait_for_job(self, job: str) -> None:
        until = time.monotonic() + 60
        while (event := self.http.get(f"{self.url}/api/jobs/{job}").json())["state"] != "done":
            assert event["state"] != "failed", event
            assert time.monotonic() < until, f"{job} does not end"
            time.sleep(0.05)

    @property
    def address(self) -> str:
        return f"{self.url}/api/drawings/{self.drawing}"

    def annotation(self) -> Annotation:
        answer = self.http.get(f"{self.address}/annotation")
        assert answer.ok, answer.text()
        return msgspec.json.decode(answer.body(), type=Annotation)

    def figure(self) -> FigureAnnotation:
        return self.annotation().figures[0]

    def correct(self, change: dict[str, Any]) -> None:
        """Change the first figure, as another client does."""
        annotation = self.annotation()
        answer = self.http.patch(
            f"{self.address}/figures/{annotation.figures[0].id}",
            data=msgspec.json.encode(change).decode(),
            headers={
                "Content-Type": "application/json",
                "If-Match": f'"{annotation.revision}"',
            },
        )
        assert answer.ok, answer.text()

    def open(self, tool: str, page: Page | None = None) -> None:
        """Open the editor, and wait until the drawing lies on the board."""
        page = page or self.page
        page.goto(f"{self.url}/drawings/{self.drawing}/edit/{tool}")
        expect(page.locator(".board-picture")).to_be_visible(timeout=WAIT_MS)
        # `wait_for_function` may evaluate a string in the page, which its policy forbids.
        expect(page.locator(".board-picture")).to_have_js_property("complete", True)

    def on_screen(self, x: float, y: float) -> Point:
        """Where a point of the drawing is seen."""
        left, top, width = self.page.evaluate(PAPER)
        scale = width / self.annotation().width
        return left + x * scale, top + y * scale

    def wait_until_saved(self, revision: int, page: Page | None = None) -> int:
        """Until the server has another revision than this, and the page says so; then that one."""
        page = page or self.page
        until = time.monotonic() + WAIT_MS / 1000
        while self.annotation().revision == revision:
            assert time.monotonic() < until, "it is not saved"
            page.wait_for_timeout(50)
        expect(page.locator(".edit-state")).to_have_text("Saved", timeout=WAIT_MS)
        return self.annotation().revision

    def hears(self, text: str) -> None:
        """Somebody who does not see is told so."""
        expect(self.page.locator(".editor > [role=status]")).to_contain_text(text)

    def drag(self, way: Sequence[Point]) -> None:
        """The mouse, pressed, along a line."""
        mouse = self.page.mouse
        mouse.move(*way[0])
        mouse.down()
        for x, y in way[1:]:
            mouse.move(x, y, steps=12)
        mouse.up()

    def keep_picture(self, name: str) -> None:
        """Keep what is seen, where somebody wants to look at it."""
        take_picture(self.page, name)


def silhouette(figure: FigureAnnotation) -> NDArray[np.bool_]:
    """The mask of a figure (h, w), as large as its box; empty where there is none."""
    if figure.mask is None:  # it is being found
        return np.zeros((round(figure.box.height), round(figure.box.width)), np.bool_)
    return mask_from_run_lengths(figure.mask).data


def agreement(one: NDArray[np.bool_], other: NDArray[np.bool_]) -> float:
    """What both have, of what either has."""
    return float((one & other).sum() / (one | other).sum())
