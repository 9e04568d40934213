"""`animator models reference`: what the models see and say now, for the server to tell drift by."""

import argparse
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import msgspec
from numpy.typing import NDArray

from animator.cli.drawings import LocalModels, read_drawing
from animator.cli.model_home import newest
from animator.cli.progress_line import counted
from animator.core.errors import AnimatorError, ModelUnavailable
from animator.pipeline import annotate, say_nothing
from animator.settings import load_settings
from animator.vision import Predictor
from animator.vision.detect import DETECTOR
from animator.vision.keypoints import POSE_ESTIMATOR
from serving.archive.stored import StoredModel
from serving.handlers.loading import load_handler
from serving.observe.reference import REFERENCE_FILE, Reference, spread_of

__all__ = ("CannotMeasure", "measure_reference")

_PICTURES = frozenset({".png", ".jpg", ".jpeg", ".webp", ".bmp", ".tif", ".tiff", ".heic", ".gif"})


class CannotMeasure(AnimatorError):
    """There are no pictures, or what was measured cannot be written."""

    code = "cannot_measure"


class Recorder:
    """Runs models, and keeps what their handlers measure.

    Args:
        predictor: runs them.
        models: those that are measured.
    """

    def __init__(self, predictor: Predictor, models: Mapping[str, StoredModel]) -> None:
        self._predictor = predictor
        handlers = {n: load_handler(m.manifest.handler, m.folder) for n, m in models.items()}
        self._measures = {n: getattr(h, "measure", None) for n, h in handlers.items()}
        self._values: dict[str, dict[str, list[float]]] = {name: {} for name in models}

    def infer(self, model: str, inputs: Mapping[str, NDArray[Any]]) -> Mapping[str, NDArray[Any]]:
        """Run a model on one item, and measure it."""
        outputs = self._predictor.infer(model, inputs)
        measure = self._measures.get(model)
        if measure is not None:
            for name, value in measure(inputs, outputs).items():
                self._values[model].setdefault(name, []).append(float(value))
        return outputs

    def reference(self, model: str, source: str) -> Reference:
        """How everything that was measured of a model is spread."""
        spreads = {name: spread_of(values) for name, values in self._values[model].items()}
        return Reference(source=source, statistics=spreads)


def measure_reference(args: argparse.Namespace) -> int:
    """Look at pictures as the product does, and write what was measured beside the models.

    Raises:
        CannotMeasure: when there are no pictures, or a folder cannot be written.
        BrokenModels: when a model is missing or broken.
    """
    models = load_settings({"models_dir": args.models_dir}).models_dir
    used = {name: newest(models, name) for name in (DETECTOR, POSE_ESTIMATOR)}
    recorder = Recorder(LocalModels(models), used)
    seen = _look(recorder, args.data)
    for name, model in used.items():
        reference = recorder.reference(name, f"{seen} pictures")
        _write(model.folder / REFERENCE_FILE, reference)
        print(f"{name} {model.manifest.version}: {', '.join(sorted(reference.statistics))}")
    return 0


def _look(predictor: Predictor, folder: Path) -> int:
    """Walk over the pictures in a folder; how many could be read."""
    files = sorted(f for f in folder.rglob("*") if f.suffix.lower() in _PICTURES)
    seen = 0
    for file in counted(files, "pictures"):
        try:
            annotate(read_drawing(file), predictor, say_nothing)
        except ModelUnavailable:
            raise
        except AnimatorError:  # the server would not have seen it either
            continue
        seen += 1
    if not seen:
        msg = f"There are no pictures in {folder}."
        raise CannotMeasure(msg)
    return seen


def _write(file: Path, reference: Reference) -> None:
    data = msgspec.json.format(msgspec.json.encode(reference), indent=1)
    try:
        file.write_bytes(data + b"\n")
    except OSError as error:
        msg = f"{file} cannot be written: {error.strerror}. Name other models with --models-dir."
        raise CannotMeasure(msg) from error
