"""Build: archives of TorchServe's kind, from the files that a model needs.

Nothing is gathered in a folder of its own, so nothing needs to be emptied: the files go from where
they are into the archive, which takes its name only when it is whole.
"""

import glob
import io
import json
import logging
import os
import re
import shutil
import tarfile
import tempfile
import zipfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Literal

from serving.archive.mar_manifest import MAR_MANIFEST
from serving.errors import Conflict, InvalidModel

__all__ = (
    "ArchiveFormat",
    "ArchivePlan",
    "Contents",
    "build_archive",
    "build_workflow_archive",
    "gather",
    "write_archive",
)

ArchiveFormat = Literal["default", "zip-store", "tgz", "no-archive"]

Contents = Mapping[str, Path | bytes]
"""Name in the archive to a file, or to its content."""

DEFAULT_HANDLERS = (
    "base_handler",
    "densenet_handler",
    "image_classifier",
    "image_segmenter",
    "object_detector",
    "text_classifier",
)

WAR_MANIFEST = "WAR-INF/MANIFEST.json"

_log = logging.getLogger(__name__)

_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_\-.]*")
_SUFFIX: dict[ArchiveFormat, str] = {
    "default": ".mar",
    "zip-store": ".mar",
    "tgz": ".tar.gz",
    "no-archive": "",
}
_UNWANTED = ("__MACOSX", "__pycache__")
_VERSION = "0.12.0"
"""Of the archiver whose form this is."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ArchivePlan:
    """What goes into a model's archive; "" where there is none.

    Attributes:
        name: of the model, and of the archive.
        version: of the model.
        handler: `file.py`, `file:function`, or a default handler's name.
        serialized_file: the weights.
        model_file: the Python file with the network's class.
        extra_files: files, folders and patterns, with commas between; of a folder, its content.
        requirements_file: Python packages that the handler needs.
        config_file: the model-config.yaml.
        runtime: "python" or "python3".
    """

    name: str
    version: str
    handler: str
    serialized_file: str = ""
    model_file: str = ""
    extra_files: str = ""
    requirements_file: str = ""
    config_file: str = ""
    runtime: str = "python"


def build_archive(
    plan: ArchivePlan,
    export_path: Path,
    archive_format: ArchiveFormat = "default",
    *,
    is_forced: bool = False,
) -> Path:
    """Write a model's archive, and return where it is.

    Args:
        plan: what goes into it.
        export_path: folder of the archive; made where there is none.
        archive_format: "default" deflates, "zip-store" does not, "tgz" is a `.tar.gz`, "no-archive"
            a folder.
        is_forced: whether an archive of that name may be overwritten; of a folder, only the files
            that the archive brings are.

    Raises:
        InvalidModel: when the name cannot be one, or a file is missing.
        Conflict: when there is an archive of that name.
    """
    contents: dict[str, Path | bytes] = dict(_model_files(plan))
    contents[MAR_MANIFEST] = _json(_manifest(plan))
    target = export_path / f"{_checked(plan.name)}{_SUFFIX[archive_format]}"
    return write_archive(target, contents, archive_format, is_forced=is_forced)


def build_workflow_archive(
    name: str,
    files: Sequence[str],
    export_path: Path,
    *,
    is_forced: bool = False,
) -> Path:
    """Write a workflow's `.war`, and return where it is.

    Args:
        name: of the workflow, and of the archive.
        files: the specification, the handler ("" for none), and extra files as of a model.
        export_path: folder of the archive; made where there is none.
        is_forced: whether an archive of that name may be overwritten.

    Raises:
        InvalidModel: when the name cannot be one, or a file is missing.
        Conflict: when there is an archive of that name.
    """
    spec, handler, extra = files
    contents: dict[str, Path | bytes] = dict(_single_files(spec, handler))
    contents |= dict(gather(extra))
    workflow = {"workflowName": _checked(name), "specFile": Path(spec).name}
    if handler:
        workflow["handler"] = Path(handler).name
    contents[WAR_MANIFEST] = _json(
        {"createdOn": _now(), "workflow": workflow, "archiverVersion": _VERSION}
    )
    return write_archive(export_path / f"{name}.war", contents, "default", is_forced=is_forced)


def gather(said: str) -> Iterator[tuple[str, Path]]:
    """Find extra files: names in the archive, and where each file is.

    Args:
        said: files, folders and patterns, with commas between them; of a folder, its content.

    Raises:
        InvalidModel: when a file is missing; a pattern that fits none is only logged.
    """
    for item in filter(None, (part.strip() for part in said.split(","))):
        for path in _found(item):
            yield from _tree(path) if path.is_dir() else [(path.name, path)]


def _found(item: str) -> list[Path]:
    if Path(item).exists():
        return [Path(item)]
    if not glob.has_magic(item):
        msg = f"there is no file {item}"
        raise InvalidModel(msg)
    found = sorted(glob.glob(item))  # noqa: PTH207 - the pattern may be absolute
    if not found:
        _log.warning("no file fits %s", item)
    return [Path(name) for name in found]


def write_archive(
    target: Path, contents: Contents, archive_format: ArchiveFormat, *, is_forced: bool
) -> Path:
    """Write an archive under another name, and rename it when it is whole.

    Raises:
        Conflict: when there is one already and it may not be overwritten.
    """
    if target.exists() and not is_forced:
        msg = f"{target} exists: --force overwrites it"
        raise Conflict(msg)
    target.parent.mkdir(parents=True, exist_ok=True)
    if archive_format == "no-archive":
        _write_folder(target, contents)
        return target
    handle, name = tempfile.mkstemp(prefix=f".{target.name}.", dir=target.parent)
    os.close(handle)
    partial = Path(name)
    try:
        if archive_format == "tgz":
            _write_tar(partial, contents, target.name.removesuffix(".tar.gz"))
        else:
            is_stored = archive_format == "zip-store"
            _write_zip(partial, contents, zipfile.ZIP_STORED if is_stored else zipfile.ZIP_DEFLATED)
        partial.chmod(0o644)
        partial.replace(target)
    finally:
        partial.unlink(missing_ok=True)
    return target


def _model_files(plan: ArchivePlan) -> Iterator[tuple[str, Path]]:
    module, _, _ = plan.handler.partition(":")
    handler = "" if module in DEFAULT_HANDLERS else f"{module.removesuffix('.py')}.py"
    yield from _single_files(handler, plan.serialized_file, plan.model_file)
    yield from _single_files(plan.requirements_file, plan.config_file)
    yield from gather(plan.extra_files)


def _single_files(*said: str) -> Iterator[tuple[str, Path]]:
    for name in filter(None, said):
        path = Path(name)
        if not path.is_file():
            msg = f"there is no file {name}"
            raise InvalidModel(msg)
        yield path.name, path


def _tree(folder: Path) -> Iterator[tuple[str, Path]]:
    for root, folders, files in os.walk(folder):
        folders[:] = sorted(f for f in folders if f not in _UNWANTED and not f.startswith("."))
        for name in sorted(files):
            path = Path(root) / name
            yield path.relative_to(folder).as_posix(), path


def _manifest(plan: ArchivePlan) -> dict[str, object]:
    model = {
        "modelName": plan.name,
        "serializedFile": Path(plan.serialized_file).name,
        "handler": Path(plan.handler).name,
        "modelFile": Path(plan.model_file).name,
        "modelVersion": plan.version,
        "requirementsFile": Path(plan.requirements_file).name,
        "configFile": Path(plan.config_file).name,
    }
    return {
        "createdOn": _now(),
        "runtime": plan.runtime,
        "model": {key: value for key, value in model.items() if value},
        "archiverVersion": _VERSION,
    }


def _write_folder(target: Path, contents: Contents) -> None:
    for name, content in contents.items():
        path = target / name
        path.parent.mkdir(parents=True, exist_ok=True)
        if isinstance(content, bytes):
            path.write_bytes(content)
        elif path.resolve() != content.resolve():
            shutil.copyfile(content, path)


def _write_zip(target: Path, contents: Contents, method: int) -> None:
    with zipfile.ZipFile(target, "w", method) as archive:
        for name, content in contents.items():
            if isinstance(content, bytes):
                archive.writestr(name, content)
            else:
                archive.write(content, name)


def _write_tar(target: Path, contents: Contents, folder: str) -> None:
    with tarfile.open(target, "w:gz") as archive:
        for name, content in contents.items():
            if isinstance(content, bytes):
                entry = tarfile.TarInfo(f"{folder}/{name}")
                entry.size = len(content)
                archive.addfile(entry, io.BytesIO(content))
            else:
                # What a link leads to, never the link: we would not unpack it.
                archive.add(content.resolve(), f"{folder}/{name}", recursive=False)


def _checked(name: str) -> str:
    if not _NAME.fullmatch(name):
        msg = f"{name!r} cannot be a name: letters, digits, _ - and . only, a letter or digit first"
        raise InvalidModel(msg)
    return name


def _json(value: object) -> bytes:
    return json.dumps(value, indent=2).encode()


def _now() -> str:
    return datetime.now().strftime("%d/%m/%Y %H:%M:%S")
