"""Import a checkpoint: `python -m models.importers FILE --out models/NAME`."""

import argparse
import json
import sys
from pathlib import Path

from models.importers.errors import CannotImport
from models.importers.importing import ImportedModel, ImportOptions, import_checkpoint

__all__ = ("main",)


def main(arguments: list[str] | None = None) -> int:
    """Import one file and say what became of it; 1 with a sentence when it cannot be."""
    given = _parser().parse_args(arguments)
    options = ImportOptions(
        half=given.half,
        config=given.config,
        conventions=dict(given.set),
        graph=not given.no_graph,
    )
    try:
        model = import_checkpoint(given.file, given.out, given.name, options)
    except CannotImport as error:
        print(f"{given.file} is not imported: {error}", file=sys.stderr)
        return 1
    print(_report(model))
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m models.importers", description=__doc__)
    parser.add_argument("file", type=Path, help="a .pth, .pkl or .mar")
    parser.add_argument("--out", type=Path, required=True, help="folder of the model, empty or new")
    parser.add_argument("--name", help="of the model; default: the folder's name")
    parser.add_argument("--half", action="store_true", help="store float16 in place of float32")
    parser.add_argument("--config", type=Path, help="the library's configuration for this file")
    parser.add_argument("--no-graph", action="store_true", help="no model.onnx: torch on the CPU")
    parser.add_argument(
        "--set",
        type=_setting,
        action="append",
        default=[],
        metavar="NAME=JSON",
        help="one convention of network.json, such as stride_in_1x1=false",
    )
    return parser


def _setting(text: str) -> tuple[str, object]:
    name, _, value = text.partition("=")
    try:
        return name, json.loads(value)
    except json.JSONDecodeError:
        return name, value


def _report(model: ImportedModel) -> str:
    numbers = "float16" if model.description.half else "float32"
    megabytes = sum(file.stat().st_size for file in model.folder.iterdir()) / 1e6
    first = (
        f"{model.folder}: {model.name}, a {model.description.role} model from "
        f"{model.description.kind}, {numbers}, {megabytes:.0f} MB"
    )
    return "\n".join((first, *model.notes))


if __name__ == "__main__":
    sys.exit(main())
