"""Archive: from a file or folder to a model that can be served.

Taken are archives of `torch-model-archiver` in each of its formats, with or without a manifest;
our own folders with a manifest.json, as folders or packed in the same way; and bare `.onnx` and
`.pt2` files.
"""

import hashlib
import logging
import re
import shutil
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import msgspec

from serving.archive.bare import bare_manifest, is_bare
from serving.archive.environment import install_requirements
from serving.archive.folder import stored_native
from serving.archive.manifest import MANIFEST_FILE, Manifest, read_manifest
from serving.archive.mar_manifest import MarManifest, MarModel, read_mar_manifest
from serving.archive.model_config import config_from_yaml, read_model_yaml
from serving.archive.stored import StoredModel, discard
from serving.archive.unpack import ArchiveLimits, unpack_archive
from serving.errors import ArchiveNotFound, Conflict, InvalidModel

__all__ = ("ArchiveLimits", "Registration", "archive_name", "open_archive", "reopen")

TORCHSERVE_HANDLER = "serving.handlers.torchserve:TorchServeHandler"

_SUFFIX = re.compile(r"\.(mar|war|tar\.gz|tgz|zip|onnx|pt2)$")
_DEFAULT_VERSION = "1.0"

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Registration:
    """What the one who registers says over what the archive says.

    Attributes:
        url: what it is registered by; "": the archive's name.
        name: of the model; "": the archive's own, or else the name of its file.
        handler: of a TorchServe archive; "": its own.
        default_handler: for a TorchServe archive that has none.
        runtime: of a TorchServe archive; "": its own.
        options: for the handler, beside what the archive says (`TorchServeOptions`).
        is_installing: whether the requirements of a TorchServe archive are installed.
    """

    url: str = ""
    name: str = ""
    handler: str = ""
    default_handler: str = ""
    runtime: str = ""
    options: Mapping[str, Any] = field(default_factory=dict)
    is_installing: bool = False


def open_archive(
    path: Path,
    work_dir: Path,
    limits: ArchiveLimits | None = None,
    registration: Registration | None = None,
) -> StoredModel:
    """Make a model on disk of an archive; `serving.archive.stored.discard` takes it away again.

    Args:
        path: a `.mar`, `.tar.gz`, `.tgz`; a bare `.onnx` or `.pt2`; or a folder, which is served
            where it is.
        work_dir: where archives are unpacked, each in a folder of its own.
        limits: how large it may become.
        registration: what the one who registers says over it.

    Raises:
        ArchiveNotFound: when there is no such file or folder.
        InvalidModel: when it is none of these, is broken, too large, unsafe, or lacks packages.
    """
    registration = registration or Registration()
    if not path.exists():
        msg = f"Model not found at: {registration.url or path.name}"
        raise ArchiveNotFound(msg)
    registration = replace(registration, url=registration.url or path.name)
    if is_bare(path):
        return _describe_bare(path, registration)
    if path.is_dir():
        stored = _describe(_content(path), registration, path)
    else:
        stored = _unpacked(path, work_dir, limits or ArchiveLimits(), registration)
    requirements = stored.options.get("manifest", {}).get("model", {}).get("requirementsFile")
    if not registration.is_installing or not requirements:
        return stored
    try:
        return install_requirements(stored, requirements, work_dir)
    except InvalidModel:
        discard(stored)
        raise


def reopen(stored: StoredModel) -> StoredModel:
    """Describe a model as its files are now; what was unpacked is what it was.

    Raises:
        InvalidModel: when it cannot be served any more.
        Conflict: when the folder holds another model or version by now.
    """
    again = _described_anew(stored)
    now, before = again.manifest, stored.manifest
    if (now.name, now.version) != (before.name, before.version):
        msg = (
            f"{stored.folder} holds {now.name} version {now.version} now, "
            f"not {before.name} version {before.version}"
        )
        raise Conflict(msg)
    return again


def _described_anew(stored: StoredModel) -> StoredModel:
    if stored.work_dir is not None:
        return stored
    said = stored.options.get("manifest", {}).get("model", {}).get("handler", "")
    handler = str(stored.options.get("handler", ""))
    registration = Registration(
        url=stored.url,
        # A folder that was found and not registered has no name but its own.
        name=stored.manifest.name if stored.url else "",
        # What was said at the registration goes on; what the archive says may have changed.
        handler="" if handler == said else handler,
        default_handler=handler,
        options=stored.options,
    )
    bare = stored.folder / stored.manifest.model
    if is_bare(bare) and not (stored.folder / MANIFEST_FILE).is_file():
        return _describe_bare(bare, registration)
    return _describe(stored.folder, registration, stored.folder)


