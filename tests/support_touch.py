"""A finger on a phone's screen, in a real browser, and how long a person would take for it."""

from collections.abc import Sequence
from itertools import pairwise

from playwright.sync_api import Locator, Page

Point = tuple[float, float]

THINK = 1.35
POINT = 1.1
TOUCH = 0.2
"""Seconds to decide, to aim, and to touch: the keystroke-level model (Card, Moran, Newell 1980)."""

STEP = 6.0
"""CSS pixels between two positions of a finger that is drawn over the screen."""


class Finger:
    """Real touch events; `seconds` is what a person would take, who thinks before each gesture."""

    def __init__(self, page: Page) -> None:
        self.page = page
        self.gestures = 0
        self.seconds = 0.0
        self._session = page.context.new_cdp_session(page)

    def tap(self, at: Point) -> None:
        self._count(POINT + TOUCH)
        self._send("touchStart", [at])
        self._send("touchEnd", [])

    def press(self, button: Locator) -> None:
        self.tap(middle_of(button))

    def draw(self, way: Sequence[Point]) -> None:
        """One finger along a line; each bend of it is aimed at."""
        self.hold(way)
        self.lift()

    def hold(self, way: Sequence[Point]) -> None:
        """As `draw`, but the finger stays down until `lift`."""
        self._count(len(way) * POINT + TOUCH)
        self._send("touchStart", [way[0]])
        for start, end in pairwise(way):
            for at in between(start, end):
                self._send("touchMove", [at])

    def lift(self) -> None:
        self._send("touchEnd", [])

    def pinch(self, middle: Point, before: float, after: float) -> None:
        """Two fingers side by side, from one distance to another."""
        self._count(2 * POINT + TOUCH)
        x, y = middle
        steps = 8
        spread = [before + (after - before) * i / steps for i in range(steps + 1)]
        self._send("touchStart", [(x - before / 2, y)])
        for i, wide in enumerate(spread):
            fingers = [(x - wide / 2, y), (x + wide / 2, y)]
            self._send("touchMove" if i else "touchStart", fingers)
        self._send("touchEnd", [])

    def _count(self, seconds: float) -> None:
        self.gestures += 1
        self.seconds += THINK + seconds

    def _send(self, kind: str, fingers: Sequence[Point]) -> None:
        points = [{"x": x, "y": y, "id": i} for i, (x, y) in enumerate(fingers)]
        self._session.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": points})


def between(start: Point, end: Point) -> list[Point]:
    """Positions on the way, the end included."""
    (x1, y1), (x2, y2) = start, end
    count = max(1, round(max(abs(x2 - x1), abs(y2 - y1)) / STEP))
    return [(x1 + (x2 - x1) * i / count, y1 + (y2 - y1) * i / count) for i in range(1, count + 1)]


def middle_of(node: Locator) -> Point:
    node.scroll_into_view_if_needed()
    box = node.bounding_box()
    assert box is not None, f"{node} is not to be seen"
    return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
