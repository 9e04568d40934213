"""Score the models on annotated real drawings, and show where they fail.

    python -m models.training.evaluate --data DIR --by-tag --worst 12 --out FOLDER

DIR holds pictures and `annotations.json`; with `--characters` also characters with true masks, as
AnimatedDrawings keeps them (`texture.png` beside `mask.png`). None of these is ever trained on.
"""

import argparse
import sys
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray

from animator.core.detection import LEAST_SCORE
from models.training.annotated import AnnotatedDrawing, read_annotated
from models.training.looking import Looker, load_looker
from models.training.overlay import draw_figures
from models.training.scoring import LIMITS, FoundFigure, score_picture

__all__ = (
    "HEADINGS",
    "Look",
    "Outcome",
    "evaluate",
    "main",
    "mask_overlap",
    "rows",
    "scores_of",
    "table",
    "worst_of",
)

MODELS = Path(__file__).parents[1]

HEADINGS = (
    "style",
    "pictures",
    "figures",
    "recall",
    "precision",
    *(f"PCK@{limit}" for limit in LIMITS),
    "false on empty",
)
"""Names of the columns of `rows`."""

_NOTHING = "-"

Look = Callable[[AnnotatedDrawing], Sequence[FoundFigure]]
"""What is seen in a drawing: by the models alone, or by the whole product."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """What came of one picture.

    Attributes:
        drawing: the picture and its truth.
        found: what is seen in it.
        counts: as `score_picture` counts.
    """

    drawing: AnnotatedDrawing
    found: Sequence[FoundFigure]
    counts: Counter[str]

    @property
    def quality(self) -> float:
        """For sorting: the share of right joints, else of found figures, else of silence."""
        c = self.counts
        if c["empty"]:
            return 1.0 - c["empty_false"]
        if c["joints"]:
            return c["right@0.1"] / c["joints"] - 0.01 * (c["predicted"] - c["matched"])
        return c["matched"] / c["figures"] - 0.01 * (c["predicted"] - c["matched"])

    def draw(self) -> NDArray[np.uint8]:
        """The picture, longer side 640 pixels, with truth and prediction over it, RGB."""
        return draw_figures(self.drawing.read(), self.drawing.figures, self.found)


def worst_of(outcomes: Iterable[Outcome], count: int) -> list[Outcome]:
    """The `count` outcomes of least quality, worst first."""
    return sorted(outcomes, key=lambda o: (o.quality, o.drawing.file.name))[:count]


def evaluate(look: Look, drawings: Iterable[AnnotatedDrawing]) -> list[Outcome]:
    """Look at every picture and count."""
    outcomes = []
    for drawing in drawings:
        found = look(drawing)
        outcomes.append(Outcome(drawing, found, score_picture(drawing.figures, found)))
    return outcomes


def rows(outcomes: Sequence[Outcome], by_tag: bool) -> list[tuple[str, ...]]:
    """The scores under `HEADINGS`: over all pictures, and for each tag of three or more."""
    sums: defaultdict[str, Counter[str]] = defaultdict(Counter)
    for outcome in outcomes:
        for key in ("all", *(outcome.drawing.tags if by_tag else ())):
            sums[key].update(outcome.counts)
            sums[key]["pictures"] += 1
    order = sorted(sums, key=lambda k: (k != "all", -sums[k]["pictures"], k))
    return [_row(key, sums[key]) for key in order if key == "all" or sums[key]["pictures"] > 2]


def table(outcomes: Sequence[Outcome], by_tag: bool) -> str:
    """The scores as a Markdown table."""
    lines = (HEADINGS, ("---",) * len(HEADINGS), *rows(outcomes, by_tag))
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def scores_of(outcomes: Sequence[Outcome]) -> dict[str, float]:
    """The scores over all pictures by name, without those that nothing was there to measure."""
    values = zip(HEADINGS, rows(outcomes, by_tag=False)[0], strict=True)
    return {name: float(text) for name, text in list(values)[3:] if text != _NOTHING}


def mask_overlap(looker: Looker, characters: Path) -> dict[str, float]:
    """Intersection over union of the pose model's silhouette with each character's true mask."""
    overlaps = {}
    for file in sorted(characters.glob("*/mask.png")):
        crop = cv2.imread(str(file.with_name("texture.png")), cv2.IMREAD_COLOR_RGB)
        truth = cv2.imread(str(file), cv2.IMREAD_GRAYSCALE)
        if crop is None or truth is None:
            raise FileNotFoundError(file)
        mask, whole = looker.silhouette(np.asarray(crop, np.uint8)), truth > 127
        overlaps[file.parent.name] = float((mask & whole).sum() / max((mask | whole).sum(), 1))
    return overlaps


def _row(key: str, counts: Mapping[str, int]) -> tuple[str, ...]:
    return (
        key,
        str(counts["pictures"]),
        str(counts["figures"]),
        _ratio(counts["matched"], counts["figures"]),
        _ratio(counts["matched"], counts["predicted"]),
        *(_ratio(counts[f"right@{limit}"], counts["joints"]) for limit in LIMITS),
        _ratio(counts["empty_false"], counts["empty"]),
    )


def _ratio(part: int, whole: int) -> str:
    return f"{part / whole:.3f}" if whole else _NOTHING


def _save_worst(outcomes: Sequence[Outcome], count: int, folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    for place, outcome in enumerate(worst_of(outcomes, count)):
        picture = outcome.draw()
        name = f"{place:02d}-{outcome.drawing.file.stem}.jpg"
        cv2.imwrite(str(folder / name), cv2.cvtColor(picture, cv2.COLOR_RGB2BGR))


def _parse() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--data", type=Path, required=True, help="pictures and annotations.json")
    parser.add_argument("--characters", type=Path, help="folders of texture.png and mask.png")
    parser.add_argument("--models", type=Path, default=MODELS, help="folder of the model folders")
    parser.add_argument("--route", choices=("onnx", "torch"), default="onnx")
    parser.add_argument(
        "--min-score", type=float, default=LEAST_SCORE, help="least score of a figure"
    )
    parser.add_argument("--by-tag", action="store_true", help="a line for each style too")
    parser.add_argument("--worst", type=int, default=0, help="how many of the worst to draw")
    parser.add_argument("--out", type=Path, default=Path("worst"), help="folder for the worst")
    return parser.parse_args()


def main() -> int:
    """Read the command line, score, and print."""
    arguments = _parse()
    looker = load_looker(arguments.models, arguments.route, arguments.min_score)
    outcomes = evaluate(lambda drawing: looker.look(drawing.read()), read_annotated(arguments.data))
    print(table(outcomes, arguments.by_tag))
    if arguments.characters:
        overlaps = mask_overlap(looker, arguments.characters)
        print("mask IoU: " + ", ".join(f"{name} {value:.2f}" for name, value in overlaps.items()))
    if arguments.worst:
        _save_worst(outcomes, arguments.worst, arguments.out)
    return 0


if __name__ == "__main__":
    sys.exit(main())
