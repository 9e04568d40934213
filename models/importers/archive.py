"""The folder of an imported model, as the server and the handlers read it."""

import hashlib
import json
import re
from collections.abc import Mapping
from pathlib import Path

import torch
from safetensors.torch import save_file
from torch import Tensor

from models.importers.description import DESCRIPTION, GRAPH, WEIGHTS, Description
from models.importers.errors import CannotImport

__all__ = ("check_place", "write_archive", "write_manifest")

_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_\-.]{0,127}")
FIRST_VERSION = "1"
_KEYPOINTS = 17
"""Of the points of COCO, which every imported model of poses has."""

_OUTPUTS = {
    "detector": {"boxes": [-1, 4], "scores": [-1], "masks": [-1, 28, 28]},
    "pose": {"keypoints": [_KEYPOINTS, 2], "scores": [_KEYPOINTS]},
}
_HANDLERS = {
    "detector": "models.importers.detector_handler:ImportedDetectorHandler",
    "pose": "models.importers.pose_handler:ImportedPoseHandler",
}


def check_place(folder: Path, name: str) -> None:
    """Make sure that a model can be written.

    Raises:
        CannotImport: when the folder holds something, or the name cannot stand in a URL.
    """
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        msg = f"{folder} is there and not empty; nothing is overwritten"
        raise CannotImport(msg)
    if _NAME.fullmatch(name) is None:
        msg = f"{name!r} cannot name a model; letters, digits, '-', '_' and '.' can"
        raise CannotImport(msg)


def write_archive(
    folder: Path, name: str, weights: Mapping[str, Tensor], description: Description
) -> None:
    """Write weights, description and manifest."""
    folder.mkdir(parents=True, exist_ok=True)
    dtype = torch.float16 if description.half else torch.float32
    state = {key: tensor.to(dtype).contiguous() for key, tensor in weights.items()}
    save_file(state, folder / WEIGHTS)
    (folder / WEIGHTS).chmod(0o644)  # safetensors writes for the owner alone
    description.write(folder)
    write_manifest(folder, name, description)


def write_manifest(
    folder: Path, name: str, description: Description, version: str = FIRST_VERSION
) -> None:
    """Write the manifest, with the hashes of the files that are in the folder now."""
    files = [file for file in (WEIGHTS, DESCRIPTION, GRAPH) if (folder / file).is_file()]
    manifest = {
        "name": name,
        "version": version,
        "handler": _HANDLERS[description.role],
        "files": {file: _sha256(folder / file) for file in files},
        "inputs": [{"name": "image", "datatype": "UINT8", "shape": [-1, -1, 3]}],
        "outputs": [
            {"name": output, "datatype": "FP32", "shape": shape}
            for output, shape in _OUTPUTS[description.role].items()
        ],
        "batch": {"batch_size": 1 if description.role == "detector" else 4},
        "labels": ["drawn_humanoid"],
    }
    (folder / "manifest.json").write_text(json.dumps(manifest, indent=2) + "\n")


def _sha256(file: Path) -> str:
    with file.open("rb") as opened:
        return hashlib.file_digest(opened, "sha256").hexdigest()
