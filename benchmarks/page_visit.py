"""One visit of the page: a drawing is chosen, and the time is taken until its figure moves."""

import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from playwright.sync_api import Browser, Page

__all__ = ("STEPS", "Visit", "hand_in", "open_front_page")

_TOO_LONG_MS = 60_000
"""Milliseconds after which a visit counts as failed."""

STEPS: Mapping[str, str] = {
    "send": "page: takes the file",
    "upload": "upload, stored and queued",
    "queue": "job 1 waits for a worker",
    "reading": "job 1: reads the picture",
    "detecting": "job 1: finds figures",
    "outlining": "job 1: outlines, joints; stores",
    "ask": "page: asks for the animation",
    "queue 2": "job 2 waits for a worker",
    "reading 2": "job 2: reads the picture",
    "rigging 2": "job 2: rigs",
    "moving 2": "job 2: moves",
    "drawing 2": "job 2: packs the track, stores",
    "fetch": "page: asks for the track",
    "download": "track comes",
    "decode": "track decoded, textures laid, drawn once",
    "move": "until a second frame is drawn",
}
"""What a moment of the wait is spent on, in order -> in words."""

# Runs before the page's own code: notes when what happens, and changes nothing of it.
_WATCH = """
window.notes = [];
window.draws = 0;
const note = (what) => window.notes.push([what, performance.now()]);
document.addEventListener("change", ({ target }) => {
  if (target.type === "file") note("chosen");
}, true);
window.EventSource = class extends EventSource {
  constructor(...about) {
    super(...about);
    this.addEventListener("message", ({ data }) => {
      const { job, state, step } = JSON.parse(data);
      note(`${state === "running" ? step : state} ${job}`);
    });
  }
};
const { clear } = WebGL2RenderingContext.prototype;
WebGL2RenderingContext.prototype.clear = function (mask) {
  if (this.canvas.closest?.(".player")) window.draws += 1;
  return clear.call(this, mask);
};
new PerformanceObserver((list) => {
  for (const { name, startTime } of list.getEntries()) {
    if (name === "figure-shown") window.notes.push(["shown", startTime]);
    // What is drawn is seen with the next frame of the browser.
    else if (name === "figure-moving") requestAnimationFrame(() => note("moving"));
  }
}).observe({ type: "mark" });
"""

_GATHER = """async () => {
  const requests = performance.getEntriesByType("resource");
  const track = requests.find(({ name }) => name.endsWith("/file.track"));
  const { readTrack } = await import("/track.js");
  const fetched = track && (await (await fetch(track.name)).arrayBuffer());
  const clip = fetched && (await readTrack(new Uint8Array(fetched)));
  return JSON.stringify({
    vertices: clip ? clip.figures.map(({ vertices }) => vertices) : [],
    notes: window.notes,
    requests: requests.map(({ name, initiatorType, startTime, responseEnd, encodedBodySize }) => ({
      path: new URL(name).pathname, kind: initiatorType, begin: startTime, end: responseEnd,
      bytes: encodedBodySize,
    })),
  });
}"""

_IS_OVER = """() => document.querySelector(".problem")
  || window.notes.some(([what]) => what === "moving")"""


@dataclass(frozen=True)
class Visit:
    """What a visit took.

    Attributes:
        steps: milliseconds of each step of `STEPS`; those that did not occur are left out.
        requests: how many the page sent from the choice on.
        track_bytes: of the track, as it was sent.
        vertices: of each figure.
    """

    steps: Mapping[str, float]
    requests: int
    track_bytes: int
    vertices: Sequence[int]

    @property
    def seconds(self) -> float:
        """From the choice to the figure moving."""
        return sum(self.steps.values()) / 1000


@contextmanager
def open_front_page(browser: Browser, url: str, size: tuple[int, int]) -> Iterator[Page]:
    """The front page as somebody sees it who was never here."""
    is_phone = size[0] < 600
    context = browser.new_context(
        viewport={"width": size[0], "height": size[1]},
        device_scale_factor=3 if is_phone else 1,
        is_mobile=is_phone,
        has_touch=is_phone,
    )
    context.add_init_script(_WATCH)
    page = context.new_page()
    page.goto(url)
    page.wait_for_load_state("networkidle")
    yield page
    context.close()


def hand_in(page: Page, file: Path) -> Visit | None:
    """Choose a drawing; None where no figure is found in it.

    The page's code comes while the person looks for the file; that takes anybody a second.
    """
    with page.expect_file_chooser() as chooser:
        page.locator("label.button.is-picture").click()
    page.wait_for_load_state("networkidle")
    page.wait_for_timeout(500)
    chooser.value.set_files(file)
    page.wait_for_function(_IS_OVER, timeout=_TOO_LONG_MS)
    told = json.loads(page.evaluate(_GATHER))
    if not any(what == "moving" for what, _ in told["notes"]):
        return None
    return _read(told["notes"], told["requests"], told["vertices"])


def _read(
    notes: Sequence[tuple[str, float]],
    requests: Sequence[Mapping[str, Any]],
    vertices: Sequence[int],
) -> Visit:
    begun = next(at for what, at in notes if what == "chosen")
    since = [request for request in requests if request["begin"] >= begun]
    track = next(r for r in since if r["path"].endswith("/file.track"))
    marks = [*_marks_of_requests(since), *_marks_of_jobs(notes)]
    marks.append(("send", begun))
    marks.append(("move", next(at for what, at in notes if what == "shown")))
    end = next(at for what, at in notes if what == "moving")
    spans = _spans(sorted(marks, key=lambda mark: mark[1]), end)
    count = sum(request["begin"] < end for request in since)
    return Visit(spans, count, track["bytes"], vertices)


def _spans(marks: Sequence[tuple[str, float]], end: float) -> dict[str, float]:
    """Each step lasts from its mark to the next one."""
    spans: dict[str, float] = {}
    following = [at for _, at in marks[1:]] + [end]
    for (step, at), until in zip(marks, following, strict=True):
        spans[step] = spans.get(step, 0.0) + max(min(until, end) - at, 0.0)
    return spans


def _marks_of_requests(requests: Sequence[Mapping[str, Any]]) -> Iterator[tuple[str, float]]:
    upload = next(r for r in requests if r["path"] == "/api/drawings" and r["kind"] != "fetch")
    yield "upload", upload["begin"]
    yield "queue", upload["end"]
    track = next(r for r in requests if r["path"].endswith("/file.track"))
    yield "download", track["begin"]
    yield "decode", track["end"]
    asked = [r for r in requests if r["path"].endswith("/animations") and r["kind"] == "fetch"]
    yield "queue 2", max(r["begin"] for r in asked if r["begin"] < track["begin"])


def _marks_of_jobs(notes: Sequence[tuple[str, float]]) -> Iterator[tuple[str, float]]:
    """News of the job that reads the drawing, and of the one that makes the animation.

    Two connections may tell of the same job: what is told twice in a row counts once.
    """
    last: dict[str, str] = {}
    for what, at in notes:
        state, _, job = what.partition(" ")
        if not job or last.get(job) == state:
            continue
        last[job] = state
        number = list(last).index(job)
        if number < 2 and state == "done":
            yield ("ask", "fetch")[number], at
        elif number < 2 and state != "queued":
            yield state + ("", " 2")[number], at
