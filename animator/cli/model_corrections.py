"""`animator models train --from corrections`: learn from what people corrected and allowed."""

import argparse
import hashlib
import shutil
from collections.abc import Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

from animator.cli.model_home import complete, find_versions, home_of, newcomer, newest, place
from animator.cli.model_scores import measure, score_outlines
from animator.cli.model_training import CannotTrain
from animator.cli.model_walk import walk_with
from animator.cli.progress_line import counted
from animator.core.annotation import Annotation
from animator.core.documents import Consent, DrawingDocument
from animator.core.errors import NotFound
from animator.core.rotation import rotate_drawing
from animator.ingest import decode_apart
from animator.settings import Settings, load_settings
from animator.store import JOB, open_stores
from animator.vision.detect import DETECTOR
from animator.vision.keypoints import POSE_ESTIMATOR

if TYPE_CHECKING:
    from models.training.corrections import Correction

__all__ = ("train_from_corrections", "why_worse")

_NAMES = {"detector": DETECTOR, "pose": POSE_ESTIMATOR}
_PROVENANCE, _MADE_UP = "provenance.json", "made_up"

_EVEN = 0.002
"""Qualities that differ by less are even: a pixel here or there at an outline."""

_FORGIVEN = 0.02
"""Loss of quality on made-up drawings that is within what chance makes of thirty."""

Scores = tuple[Mapping[str, float], Mapping[str, float]]
"""Before and after, by name."""


def train_from_corrections(args: argparse.Namespace) -> int:
    """Tune, test against the version that answers now, and keep the result as a new version.

    Raises:
        CannotTrain: when there are too few corrections.
    """
    settings = load_settings({"data_dir": args.data_dir, "models_dir": args.models_dir})
    home = home_of(settings, args.out)
    with newcomer(home) as folder:
        data = args.keep or folder / "data"
        _write(settings, data)
        _make_up(folder / _MADE_UP, args.made_up)
        versions = _tune(args, home, folder, data)
        sets = (data, folder / _MADE_UP)
        (before, before_made_up), (after, after_made_up) = (
            (_score_corrections(models, sets[0]), _score_made_up(models, sets[1]))
            for models in (settings.models_dir, _stand_in(settings.models_dir, folder))
        )
        print(f"On drawings that were held back:\n\n{_comparison(before, after)}\n")
        print(f"On made-up drawings:\n\n{_comparison(before_made_up, after_made_up)}\n")
        worse = why_worse((before, after), (before_made_up, after_made_up))
        if worse is not None and not args.even_if_worse:
            print(f"The new weights are {worse}; not kept.")
            return 1
        complete(home, settings.models_dir)
        for name, version in versions.items():
            _finish(folder / "models" / name, data, (before, after))
            target = place(folder / "models" / name, home, name, version)
            print(f"{name} {version} is in {target}")
    print(f"Serve it: animator serve --models-dir {home}")
    return 0


def _write(settings: Settings, data: Path) -> None:
    """Collect what may be learned from into a folder of data."""
    # torch comes with it, which takes seconds to load and is not installed everywhere.
    from models.training.corrections import TooFewCorrections, write_corrections

    try:
        write_corrections(data, _collect(settings))
    except TooFewCorrections as error:
        msg = f"There is too little to learn from in {settings.data_dir}: {error}."
        raise CannotTrain(msg) from error
    except FileExistsError as error:
        msg = f"{data} holds data already; name another folder."
        raise CannotTrain(msg) from error


def _collect(settings: Settings) -> "Iterator[Correction]":
    """Drawings with consent whose figures people changed, each read when its turn comes."""
    from models.training.corrections import Correction, is_complete

    stores = open_stores(settings.storage, JOB)
    documents, blobs = stores.documents, stores.blobs
    for id in counted(documents.consents(), "drawings"):
        with suppress(NotFound):  # deleted meanwhile, or not annotated yet
            annotation = documents.get(Annotation, id)
            if not is_complete(annotation):
                continue
            upload = blobs.get(documents.get(DrawingDocument, id).upload)
            drawing = rotate_drawing(decode_apart(upload), annotation.rotation)
            yield Correction(
                sha256=hashlib.sha256(upload).hexdigest(),
                given=documents.get(Consent, id).given,
                image=drawing.image,
                annotation=annotation,
            )


