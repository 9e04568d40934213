"""Train with each group of factors taken away; score on real drawings, and on the group alone.

    python -m models.training.ablate --data DRAWINGS --crops 5000 --pages 1200

Every run begins with ImageNet's trunk, for the weights that ship have seen every factor; it sees as
many pictures as every other, from the same seeds, and its learning rate falls to zero. What other
seeds alone change is seen by `--again`: runs from which nothing is taken away, each with seeds of
its own. A run that is done is kept and not repeated, so the command may be stopped and called
again.
"""

import argparse
import re
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import msgspec
import torch

from models.training.annotated import AnnotatedDrawing, read_annotated
from models.training.evaluate import evaluate, scores_of
from models.training.export import EXPORTS, export_model
from models.training.groups import GROUPS
from models.training.held_out import write_held_out
from models.training.looking import Looker, load_looker
from models.training.scoring import FoundFigure, score_picture
from models.training.synthesis import SynthesisSettings
from models.training.train import DEFAULT_FOLDER
from models.training.trunk import load_trunk

__all__ = ("AGAIN", "WHOLE", "Plan", "Run", "ablate", "main", "placed_share", "table")

WHOLE = "nothing"
"""The run from which nothing is taken away."""

AGAIN = (f"{WHOLE} (again)", f"{WHOLE} (a third time)")
"""Runs from which nothing is taken away either, with other seeds."""

_LEAST_SCORE = 0.5
_SEEDS_APART = 1_000_000_000
_NEAR = "0.1"
_SHOWN = ("recall", "precision", "joints", "false on empty")

Scores = dict[str, float]
Train = Callable[[str, Path], Looker]


class Run(msgspec.Struct, frozen=True, kw_only=True):
    """What came of one run.

    Attributes:
        without: the group that was taken away, or "nothing".
        real: scores on real drawings by name.
        alone: scores on made-up pictures of one group alone, by group and name.
    """

    without: str
    real: Scores
    alone: dict[str, Scores]


@dataclass(frozen=True, slots=True)
class Plan:
    """What every run gets.

    Attributes:
        data: annotated real drawings to score on.
        crops: that the pose network sees, > 0.
        pages: that the detector sees; 0 leaves it out.
        alone: made-up pictures of each group to score on.
    """

    data: Path
    crops: int = 5000
    pages: int = 1200
    alone: int = 80


def ablate(names: Iterable[str], folder: Path, train: Train, plan: Plan) -> list[Run]:
    """Make every run that is not done yet.

    names: of groups, or "nothing".
    folder: keeps one file a run.
    train: makes models without a group, in a folder of their own.
    """
    runs = []
    for name in names:
        place = folder / re.sub(r"\W+", "-", name)
        file = place / "run.json"
        if not file.is_file():
            looker = train(name, place)
            groups = [name] if name in GROUPS else list(GROUPS)
            run = Run(
                without=name,
                real=_score(looker, list(read_annotated(plan.data)), plan.pages > 0),
                alone={g: _score_alone(looker, GROUPS[g].alone, plan) for g in groups},
            )
            file.write_bytes(msgspec.json.format(msgspec.json.encode(run), indent=2))
        runs.append(msgspec.json.decode(file.read_bytes(), type=Run))
    return runs


def placed_share(looker: Looker, drawings: Iterable[AnnotatedDrawing]) -> float:
    """The share of joints within a tenth of the true box's side, when the true box is given."""
    counts: Counter[str] = Counter()
    for drawing in drawings:
        image = drawing.read()
        for figure in drawing.figures:
            if figure.joints:
                found = FoundFigure(figure.box, 1.0, looker.joints(image, figure.box))
                counts.update(score_picture([figure], [found]))
    return counts[f"right@{_NEAR}"] / max(counts["joints"], 1)


def table(runs: Sequence[Run]) -> str:
    """All runs as a Markdown table; on the group alone, "with it → without it" in training."""
    whole = {run.without: run for run in runs}.get(WHOLE)
    heads = ("taken away", *(f"real: {n}" for n in _SHOWN), *(f"alone: {n}" for n in _SHOWN))
    lines = [heads, ("---",) * len(heads)]
    for run in runs:
        own = run.alone.get(run.without)
        full = whole.alone.get(run.without) if whole else None
        real = (_number(run.real, name) for name in _SHOWN)
        lines.append((run.without, *real, *(_pair(full, own, name) for name in _SHOWN)))
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def _number(scores: Mapping[str, float], name: str) -> str:
    return f"{scores[name]:.3f}" if name in scores else "-"


