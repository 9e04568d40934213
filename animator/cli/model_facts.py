"""What is known of the models on disk, for `animator models list` and `show`."""

import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from animator.cli.model_home import BrokenModels, find_versions
from animator.core.errors import NotFound
from animator.settings import load_settings
from serving.archive.manifest import check_files
from serving.archive.stored import StoredModel
from serving.errors import ServingError
from serving.hardware import default_device

if TYPE_CHECKING:
    from models.training.lineage import Lineage

__all__ = ("list_models", "print_lineage", "scores_in_card", "show_model")


def list_models(models_dir: str | None) -> int:
    """Print one line a version: name, version, size, device and route, scores.

    A star marks the version that answers where a model has several.
    """
    models = sorted(_find(models_dir), key=lambda one: one.manifest.name)
    names = [one.manifest.name for one in models]
    for place, model in enumerate(models):
        manifest = model.manifest
        several = names.count(manifest.name) > 1
        mark = "*" if several and names.index(manifest.name) == place else " "
        size = sum((model.folder / n).stat().st_size for n in _present(model)) / 1e6
        scores = "  ".join(f"{name} {value:.3f}" for name, value in _scores(model).items())
        print(
            f"{manifest.name:30} {manifest.version:6}{mark}{size:5.1f} MB  {_route():20}  "
            f"{scores or 'not scored'}"
        )
    return 0


def show_model(name: str, models_dir: str | None) -> int:
    """Print manifest, checked files, lineage and card; 1 when a file is not the right one."""
    models = [model for model in _find(models_dir) if model.manifest.name == name]
    if not models:
        msg = f"There is no model {name}. `animator models list` lists them."
        raise NotFound(msg)
    return max([_show(model) for model in models])


def scores_in_card(text: str) -> dict[str, float]:
    """The scores over all pictures in a card, from a table as `evaluate` prints it; or none."""
    headings: list[str] = []
    for line in text.splitlines():
        cells = [cell.strip() for cell in line.strip().strip("|").split("|")]
        if cells[0] == "style":
            headings = cells
        elif cells[0] == "all" and len(cells) == len(headings):
            return dict(_numbers(dict(zip(headings[3:], cells[3:], strict=True))))
    return {}


def _numbers(cells: Mapping[str, str]) -> Iterator[tuple[str, float]]:
    for name, text in cells.items():
        try:
            yield name, float(text)
        except ValueError:  # nothing was there to measure
            continue


def _find(models_dir: str | None) -> Sequence[StoredModel]:
    return find_versions(load_settings({"models_dir": models_dir}).models_dir)


def _show(model: StoredModel) -> int:
    manifest = model.manifest
    print(f"{manifest.name} {manifest.version}\n")
    _line("folder", str(model.folder))
    _line("handler", manifest.handler)
    _line("runs here on", _route())
    _line("labels", ", ".join(manifest.labels) or "none")
    for tensor in manifest.inputs:
        _line("input", f"{tensor.name} {tensor.datatype} {list(tensor.shape)}")
    for file, digest in manifest.files.items():
        _line("file", f"{file}  SHA-256 {digest}")
    broken = _problem(model)
    _line("files", broken or "are what the manifest says")
    print_lineage(model)
    card = model.folder / "card.md"
    if card.is_file():
        print(f"\n{card.read_text(encoding='utf-8').rstrip()}")
    return 1 if broken else 0


def print_lineage(model: StoredModel) -> None:
    """Print what the weights of a version came from, as far as that was recorded."""
    # The package `models` is loaded by commands that ask for it only; this part needs no torch.
    from models.training.lineage import describe_lineage

    print("\nlineage")
    lineage = _lineage(model)
    if lineage is None:
        print("  not recorded")
        return
    if lineage.weights != model.manifest.files.get("weights.safetensors"):
        print("  (of other weights than these)")
    for name, value in describe_lineage(lineage):
        _line(name, value)


def _lineage(model: StoredModel) -> "Lineage | None":
    # As above: no model's code is loaded until a command needs it.
    from models.training.lineage import read_lineage

    try:
        return read_lineage(model.folder)
    except ValueError as error:
        raise BrokenModels(str(error)) from error


def _scores(model: StoredModel) -> Mapping[str, float]:
    """From the lineage if it tells of these weights, else from the card."""
    lineage = _lineage(model)
    current = model.manifest.files.get("weights.safetensors")
    if lineage is not None and lineage.scores and lineage.weights == current:
        return lineage.scores
    card = model.folder / "card.md"
    return scores_in_card(card.read_text(encoding="utf-8")) if card.is_file() else {}


def _present(model: StoredModel) -> list[str]:
    """Files of the manifest that are there; one that is missing is named on stderr."""
    names = list(model.manifest.files)
    for name in names:
        if not (model.folder / name).is_file():
            print(f"{model.manifest.name}: no file {name} in {model.folder}", file=sys.stderr)
    return [name for name in names if (model.folder / name).is_file()]


def _problem(model: StoredModel) -> str | None:
    try:
        check_files(model.manifest, Path(model.folder))
    except ServingError as error:
        return error.message
    return None


def _route() -> str:
    device = default_device()
    return "cpu, ONNX Runtime" if device == "cpu" else f"{device}, torch"


def _line(name: str, value: str) -> None:
    print(f"  {name:13} {value}")