def archive_name(path: Path) -> str:
    """Name a model by its file: "cat" for `cat.mar` and for `cat.tar.gz`."""
    return _SUFFIX.sub("", path.name)


def _unpacked(
    path: Path, work_dir: Path, limits: ArchiveLimits, registration: Registration
) -> StoredModel:
    work_dir.mkdir(parents=True, exist_ok=True)
    own = Path(tempfile.mkdtemp(prefix="model-", dir=work_dir))
    try:
        target = own / "model"
        target.mkdir()
        with path.open("rb") as file:
            sha256 = hashlib.file_digest(file, "sha256").hexdigest()
        unpack_archive(path, target, limits)
        stored = _describe(_content(target), registration, path)
    except BaseException:
        shutil.rmtree(own, ignore_errors=True)
        raise
    _log.info("unpacked %s, SHA-256 %s", path.name, sha256)
    return replace(stored, sha256=sha256, work_dir=own)


def _content(folder: Path) -> Path:
    """Step into the one folder that a packed folder brings with it, as in a `.tar.gz`."""
    entries = list(folder.iterdir())
    is_wrapper = len(entries) == 1 and entries[0].is_dir() and entries[0].name != "MAR-INF"
    return entries[0] if is_wrapper else folder


def _describe(folder: Path, registration: Registration, path: Path) -> StoredModel:
    found = read_mar_manifest(folder)
    if found is None and (folder / MANIFEST_FILE).is_file():
        manifest = read_manifest(folder)
        manifest = msgspec.structs.replace(manifest, name=registration.name or manifest.name)
        return _said(stored_native(folder, manifest), registration)
    mar, raw = found or (MarManifest(), {})
    return _describe_mar(folder, _decided(mar, registration, archive_name(path)), raw, registration)


def _describe_bare(path: Path, registration: Registration) -> StoredModel:
    manifest = bare_manifest(path, registration.name or archive_name(path))
    return _said(stored_native(path.parent, manifest), registration)


def _said(stored: StoredModel, registration: Registration) -> StoredModel:
    options = {**registration.options, **stored.options}
    return replace(stored, url=registration.url, options=options)


def _decided(mar: MarManifest, registration: Registration, file_name: str) -> MarManifest:
    """Let the one who registers have the last word, and defaults what nobody said."""
    said = mar.model
    model = msgspec.structs.replace(
        said,
        model_name=registration.name or said.model_name or file_name,
        model_version=said.model_version or _DEFAULT_VERSION,
        handler=registration.handler or said.handler or registration.default_handler,
    )
    runtime = registration.runtime or mar.runtime
    if runtime not in {"python", "python3"}:
        msg = f"{model.model_name} needs the runtime {runtime}; this server runs python"
        raise InvalidModel(msg)
    if not model.handler:
        msg = f"{model.model_name} names no handler: name one when it is registered"
        raise InvalidModel(msg)
    return msgspec.structs.replace(mar, runtime=runtime, model=model)


def _describe_mar(
    folder: Path, mar: MarManifest, raw: Mapping[str, Any], registration: Registration
) -> StoredModel:
    model = mar.model
    table = read_model_yaml(_inside(folder, model.config_file)) if model.config_file else {}
    config, notes = config_from_yaml(table)
    for note in notes:
        _log.warning("%s, %s: %s", model.model_name, model.config_file, note)
    decided = msgspec.to_builtins(mar)
    return StoredModel(
        folder=folder,
        manifest=_native(model),
        url=registration.url,
        # The handler sees its manifest as it stands, filled up with what nobody said.
        options={
            **registration.options,
            "manifest": {**decided, **raw, "model": {**decided["model"], **raw.get("model", {})}},
            "handler": model.handler,
        },
        config=config,
    )


def _native(model: MarModel) -> Manifest:
    try:
        return msgspec.convert(
            {
                "name": model.model_name,
                "version": model.model_version,
                "handler": TORCHSERVE_HANDLER,
                # TorchServe's own defaults.
                "batch": {"batch_size": 1, "max_batch_delay_ms": 100},
            },
            Manifest,
        )
    except msgspec.ValidationError as error:
        msg = f"{model.model_name} version {model.model_version} cannot be served: {error}"
        raise InvalidModel(msg) from error


def _inside(folder: Path, name: str) -> Path:
    path = (folder / name).resolve()
    if not path.is_relative_to(folder.resolve()):
        msg = f"{name} lies outside the archive"
        raise InvalidModel(msg)
    return path
