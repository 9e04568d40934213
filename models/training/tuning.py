"""Tuning: the weights that ship, trained a little further on somebody's own drawings."""

import json
import signal
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import msgspec
import torch

from models.training.amateur import AmateurDrawings
from models.training.bar import BAR
from models.training.export import EXPORTS, export_model, lineage_of
from models.training.lineage import write_lineage
from models.training.mixing import Mixture
from models.training.recipes import recipe_with
from models.training.train import Slice, train_slice

__all__ = ("Tuning", "quality", "shipped_version", "tune")

_RATE = 0.25  # of the recipes' learning rates: what was learned before is to be kept
_DECAY = 0.5


@dataclass(frozen=True, slots=True)
class Tuning:
    """How to tune.

    Attributes:
        minutes: for each model, > 0.
        share: of the real drawings among those that are made up, [0, 1].
        work: a folder for checkpoints, empty or new.
    """

    minutes: float
    share: float
    work: Path


def tune(name: str, drawings: AmateurDrawings, tuning: Tuning, folder: Path, version: str) -> None:
    """Train one model from the weights that ship, and write the result as a model's folder.

    Args:
        name: "pose" or "detector".
        drawings: what to learn from.
        tuning: how.
        folder: where to; new.
        version: of the result.
    """
    plan = Slice(
        folder=tuning.work,
        minutes=tuning.minutes,
        decay=_DECAY,
        rate=_RATE,
        data=drawings.sha256,
        share=tuning.share,
    )
    with _own_signals():
        progress = train_slice(recipe_with(name, Mixture(drawings, tuning.share)), plan)
    state = torch.load(tuning.work / f"{name}.pt", map_location="cpu", weights_only=True)
    folder.mkdir(parents=True)
    manifest = json.loads((EXPORTS[name].folder / "manifest.json").read_text(encoding="utf-8"))
    manifest["version"] = version
    (folder / "manifest.json").write_text(json.dumps(manifest, indent=2), encoding="utf-8")
    export_model(EXPORTS[name], state["average"], folder)
    lineage = lineage_of(progress, folder)
    write_lineage(folder, msgspec.structs.replace(lineage, base=shipped_version(name)))


@contextmanager
def _own_signals() -> Iterator[None]:
    """Ctrl-C ends the slice early, and afterwards means again what it did before."""
    before = {kind: signal.getsignal(kind) for kind in (signal.SIGTERM, signal.SIGINT)}
    try:
        yield
    finally:
        for kind, handler in before.items():
            signal.signal(kind, handler)


def shipped_version(name: str) -> str:
    """The version whose weights a tuning begins with; name is "pose" or "detector"."""
    manifest = json.loads((EXPORTS[name].folder / "manifest.json").read_text(encoding="utf-8"))
    return str(manifest["version"])


def quality(scores: Mapping[str, float]) -> float:
    """One number of many scores, higher is better: their mean, errors turned round."""
    errors = {target.name for target in BAR if target.is_most}
    values = [1 - v if name in errors else v for name, v in scores.items()]
    return sum(values) / len(values) if values else 0.0
