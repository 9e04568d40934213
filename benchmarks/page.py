"""How long does it take from choosing a drawing until its figure moves on the page?

A whole `animator serve` with the real models, and a real Chromium without a graphics card that
opens the front page anew for each of 20 real drawings: the time from the file input's `change` to
the second, different frame that the live player draws, what it is spent on, and the processor time
of every process. Then how fast the player draws one figure of about 1,000 vertices.

The drawings are every n-th of the folder in the order of their names, so none is picked by hand;
one in which no figure is found is named and left out. A visit begins when all that the one before
asked for is done. For numbers that can be compared nothing else may run on the machine.
"""

import argparse
import os
import platform
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from playwright.sync_api import Browser, sync_playwright

from benchmarks.page_player import Pace, measure_player
from benchmarks.page_processes import ProcessorTime, wait_until_idle
from benchmarks.page_visit import STEPS, Visit, hand_in, open_front_page
from benchmarks.walk import DEFAULT_DATA, choose_drawings
from tests.e2e.conftest import CHROMIUM, FLAGS
from tests.support_pages import SIZES
from tests.support_serve import ROOT, App, serving_app

TARGETS = {50: 2.0, 95: 4.0}
"""Percentile -> seconds that it may take."""

VERTICES = 1000
"""The player is measured with the figure that comes nearest to that."""


def main() -> None:
    """Visit the page with each drawing, and print the tables."""
    arguments = _parse()
    files = choose_drawings(arguments.data, arguments.count)
    size = SIZES[arguments.size]
    with (
        tempfile.TemporaryDirectory() as folder,
        serving_app(Path(folder), models=ROOT / "models") as app,
        sync_playwright() as playwright,
    ):
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=list(FLAGS))
        visit(browser, app, size, files[0])  # loads what is loaded once
        before, load = ProcessorTime.now(), os.getloadavg()[0]
        visits = {file: visit(browser, app, size, file) for file in files}
        spent = ProcessorTime.now() - before
        done = {file: one for file, one in visits.items() if one is not None}
        print(
            f"{len(done)} of {len(files)} drawings, {arguments.size} {size[0]} x {size[1]}, ",
            end="",
        )
        print(f"load {load:.1f} to {os.getloadavg()[0]:.1f}, {os.cpu_count()} cores, ", end="")
        print(f"Python {platform.python_version()}, Chromium {browser.version}\n")
        print_times(done)
        print_steps(list(done.values()))
        spent.print_table(len(files))
        single = {file: one.vertices[0] for file, one in done.items() if len(one.vertices) == 1}
        nearest = min(single, key=lambda file: abs(single[file] - VERTICES))
        print_pace(nearest, pace_of(browser, app, size, nearest))
        browser.close()


def _parse() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, default=DEFAULT_DATA, help="folder of drawings")
    parser.add_argument("--count", type=int, default=20, help="how many drawings, evenly chosen")
    parser.add_argument("--size", choices=SIZES, default="phone", help="of the browser's window")
    return parser.parse_args()


def visit(browser: Browser, app: App, size: tuple[int, int], file: Path) -> Visit | None:
    """What one drawing takes; None where no figure is found in it."""
    with open_front_page(browser, app.url, size) as page:
        found = hand_in(page, file)
    wait_until_idle(app.job_worker().pid)
    print(
        f"{file.name}: {found.seconds:.2f} s" if found else f"{file.name}: no figure",
        file=sys.stderr,
    )
    return found


def pace_of(browser: Browser, app: App, size: tuple[int, int], file: Path) -> Pace:
    """How fast the player draws a drawing's figure."""
    with open_front_page(browser, app.url, size) as page:
        hand_in(page, file)
        return measure_player(page)


def print_times(visits: dict[Path, Visit]) -> None:
    """Median, 95th percentile and worst of the whole, beside what they may be."""
    seconds = [one.seconds for one in visits.values()]
    print("| | s | may be |\n|---|---:|---:|")
    for percentile, most in TARGETS.items():
        print(f"| p{percentile} | {np.percentile(seconds, percentile):.2f} | {most} |")
    worst = max(visits, key=lambda file: visits[file].seconds)
    print(f"| worst ({worst.name}) | {visits[worst].seconds:.2f} | |\n")


def print_steps(visits: Sequence[Visit]) -> None:
    """Median and 95th percentile of each step, and its share of all the time."""
    whole = sum(1000 * one.seconds for one in visits)
    print("| step | p50 ms | p95 ms | share |\n|---|---:|---:|---:|")
    for step, words in STEPS.items():
        times = [one.steps.get(step, 0.0) for one in visits]
        middle, late = np.percentile(times, [50, 95])
        print(f"| {words} | {middle:.0f} | {late:.0f} | {sum(times) / whole:.0%} |")
    requests = np.median([one.requests for one in visits])
    track = np.median([one.track_bytes for one in visits])
    print(f"\n{requests:.0f} requests a drawing; a track of {track / 1000:.0f} kB (medians).\n")


def print_pace(file: Path, pace: Pace) -> None:
    """What the player achieves."""
    print(f"\nPlayer: {file.name}, {pace.vertices} vertices, canvas {pace.width} x {pace.height}: ")
    print(
        f"{pace.fps:.1f} frames a second over 5 s (the browser gives {pace.offered:.1f}); ", end=""
    )
    print(f"{pace.upload_ms:.1f} ms to lay the whole track, textures too, once; ", end="")
    print(f"{pace.call_ms:.2f} ms a frame in the page, {pace.frame_ms:.1f} ms until it is drawn.")


if __name__ == "__main__":
    main()
