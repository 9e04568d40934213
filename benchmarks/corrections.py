"""How well is a figure found in a box that a person draws, and how much work is it?

    python -m benchmarks.corrections

Every figure that is found in the test drawings is found anew by its box alone, as it is and wider
by shares of its longer side; the first finding is the truth. One thread; what counts is the
processor's work, which hardly depends on what else the machine does.
"""

import argparse
import os
import time
from dataclasses import dataclass
from pathlib import Path

import cv2
import msgspec
import numpy as np
from numpy.typing import NDArray

from animator.cli.drawings import LocalModels, read_drawing
from animator.core.annotation import Annotation, FigureAnnotation
from animator.core.drawing import Drawing
from animator.core.geometry import Box
from animator.core.mask import mask_from_run_lengths
from animator.pipeline import annotate, complete, say_nothing

ROOT = Path(__file__).parents[1]
DRAWINGS = Path(os.environ.get("ANIMATOR_TEST_DATA", ROOT.parent / "shared" / "data")) / "drawings"
WIDER = (0.0, 0.05, 0.15, 0.30)
"""Shares of the figure's longer side by which a box is too wide on every side."""


@dataclass(frozen=True)
class Found:
    """One figure, found anew.

    Attributes:
        drawing: name of its file.
        agreement: intersection over union of both outlines.
        away: mean distance of the joints, share of the figure's longer side.
        work: CPU seconds.
    """

    drawing: str
    agreement: float
    away: float
    work: float


def main() -> None:
    """Print a table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--every", type=int, default=2, help="take every n-th drawing (2)")
    every = parser.parse_args().every
    cv2.setNumThreads(1)
    models = LocalModels()
    rows: dict[float, list[Found]] = {wider: [] for wider in WIDER}
    for file in sorted(DRAWINGS.glob("*.[jp][pn]g"))[::every]:
        drawing = Drawing(id=file.name, image=read_drawing(file).image)
        annotation = annotate(drawing, models, say_nothing)
        for figure in annotation.figures:
            for wider in WIDER:
                rows[wider].append(_find(drawing, annotation, figure, wider, models))
    print("| box wider by | figures | agreement | at worst | joints away | CPU ms, median |")
    print("|---:|---:|---:|---:|---:|---:|")
    for wider, found in rows.items():
        print(f"| {wider:.0%} | {_row(found)} |")


def _find(
    drawing: Drawing,
    annotation: Annotation,
    figure: FigureAnnotation,
    wider: float,
    models: LocalModels,
) -> Found:
    box = _widen(figure.box, wider, annotation)
    bare = msgspec.structs.replace(figure, box=box, mask=None, skeleton=None)
    figures = tuple(bare if one is figure else one for one in annotation.figures)
    pending = msgspec.structs.replace(annotation, figures=figures)
    begun = time.process_time()
    after = complete(drawing, pending, models, say_nothing)[figure.id]
    work = time.process_time() - begun
    true, found = (_on_page(one, annotation) for one in (figure, after))
    side = max(figure.box.width, figure.box.height)
    away = np.hypot(*(_joints(figure) - _joints(after)).T).mean() / side
    agreement = (true & found).sum() / (true | found).sum()
    return Found(drawing.id, float(agreement), float(away), work)


def _widen(box: Box, share: float, annotation: Annotation) -> Box:
    rim = round(share * max(box.width, box.height))
    return Box(
        max(box.x1 - rim, 0),
        max(box.y1 - rim, 0),
        min(box.x2 + rim, annotation.width),
        min(box.y2 + rim, annotation.height),
    )


def _on_page(figure: FigureAnnotation, annotation: Annotation) -> NDArray[np.bool_]:
    page = np.zeros((annotation.height, annotation.width), np.bool_)
    box = figure.box
    if figure.mask is not None:
        data = mask_from_run_lengths(figure.mask).data
        page[int(box.y1) : int(box.y2), int(box.x1) : int(box.x2)] = data
    return page


def _joints(figure: FigureAnnotation) -> NDArray[np.float64]:
    joints = () if figure.skeleton is None else figure.skeleton.joints
    return np.array([(joint.x + figure.box.x1, joint.y + figure.box.y1) for joint in joints])


def _row(found: list[Found]) -> str:
    agreements = [one.agreement for one in found]
    worst = min(found, key=lambda one: one.agreement)
    away = np.mean([one.away for one in found])
    work = 1000 * np.median([one.work for one in found])
    return (
        f"{len(found)} | {np.mean(agreements):.3f} | {worst.agreement:.2f} ({worst.drawing}) | "
        f"{away:.1%} | {work:.0f}"
    )


if __name__ == "__main__":
    main()
