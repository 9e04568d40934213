"""`animator models evaluate`: scores on annotated drawings, and a page that shows the worst."""

import argparse
import sys
import tempfile
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TypeVar

import animator
from animator.core.errors import AnimatorError
from animator.settings import load_settings
from animator.vision.detect import DETECTOR
from animator.vision.keypoints import POSE_ESTIMATOR
from serving.archive.manifest import check_files, read_manifest
from serving.errors import ServingError

__all__ = ("CannotEvaluate", "evaluate_models")

Thing = TypeVar("Thing")


class CannotEvaluate(AnimatorError):
    """The drawings, their annotations or the models cannot be read."""

    code = "cannot_evaluate"


def evaluate_models(args: argparse.Namespace) -> int:
    """Score the models as `models.training.evaluate` defines it; print, and write the report."""
    # Nothing else in `animator` knows the models' own code: it is reached through the handlers.
    from models.training.annotated import read_annotated
    from models.training.evaluate import evaluate, scores_of, table
    from models.training.lineage import record_scores
    from models.training.looking import load_looker
    from models.training.report import render_report

    models = load_settings({"models_dir": args.models_dir}).models_dir
    _check(models)
    with _drawings(args.data, args.count) as (folder, source), _plainly():
        drawings = list(read_annotated(folder))
        if not drawings:
            msg = f"No picture in {folder} is annotated."
            raise CannotEvaluate(msg)
        looker = load_looker(models, "onnx", args.min_score)
        outcomes = evaluate(looker, _counted(drawings))
        if args.report is not None:
            facts = {"Animator": animator.__version__, "drawings": source}
            facts["least score"] = f"{args.min_score:g}"
            page = render_report(facts, outcomes, args.worst)
            args.report.write_text(page, encoding="utf-8")
        if args.record:
            for name in (DETECTOR, POSE_ESTIMATOR):
                record_scores(models / name, scores_of(outcomes), source)
    print(table(outcomes, by_tag=True))
    return 0


def _check(models: Path) -> None:
    try:
        for name in (DETECTOR, POSE_ESTIMATOR):
            check_files(read_manifest(models / name), models / name)
    except ServingError as error:
        msg = f"The models cannot be used: {error.message}"
        raise CannotEvaluate(msg) from error


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


def _counted(things: list[Thing]) -> Iterable[Thing]:
    """Pass things on, and count them on a terminal."""
    shown = sys.stderr.isatty()
    for place, thing in enumerate(things, 1):
        if shown:
            print(f"\r{place} of {len(things)} drawings", end="", file=sys.stderr, flush=True)
        yield thing
    if shown:
        print(file=sys.stderr)