def _tune(args: argparse.Namespace, home: Path, folder: Path, data: Path) -> dict[str, str]:
    """Train each model that is asked for; their versions by name."""
    from models.training.amateur import open_drawings
    from models.training.tuning import Tuning, shipped_version, tune

    drawings = open_drawings(data / "train")
    models = list(_NAMES) if args.model == "all" else [args.model]
    tuning = Tuning(args.minutes / len(models), args.share, folder / "work")
    versions = {}
    for model in models:
        name = _NAMES[model]
        versions[name] = _next(home, name, shipped_version(model))
        print(f"{model}: learning from {len(drawings)} drawings for {tuning.minutes:g} minutes")
        tune(model, drawings, tuning, folder / "models" / name, versions[name])
    return versions


def _next(home: Path, name: str, base: str) -> str:
    """The first free one of 1.0.1, 1.0.2 and so on, where 1.0 ships."""
    taken = {one.manifest.version for one in find_versions(home, name)}
    return next(v for n in range(1, len(taken) + 2) if (v := f"{base}.{n}") not in taken)


def _stand_in(models: Path, folder: Path) -> Path:
    """A folder with the new versions, and what answers now for models that were not tuned."""
    candidate = folder / "models"
    for name in _NAMES.values():
        if not (candidate / name).exists():
            (folder / "others").mkdir(exist_ok=True)
            shutil.copytree(newest(models, name).folder, folder / "others" / name)
            (folder / "others" / name).rename(candidate / name)
    return candidate


def _make_up(folder: Path, count: int) -> None:
    """Drawings of all styles that no training sees, to test what may have been forgotten."""
    from models.training.held_out import write_held_out

    folder.mkdir()
    write_held_out(folder, count)


def _score_made_up(models: Path, folder: Path) -> dict[str, float]:
    return measure(walk_with(models), folder, turned=False)[1]


def _score_corrections(models: Path, data: Path) -> dict[str, float]:
    """How the product does with these models on what was held back."""
    from models.training.corrections import held_back_outlines

    walk = walk_with(models)
    _, scores = measure(walk, data / "held_back", turned=False)
    return scores | dict(score_outlines(walk, list(held_back_outlines(data))))


def why_worse(corrections: Scores, made_up: Scores) -> str | None:
    """In what the new weights fall behind, from scores before and after; None: in nothing."""
    from models.training.tuning import quality

    if quality(corrections[1]) < quality(corrections[0]) - _EVEN:
        return "no better on drawings that were held back"
    if quality(made_up[1]) < quality(made_up[0]) - _FORGIVEN:
        return "worse on other drawings: they forgot too much"
    return None


def _comparison(before: Mapping[str, float], after: Mapping[str, float]) -> str:
    lines = [("score", "before", "after"), ("---", "---", "---")]
    names = dict.fromkeys((*before, *after))
    lines += [(name, _number(before.get(name)), _number(after.get(name))) for name in names]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def _number(value: float | None) -> str:
    return "-" if value is None else f"{value:.3f}"


def _finish(folder: Path, data: Path, scores: Scores) -> None:
    """Tell in the model's folder what it was made from and how good it is."""
    from models.training.lineage import hash_file, record_scores

    before, after = scores
    record_scores(folder, after, hash_file(data / "held_back" / "annotations.json"), before)
    shutil.copyfile(data / _PROVENANCE, folder / _PROVENANCE)
    card = (
        f"# {folder.name}, tuned on corrected drawings\n\n"
        "The weights that ship, trained on with drawings whose owners allowed it. Which, by hash,\n"
        "is in `provenance.json`; how, in `lineage.json`. On the ones that were held back:\n\n"
        f"{_comparison(before, after)}\n"
    )
    (folder / "card.md").write_text(card, encoding="utf-8")
