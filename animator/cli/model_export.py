"""`animator models export`: a version of a model as one file that can be imported and served."""

import argparse
import hashlib
import zipfile
from pathlib import Path

from animator.cli.model_home import BrokenModels, find_versions
from animator.cli.progress_line import counted
from animator.core.errors import AnimatorError, NotFound
from animator.settings import load_settings
from serving.archive.manifest import MANIFEST_FILE, check_files
from serving.archive.stored import StoredModel
from serving.errors import ServingError

__all__ = ("CannotExport", "export_model_file")

_BESIDE = ("card.md", "lineage.json", "reference.json")
"""What comes along where it is there, though the manifest does not name it."""

_EPOCH = (1980, 1, 1, 0, 0, 0)
"""The same model gives the same bytes."""


class CannotExport(AnimatorError):
    """The file cannot be written."""

    code = "cannot_export"


def export_model_file(args: argparse.Namespace) -> int:
    """Pack one version, the one that answers unless another is named.

    Raises:
        NotFound: when there is no such model or version.
        BrokenModels: when its files are not what its manifest says.
        CannotExport: when the file is there already, or cannot be written.
    """
    stored = _find(args)
    manifest = stored.manifest
    file: Path = args.out or Path(f"{manifest.name}-{manifest.version}.mar")
    if file.exists():
        msg = f"{file} is there already; nothing is overwritten. Name another with --out."
        raise CannotExport(msg)
    try:
        _pack(stored, file)
    except OSError as error:
        msg = f"{file} cannot be written: {error.strerror}."
        raise CannotExport(msg) from error
    size = file.stat().st_size / 1e6
    digest = hashlib.sha256(file.read_bytes()).hexdigest()
    print(f"{file}: {manifest.name} {manifest.version}, {size:.1f} MB, SHA-256 {digest}")
    return 0


def _find(args: argparse.Namespace) -> StoredModel:
    models = load_settings({"models_dir": args.models_dir}).models_dir
    versions = find_versions(models, args.name)
    wanted = [v for v in versions if args.version in (None, v.manifest.version)]
    if not wanted:
        what = f"{args.name} {args.version}" if versions else args.name
        msg = f"There is no model {what}. `animator models list` lists them."
        raise NotFound(msg)
    try:
        check_files(wanted[0].manifest, wanted[0].folder)
    except ServingError as error:
        raise BrokenModels(error.message) from error
    return wanted[0]


def _pack(stored: StoredModel, file: Path) -> None:
    """Write a zip beside its place and move it there, so that no half of one is ever there."""
    beside = [name for name in _BESIDE if (stored.folder / name).is_file()]
    names = dict.fromkeys((MANIFEST_FILE, *stored.manifest.files, *_own_code(stored), *beside))
    part = file.with_name(f"{file.name}.part")
    try:
        with zipfile.ZipFile(part, "w") as archive:
            for name in counted(list(names), file.name):
                _add(archive, stored.folder / name, name)
        part.rename(file)
    finally:
        part.unlink(missing_ok=True)


def _own_code(stored: StoredModel) -> tuple[str, ...]:
    """The handler's file, when it lies in the model's folder."""
    module, _, _ = stored.manifest.handler.partition(":")
    return (module,) if module.endswith(".py") else ()


def _add(archive: zipfile.ZipFile, path: Path, name: str) -> None:
    """Add a file with a fixed time and mode; weights hardly shrink, so they are stored."""
    entry = zipfile.ZipInfo(name, _EPOCH)
    entry.external_attr = 0o644 << 16
    is_text = path.suffix in {".json", ".md", ".py"}
    entry.compress_type = zipfile.ZIP_DEFLATED if is_text else zipfile.ZIP_STORED
    archive.writestr(entry, path.read_bytes())
