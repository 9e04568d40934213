"""StoredWorkflow: a workflow's archive, unpacked and read."""

import shutil
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import msgspec

from serving.archive.archive import TORCHSERVE_HANDLER, archive_name
from serving.archive.manifest import Manifest, ModelName
from serving.archive.stored import StoredModel
from serving.archive.unpack import ArchiveLimits, unpack_archive
from serving.errors import InvalidModel
from serving.workflow.spec import WorkflowSpec, read_spec

__all__ = ("StoredWorkflow", "node_name", "open_workflow")

WAR_MANIFEST = "WAR-INF/MANIFEST.json"
_VERSION = "1.0"


class _Workflow(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    spec_file: str
    handler: str = ""
    workflow_name: str = ""


class _WarManifest(msgspec.Struct, frozen=True, kw_only=True):
    workflow: _Workflow


class _Named(msgspec.Struct, frozen=True, kw_only=True):
    name: ModelName


@dataclass(frozen=True, slots=True)
class StoredWorkflow:
    """A workflow on disk.

    Attributes:
        name: as in the URL.
        url: what it was registered by.
        spec: what its specification says.
        handler: file of its functions, inside `folder`; "" when it has none.
        folder: where its files are; its own, removed with it.
    """

    name: str
    url: str
    spec: WorkflowSpec
    handler: str
    folder: Path

    def function(self, node: str, options: Mapping[str, Any]) -> StoredModel:
        """Describe the node of a function as a model.

        Args:
            node: its name, which is the function's.
            options: for the handler, beside what is said here.

        Raises:
            InvalidModel: when the archive has no file of functions.
        """
        if not self.handler:
            msg = f"{self.name}: {node} is neither a model nor, without a handler file, a function"
            raise InvalidModel(msg)
        name, handler = node_name(self.name, node), f"{self.handler}:{node}"
        model = {"modelName": name, "modelVersion": _VERSION, "handler": handler}
        return StoredModel(
            folder=self.folder,
            manifest=Manifest(name=name, version=_VERSION, handler=TORCHSERVE_HANDLER),
            url=self.url,
            options={**options, "manifest": {"model": model}, "handler": handler},
        )

    def discard(self) -> None:
        """Remove what was unpacked."""
        shutil.rmtree(self.folder, ignore_errors=True)


def node_name(workflow: str, node: str) -> str:
    """Name the model of a node, as TorchServe does."""
    return f"{workflow}__{node}"


def open_workflow(path: Path, work_dir: Path, url: str, name: str = "") -> StoredWorkflow:
    """Unpack a workflow's archive and read what it says.

    Args:
        path: a `.war` of `torch-workflow-archiver`: a zip.
        work_dir: where it is unpacked, in a folder of its own.
        url: what it was registered by.
        name: of the workflow; "": the archive's own, or else that of its file.

    Raises:
        InvalidModel: when it is no such archive, is unsafe, or cannot work.
    """
    work_dir.mkdir(parents=True, exist_ok=True)
    folder = Path(tempfile.mkdtemp(prefix="workflow-", dir=work_dir))
    try:
        unpack_archive(path, folder, ArchiveLimits())
        said = _read_manifest(folder)
        chosen = _checked_name(name or said.workflow_name or archive_name(path))
        spec = read_spec(_inside(folder, said.spec_file).read_bytes())
        if said.handler:
            _inside(folder, said.handler)
        for node in spec.nodes:
            _checked_name(node_name(chosen, node))
    except BaseException:
        shutil.rmtree(folder, ignore_errors=True)
        raise
    return StoredWorkflow(name=chosen, url=url, spec=spec, handler=said.handler, folder=folder)


def _read_manifest(folder: Path) -> _Workflow:
    try:
        data = _inside(folder, WAR_MANIFEST).read_bytes()
        return msgspec.json.decode(data, type=_WarManifest).workflow
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        msg = f"{WAR_MANIFEST} is not valid: {error}"
        raise InvalidModel(msg) from error


def _inside(folder: Path, name: str) -> Path:
    path = (folder / name).resolve()
    if not path.is_relative_to(folder.resolve()) or not path.is_file():
        msg = f"the workflow's archive has no file {name}"
        raise InvalidModel(msg)
    return path


def _checked_name(name: str) -> str:
    try:
        return msgspec.convert({"name": name}, _Named).name
    except msgspec.ValidationError as error:
        msg = f"{name!r} cannot be the name of a workflow or a node: {error}"
        raise InvalidModel(msg) from error
