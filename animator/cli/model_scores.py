"""`animator models evaluate`: the product's scores on annotated drawings, against the bar."""

import argparse
import json
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import animator
from animator.cli.model_home import newest
from animator.cli.model_walk import ProductWalk, walk_with
from animator.cli.progress_line import counted
from animator.cli.records import encode_record
from animator.core.errors import AnimatorError
from animator.settings import load_settings
from animator.vision.detect import DETECTOR
from animator.vision.keypoints import POSE_ESTIMATOR

if TYPE_CHECKING:
    from models.training.annotated import AnnotatedDrawing
    from models.training.evaluate import Outcome
    from models.training.outlines import OutlineOutcome, TrueOutline
    from models.training.report import Evaluation

__all__ = ("CannotEvaluate", "evaluate_models", "measure", "score_outlines")

REPORT, TABLE, PREDICTIONS, SCORES = "index.html", "table.md", "predictions.jsonl", "scores.json"
"""Files of a report's folder."""

_MASKS = Path(__file__).parents[2] / "tests" / "data" / "masks"
"""Masks that were drawn for the public test drawings; they come with the sources."""

_CHARACTERS = Path("animated-drawings", "characters")
"""Where AnimatedDrawings' example characters lie beside the test drawings."""


class CannotEvaluate(AnimatorError):
    """The drawings or their annotations cannot be read."""

    code = "cannot_evaluate"


def evaluate_models(args: argparse.Namespace) -> int:
    """Score the product as `models.training.scoring` defines it; print, and write the report."""
    # Nothing else in `animator` knows the models' own code: it is loaded for this verb only.
    from models.training.lineage import record_scores
    from models.training.outlines import outline_scores
    from models.training.report import Evaluation

    models = load_settings({"models_dir": args.models_dir}).models_dir
    used = [newest(models, name) for name in (DETECTOR, POSE_ESTIMATOR)]
    with _drawings(args.data, args.count) as (folder, source), _plainly():
        walk = walk_with(models, args.min_score)
        outcomes, scores = measure(walk, folder, turned=args.turns)
        outlines = _judge_outlines(walk, folder, args)
        evaluation = Evaluation(outcomes, outlines, {**scores, **outline_scores(outlines)})
        if args.report is not None:
            facts = {one.manifest.name: one.manifest.version for one in used}
            facts |= {"Animator": animator.__version__, "drawings": source}
            _write_report(args.report, facts, evaluation, args.worst)
            lines = [encode_record(walk.records[o.drawing.file]) for o in outcomes]
            (args.report / PREDICTIONS).write_bytes(b"\n".join((*lines, b"")))
        if args.record:
            for one in used:
                record_scores(one.folder, evaluation.scores, source)
    print(_tables(evaluation), end="")
    return 0


def measure(
    walk: ProductWalk, folder: Path, *, turned: bool
) -> "tuple[list[Outcome], dict[str, float]]":
    """Walk over the annotated drawings of a folder: what came of each, and scores by name.

    Args:
        walk: the product.
        folder: pictures and `annotations.json`.
        turned: whether each drawing is also shown in the three other turns.

    Raises:
        CannotEvaluate: when no picture is annotated.
    """
    from models.training.annotated import read_annotated
    from models.training.evaluate import evaluate, scores_of

    drawings = list(read_annotated(folder))
    if not drawings:
        msg = f"No picture in {folder} is annotated."
        raise CannotEvaluate(msg)
    outcomes = evaluate(walk.look, counted(drawings, "drawings"))
    scores = scores_of(outcomes)
    if turned:
        scores |= _score_turns(walk, drawings)
    return outcomes, scores


def _score_turns(walk: ProductWalk, drawings: "list[AnnotatedDrawing]") -> dict[str, float]:
    told = [good for drawing in counted(drawings, "turns") for good in walk.turns_of(drawing)]
    return {"orientation of four turns": sum(told) / len(told)} if told else {}


def score_outlines(walk: ProductWalk, truths: "list[TrueOutline]") -> Mapping[str, float]:
    """The scores of the product's masks against true ones."""
    from models.training.outlines import judge_outline, outline_scores

    return outline_scores([judge_outline(one, walk.masks_of(one.file)) for one in truths])


def _judge_outlines(
    walk: ProductWalk, drawings: Path, args: argparse.Namespace
) -> "list[OutlineOutcome]":
    """Every true mask that is there against the product's own."""
    from models.training.outlines import (
        judge_outline,
        outlines_of_characters,
        outlines_of_drawings,
    )

    truths = [
        *outlines_of_drawings(args.masks or _MASKS, drawings),
        *outlines_of_characters(args.characters or drawings.parent / _CHARACTERS),
    ]
    return [judge_outline(one, walk.masks_of(one.file)) for one in counted(truths, "outlines")]


def _write_report(
    folder: Path, facts: dict[str, str], evaluation: "Evaluation", worst: int
) -> None:
    """The page, its tables as Markdown, and the scores as JSON."""
    from models.training.report import render_report

    folder.mkdir(parents=True, exist_ok=True)
    page = render_report(facts, evaluation, worst)
    (folder / REPORT).write_text(page, encoding="utf-8")
    (folder / TABLE).write_text(_tables(evaluation), encoding="utf-8")
    rounded = {name: round(value, 4) for name, value in evaluation.scores.items()}
    content = json.dumps({"facts": facts, "scores": rounded}, indent=2)
    (folder / SCORES).write_text(content + "\n", encoding="utf-8")


def _tables(evaluation: "Evaluation") -> str:
    """The bar, and the scores style by style, as Markdown."""
    from models.training.bar import bar_table
    from models.training.evaluate import table

    return f"{bar_table(evaluation.scores)}\n\n{table(evaluation.outcomes, by_tag=True)}\n"


@contextmanager
def _drawings(data: Path | None, count: int) -> Iterator[tuple[Path, str]]:
    """A folder of annotated drawings, and what they are: "synthetic", or a hash."""
    from models.training.held_out import write_held_out
    from models.training.lineage import SYNTHETIC, hash_file

    if data is None:
        with tempfile.TemporaryDirectory() as folder:
            write_held_out(Path(folder), count)
            yield Path(folder), SYNTHETIC
        return
    file = data / "annotations.json"
    if not file.is_file():
        msg = f"There is no annotations.json in {data}."
        raise CannotEvaluate(msg)
    yield data, hash_file(file)


@contextmanager
def _plainly() -> Iterator[None]:
    """What goes wrong with files becomes one sentence."""
    try:
        yield
    except OSError as error:
        name = error.filename or error
        msg = f"{name} cannot be read or written."
        raise CannotEvaluate(msg) from error
    except (KeyError, IndexError, TypeError, ValueError) as error:
        msg = f"The annotations cannot be read: {type(error).__name__}: {error}"
        raise CannotEvaluate(msg) from error
