"""The manifest of a TorchServe archive: MAR-INF/MANIFEST.json."""

from pathlib import Path
from typing import Any

import msgspec

from serving.errors import InvalidModel

__all__ = ("MAR_MANIFEST", "MarManifest", "MarModel", "is_torchserve", "read_mar_manifest")

MAR_MANIFEST = "MAR-INF/MANIFEST.json"
_MOST_BYTES = 1 << 20


class MarModel(msgspec.Struct, frozen=True, kw_only=True, rename="camel", omit_defaults=True):
    """What the archive says of its model; "" where it says nothing.

    Attributes:
        model_name: as in the URL.
        model_version: as in the URL.
        handler: a file of the archive, `file:function`, or the name of a default handler.
        serialized_file: the weights.
        model_file: the Python file with the network's class.
        requirements_file: Python packages that the handler needs.
        config_file: the model-config.yaml.
        envelope: how requests are wrapped.
        source_vocab: the vocabulary of older text classifiers.
    """

    model_name: str = ""
    model_version: str = ""
    handler: str = ""
    serialized_file: str = ""
    model_file: str = ""
    requirements_file: str = ""
    config_file: str = ""
    envelope: str = ""
    source_vocab: str = ""


class MarManifest(msgspec.Struct, frozen=True, kw_only=True, rename="camel", omit_defaults=True):
    """What a TorchServe archive says of itself.

    Attributes:
        created_on: "dd/mm/YYYY HH:MM:SS".
        runtime: "python", "python3" or "LSP" (their C++ back end).
        model: of the model.
        archiver_version: of the tool that made it.
    """

    created_on: str = ""
    runtime: str = "python"
    model: MarModel = MarModel()
    archiver_version: str = ""


def is_torchserve(folder: Path) -> bool:
    """Whether a folder is an unpacked TorchServe archive, also where it has a manifest.json."""
    return (folder / MAR_MANIFEST).is_file()


def read_mar_manifest(folder: Path) -> tuple[MarManifest, dict[str, Any]] | None:
    """Read an unpacked archive's manifest: what we know of it, and all of it as it stands.

    Returns:
        None when there is no manifest, which TorchServe takes, too.

    Raises:
        InvalidModel: when it is no manifest.
    """
    path = folder / MAR_MANIFEST
    if not is_torchserve(folder):
        return None
    try:
        data = path.read_bytes()
        if len(data) > _MOST_BYTES:
            msg = f"{len(data)} bytes, at most {_MOST_BYTES} are read"
            raise InvalidModel(msg)
        manifest = msgspec.json.decode(data, type=MarManifest)
        return manifest, msgspec.json.decode(data, type=dict[str, Any])
    except (OSError, msgspec.DecodeError, UnicodeDecodeError, InvalidModel) as error:
        msg = f"{MAR_MANIFEST} is not valid: {error}"
        raise InvalidModel(msg) from error
