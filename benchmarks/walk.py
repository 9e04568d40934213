"""How long does each step of the walk take, from the bytes of a drawing to GIF and MP4?

Walks over real drawings with the models in this very process, and prints the median and the 90th
percentile of each step as a Markdown table. Steps are told apart by the progress that the pipeline
itself reports.
"""

import argparse
import os
import platform
import tempfile
import time
from collections import defaultdict
from pathlib import Path

import numpy as np

from animator import pipeline
from animator.core.documents import AnimationRequest
from animator.core.drawing import Drawing
from animator.core.errors import AnimatorError
from animator.core.job import STEPS, Step
from animator.ingest import decode_image
from serving.local import LocalPredictor

ROOT = Path(__file__).parents[1]
DEFAULT_DATA = Path(os.environ.get("ANIMATOR_TEST_DATA", ROOT.parent / "shared" / "data")).joinpath(
    "drawings"
)
SUFFIXES = {".png", ".jpg", ".jpeg", ".webp", ".heic"}


class Stopwatch:
    """Seconds spent in each step; `enter` is a progress callback of the pipeline."""

    def __init__(self) -> None:
        self.seconds: dict[Step, float] = defaultdict(float)
        self._step: Step | None = None
        self._since = 0.0

    def enter(self, step: Step, _share: float = 0.0) -> None:
        """Book the time since the last call on the step before, and begin this one."""
        now = time.perf_counter()
        if self._step is not None:
            self.seconds[self._step] += now - self._since
        self._step, self._since = step, now


def time_walk(file: Path, predictor: LocalPredictor, motion: str) -> dict[Step, float]:
    """Seconds of each step for one drawing.

    Raises:
        AnimatorError: when no animation comes of it.
    """
    watch = Stopwatch()
    watch.enter("reading")
    drawing: Drawing = decode_image(file.read_bytes())
    annotation = pipeline.annotate(drawing, predictor, watch.enter)
    with tempfile.TemporaryDirectory() as folder:
        request = AnimationRequest(motion=motion)
        pipeline.animate(drawing, annotation, request, Path(folder), watch.enter)
    watch.enter("done")
    return watch.seconds


def choose_drawings(folder: Path, count: int) -> list[Path]:
    """Every n-th drawing of a folder, in the order of their names."""
    files = sorted(f for f in folder.iterdir() if f.suffix.lower() in SUFFIXES)
    return [files[i * len(files) // count] for i in range(count)]


def print_table(rows: list[dict[Step, float]]) -> None:
    """Print median and 90th percentile of each step, in milliseconds."""
    print("| step | p50 ms | p90 ms |\n|---|---:|---:|")
    for step in STEPS:
        times = [1000 * row[step] for row in rows if step in row]
        if times:
            print(f"| {step} | {np.median(times):.0f} | {np.percentile(times, 90):.0f} |")
    totals = [1000 * sum(row.values()) for row in rows]
    print(f"| **whole** | **{np.median(totals):.0f}** | **{np.percentile(totals, 90):.0f}** |")


def main() -> None:
    """Walk over the drawings and print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, default=DEFAULT_DATA, help="folder of drawings")
    parser.add_argument("--count", type=int, default=20, help="how many drawings, evenly chosen")
    parser.add_argument("--motion", default="dance", help="the motion they perform")
    parser.add_argument("--threads", type=int, default=2, help="threads of the models")
    arguments = parser.parse_args()
    chosen = choose_drawings(arguments.data, arguments.count)
    predictor = LocalPredictor(ROOT / "models", threads=arguments.threads)
    time_walk_quietly(chosen[0], predictor, arguments.motion)  # loads the models
    rows = [time_walk_quietly(file, predictor, arguments.motion) for file in chosen]
    done = [row for row in rows if row is not None]
    print(f"{len(done)} of {len(chosen)} drawings, motion {arguments.motion}, ", end="")
    print(f"{os.cpu_count()} cores, Python {platform.python_version()}\n")
    print_table(done)


def time_walk_quietly(
    file: Path, predictor: LocalPredictor, motion: str
) -> dict[Step, float] | None:
    """Time one walk; a drawing without a figure is named and left out."""
    try:
        return time_walk(file, predictor, motion)
    except AnimatorError as error:
        print(f"<!-- {file.name}: {error.code} -->")
        return None


if __name__ == "__main__":
    main()
