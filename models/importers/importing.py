"""From a file of weights to a folder that the server loads."""

import hashlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

import msgspec

from models.importers.archive import check_place, write_archive, write_manifest
from models.importers.configs import read_config
from models.importers.conventions import (
    CONVENTIONS,
    Conventions,
    Kind,
    RegionConventions,
    TopDownConventions,
)
from models.importers.convert import convert_weights, measure_shape
from models.importers.description import Description
from models.importers.errors import CannotImport
from models.importers.graphs import export_graph
from models.importers.names import recognise
from models.importers.reading import read_checkpoint
from models.importers.shapes import RegionShape, TopDownShape

__all__ = ("ImportOptions", "ImportedModel", "Tell", "import_checkpoint")

Tell = Callable[[str, float], None]
"""Told of each step as it begins, with the share of the work that is done, in [0, 1]."""

_KEYPOINTS = 17

# The weights that torchvision trained itself (names end in the start of their SHA-256) were made
# without an epsilon; its own constructors set it to zero for them alone.
_WITHOUT_EPSILON = ("bf2d0c1e", "fc266e95")


@dataclass(frozen=True, slots=True)
class ImportOptions:
    """What a file cannot say itself.

    Attributes:
        half: store float16, of half the size, whose results differ by about a thousandth.
        config: the library's configuration that belongs to the file (detectron2's `config.yaml`,
            an mm library's `.py`); it is read, never run.
        conventions: single values in place of those; see `conventions.py`.
        graph: write `model.onnx`, too, so that a CPU needs no torch.
    """

    half: bool = False
    config: Path | None = None
    conventions: Mapping[str, object] = field(default_factory=dict)
    graph: bool = True


@dataclass(frozen=True, slots=True)
class ImportedModel:
    """What became of a file.

    Attributes:
        folder: where the model is.
        name: under which the server offers it.
        description: of its network.
        notes: sentences that a person should read.
    """

    folder: Path
    name: str
    description: Description
    notes: tuple[str, ...]


def import_checkpoint(
    file: Path,
    folder: Path,
    name: str | None = None,
    options: ImportOptions | None = None,
    tell: Tell = lambda step, share: None,
) -> ImportedModel:
    """Turn a checkpoint into a model's folder.

    Args:
        file: a `.pth` of torchvision, a `.pth` or `.pkl` of detectron2, a `.pth` of mmdet or
            mmpose, or a `.mar` with one of the latter.
        folder: where to; it must be empty or absent.
        name: under which the server offers it; None: the folder's name.
        options: what the file cannot say itself.
        tell: how far it has come.

    Raises:
        CannotImport: when the file is none of these, needs code to be read, or the folder is taken.
    """
    options, name = options or ImportOptions(), name or folder.resolve().name
    check_place(folder, name)
    tell("reading", 0.0)
    try:
        checkpoint = read_checkpoint(file)
        config = options.config.read_text() if options.config else checkpoint.config
    except (OSError, UnicodeDecodeError) as error:
        msg = f"cannot read the file: {error}"
        raise CannotImport(msg) from error
    digest = hashlib.sha256(file.read_bytes()).hexdigest()
    kind = recognise(checkpoint.state)
    said = {**_known(digest), **read_config(kind, config), **options.conventions}
    conventions = _settle(kind, said)
    tell("converting", 0.3)
    weights = convert_weights(kind, checkpoint.state, conventions)
    shape = measure_shape(weights)
    description = _describe(kind, shape, conventions, options.half, (file.name, digest))
    write_archive(folder, name, weights, description)
    if options.graph:
        tell("tracing the graph", 0.5)
        export_graph(folder, description)
        write_manifest(folder, name, description)
    notes = _notes(kind, shape, said)
    return ImportedModel(folder=folder, name=name, description=description, notes=notes)


def _known(digest: str) -> dict[str, object]:
    return {"norm_epsilon": 0.0} if digest.startswith(_WITHOUT_EPSILON) else {}


def _settle(kind: Kind, said: Mapping[str, object]) -> Conventions:
    """The kind's conventions, with what was said about this file in their place."""
    default = CONVENTIONS[kind]
    try:
        return msgspec.convert({**msgspec.to_builtins(default), **said}, type(default))
    except msgspec.ValidationError as error:
        msg = f"these conventions cannot be followed: {error}"
        raise CannotImport(msg) from error


def _describe(
    kind: Kind,
    shape: RegionShape | TopDownShape,
    conventions: Conventions,
    half: bool,
    source: tuple[str, str],
) -> Description:
    regions, top_down = None, None
    if isinstance(shape, RegionShape) and isinstance(conventions, RegionConventions):
        regions = (shape, conventions)
    elif isinstance(shape, TopDownShape) and isinstance(conventions, TopDownConventions):
        top_down = (shape, conventions)
    description = Description(
        kind=kind,
        half=half,
        source=source[0],
        source_sha256=source[1],
        regions=regions,
        top_down=top_down,
    )
    if description.role == "pose" and shape.keypoints != _KEYPOINTS:
        msg = f"the network finds {shape.keypoints} keypoints, not the {_KEYPOINTS} of COCO"
        raise CannotImport(msg)
    return description


def _notes(
    kind: Kind, shape: RegionShape | TopDownShape, said: Mapping[str, object]
) -> tuple[str, ...]:
    notes = []
    if isinstance(shape, RegionShape) and shape.classes > 2:
        notes.append(
            f"The network tells {shape.classes - 1} classes apart; the first one counts as figures."
        )
    if not said:
        notes.append(
            f"Nothing says how this file was trained, so the defaults of {kind} are followed; "
            "they stand in network.json."
        )
    return tuple(notes)