def _pair(full: Scores | None, own: Scores | None, name: str) -> str:
    if own is None or name not in own:
        return "-"
    return f"{_number(full or {}, name)} → {_number(own, name)}"


def _score(looker: Looker, drawings: Sequence[AnnotatedDrawing], finds: bool) -> Scores:
    scores = {}
    if finds:
        scores = scores_of(evaluate(lambda drawing: looker.look(drawing.read()), drawings))
    if any(figure.joints for drawing in drawings for figure in drawing.figures):
        scores["joints"] = placed_share(looker, drawings)
    return {name: round(value, 4) for name, value in scores.items()}


def _score_alone(looker: Looker, settings: SynthesisSettings, plan: Plan) -> Scores:
    with tempfile.TemporaryDirectory() as folder:
        write_held_out(Path(folder), plan.alone, settings)
        return _score(looker, list(read_annotated(Path(folder))), plan.pages > 0)


def _trainer(plan: Plan, trunk: Path) -> Train:
    """Trains both networks at once, each for its budget of pictures, and exports them."""
    budgets = {"pose": plan.crops, "detector": plan.pages}

    def train(name: str, place: Path) -> Looker:
        place.mkdir(parents=True, exist_ok=True)
        load_trunk(trunk)  # fetched once, and not by two processes at a time
        link = place / "trunk"
        link.unlink(missing_ok=True)
        link.symlink_to(trunk.resolve(), target_is_directory=True)
        command = [sys.executable, "-m", "models.training.train"]
        options = ["--folder", str(place), "--start", "imagenet", "--decay", "0.5"]
        options += ["--minutes", "600"]
        options += _drawn(name)
        children = [
            subprocess.Popen([*command, model, *options, "--pictures", str(count)])
            for model, count in budgets.items()
            if count
        ]
        if any([child.wait() for child in children]):
            msg = f"the run without {name} failed"
            raise RuntimeError(msg)
        for model, count in budgets.items():
            _bring_out(model, place, trained=count > 0)
        return load_looker(place / "models", "onnx", _LEAST_SCORE)

    return train


def _drawn(name: str) -> list[str]:
    """The training's options that say what is drawn for a run."""
    if name in GROUPS:
        return ["--without", name]
    if name in AGAIN:
        return ["--first-seed", str(_SEEDS_APART * (AGAIN.index(name) + 1))]
    return []


def _bring_out(model: str, place: Path, *, trained: bool) -> None:
    """A run's checkpoint as a model folder; where it trained none, the shipped one in its place."""
    export = EXPORTS[model]
    target = place / "models" / export.folder.name
    target.parent.mkdir(exist_ok=True)
    if not trained:
        target.unlink(missing_ok=True)
        target.symlink_to(export.folder, target_is_directory=True)
        return
    target.mkdir(exist_ok=True)
    state = torch.load(place / f"{model}.pt", map_location="cpu", weights_only=True)
    export_model(export, state["average"], target)
    (place / f"{model}.pt").unlink()


def main() -> int:
    """Read the command line, run what is not done, print the table."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--data", type=Path, required=True, help="pictures and annotations.json")
    parser.add_argument("--folder", type=Path, default=DEFAULT_FOLDER / "ablation")
    parser.add_argument("--crops", type=int, default=5000, help="that the pose network sees")
    parser.add_argument(
        "--pages", type=int, default=1200, help="that the detector sees; 0 leaves it out"
    )
    parser.add_argument("--alone", type=int, default=80, help="pictures of each group to test on")
    parser.add_argument("--only", nargs="*", choices=[WHOLE, *GROUPS], help="these runs")
    parser.add_argument(
        "--again",
        type=int,
        default=0,
        choices=range(len(AGAIN) + 1),
        help="runs with nothing taken away and other seeds",
    )
    arguments = parser.parse_args()
    names = [*(arguments.only or [WHOLE, *GROUPS]), *AGAIN[: arguments.again]]
    plan = Plan(arguments.data, arguments.crops, arguments.pages, arguments.alone)
    runs = ablate(names, arguments.folder, _trainer(plan, DEFAULT_FOLDER / "trunk"), plan)
    print(table(runs))
    return 0


if __name__ == "__main__":
    sys.exit(main())
