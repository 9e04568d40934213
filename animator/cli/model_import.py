"""`animator models import`: other people's weights, or an archive of ours, as a model to serve."""

import argparse
import importlib.util
import json
import zipfile
from pathlib import Path

from animator.cli.model_home import complete, find_versions, home_of, newcomer, place, version_after
from animator.cli.progress_line import ProgressLine
from animator.core.errors import AnimatorError
from animator.settings import load_settings
from animator.vision.detect import DETECTOR
from animator.vision.keypoints import POSE_ESTIMATOR
from serving.archive.archive import open_archive
from serving.archive.manifest import MANIFEST_FILE, check_files
from serving.archive.stored import StoredModel
from serving.errors import ServingError

__all__ = ("CannotImportModel", "import_model")

_ROLES = {"detector": DETECTOR, "pose": POSE_ESTIMATOR}


class CannotImportModel(AnimatorError):
    """The file holds no model that is known here, is broken, or cannot be read without its code."""

    code = "cannot_import"


def import_model(args: argparse.Namespace) -> int:
    """Make a version of a model from a file, in a folder of models that can be served by itself.

    Raises:
        CannotImportModel: why it cannot be done, and what was found instead.
        BrokenModels: when that version is there already.
    """
    if not args.file.is_file():
        msg = f"There is no file {args.file}. Name a .pth, .pkl, .mar or .zip."
        raise CannotImportModel(msg)
    settings = load_settings()
    home = home_of(settings, args.out)
    try:
        with newcomer(home) as folder:
            if _is_ours(args.file):
                stored, notes = _unpack(args.file, folder)
            else:
                stored, notes = _convert(args, folder)
            name = args.name or stored.manifest.name
            version = args.version or _version(home, name, stored)
            _rename(stored.folder, name, version)
            place(stored.folder, home, name, version)
        complete(home, settings.models_dir)
    except OSError as error:
        msg = f"{args.file} cannot be imported: {error.strerror or error}."
        raise CannotImportModel(msg) from error
    for note in notes:
        print(note)
    print(f"{name} {version} is in {home / name / version}")
    answers = find_versions(home, name)[0].manifest.version
    if answers != version:
        print(f"{name} {answers} is higher and goes on answering where no version is named.")
    print(f"Serve it: animator serve --models-dir {home}")
    return 0


def _is_ours(file: Path) -> bool:
    """Whether it is a packed model folder, as `animator models export` makes it."""
    if not zipfile.is_zipfile(file):
        return False
    with zipfile.ZipFile(file) as archive:
        return MANIFEST_FILE in archive.namelist()


def _unpack(file: Path, folder: Path) -> tuple[StoredModel, tuple[str, ...]]:
    """Unpack an archive of ours; its files must be what its manifest says."""
    try:
        stored = open_archive(file, folder)
        check_files(stored.manifest, stored.folder)
    except ServingError as error:
        msg = f"{file} is not imported: {error.message}."
        raise CannotImportModel(msg) from error
    code = stored.manifest.handler.partition(":")[0]
    own = f"It brings code of its own, {code}, which whoever serves it will run."
    return stored, (own,) if code.endswith(".py") else ()


def _convert(args: argparse.Namespace, folder: Path) -> tuple[StoredModel, tuple[str, ...]]:
    """Make a model's folder of a checkpoint; nothing in the file is run."""
    for library in ("torch", "onnx"):
        if importlib.util.find_spec(library) is None:
            msg = f"Importing needs {library}. Install the extra `torch`: "
            raise CannotImportModel(msg + "pip install 'animator[torch]'")
    # torch takes seconds to load, and is not installed everywhere.
    from models.importers.errors import CannotImport
    from models.importers.importing import ImportOptions, import_checkpoint
    from serving.archive.manifest import read_manifest

    options = ImportOptions(
        half=args.half, config=args.config, conventions=dict(args.set), graph=not args.no_graph
    )
    line = ProgressLine(args.file.name)
    target = folder / "model"
    try:
        model = import_checkpoint(args.file, target, "imported", options, line.show)
    except CannotImport as error:
        msg = f"{args.file} is not imported: {error}."
        raise CannotImportModel(msg) from error
    finally:
        line.clear()
    _rename(target, _ROLES[model.description.role], "1")
    size = sum(file.stat().st_size for file in target.iterdir()) / 1e6
    what = f"A {model.description.role} model from {model.description.kind}, {size:.0f} MB."
    return StoredModel(folder=target, manifest=read_manifest(target)), (what, *model.notes)


def _version(home: Path, name: str, stored: StoredModel) -> str:
    """Its own where it has one that is free; else the next, so that it is the one that answers."""
    if stored.sha256 and not (home / name / stored.manifest.version).exists():
        return stored.manifest.version
    if find_versions(home, name) if home.is_dir() else ():
        return version_after(home, name)
    # Above what ships, should both ever lie in one folder.
    return version_after(load_settings().models_dir, name)


def _rename(folder: Path, name: str, version: str) -> None:
    """Write name and version into a manifest."""
    file = folder / MANIFEST_FILE
    manifest = json.loads(file.read_text(encoding="utf-8"))
    manifest |= {"name": name, "version": version}
    file.write_text(json.dumps(manifest, indent=2) + "\n", encoding="utf-8")
