"""A file of weights, read without running anything in it.

PyTorch's files go through its own `weights_only` loader, pickles of arrays through ours. A `.mar`
(a zip that TorchServe's archiver makes) is never unpacked: its manifest names the one member that
is read, so no path in it leads anywhere.
"""

import io
import json
import pickle
import zipfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import Tensor

from models.importers.errors import CannotImport, UnsafeFile
from models.importers.pickles import SAFE_GLOBALS, read_arrays

__all__ = ("Checkpoint", "read_checkpoint")

MAX_BYTES = 2_000_000_000
_MAR_MANIFEST = "MAR-INF/MANIFEST.json"
_WRAPPINGS = ("state_dict", "model", "model_state_dict", "model_state")
_TORCH_MAGIC = 0x1950A86A20F9469CFC6C  # first object of a file of torch < 1.6


@dataclass(frozen=True, slots=True, eq=False)
class Checkpoint:
    """What a file holds.

    Attributes:
        state: tensors by name, on the CPU, as the library wrote them.
        config: text of the library's own configuration that came along; empty: none did.
    """

    state: Mapping[str, Tensor]
    config: str


def read_checkpoint(file: Path) -> Checkpoint:
    """Read a `.pth`, `.pkl` or `.mar`; the content decides which it is, not the name.

    Raises:
        UnsafeFile: when it needs code to be read, or holds more than 2 GB.
        CannotImport: when it is none of these.
    """
    if file.stat().st_size > MAX_BYTES:
        msg = f"the file has {file.stat().st_size} bytes, at most {MAX_BYTES} are read"
        raise UnsafeFile(msg)
    data = file.read_bytes()
    config = ""
    if zipfile.is_zipfile(io.BytesIO(data)):
        data, config = _open_mar(data)
    content = _load(data)
    return Checkpoint(state=_find_state(content), config=config or _find_config(content))


def _open_mar(data: bytes) -> tuple[bytes, str]:
    """The weights in a `.mar`, and its configuration; PyTorch's own zips come back as they are."""
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        if _MAR_MANIFEST not in archive.namelist():
            return data, ""
        try:
            weights = json.loads(_member(archive, _MAR_MANIFEST))["model"]["serializedFile"]
        except (ValueError, KeyError, TypeError) as error:
            msg = f"the archive's manifest names no file of weights: {error}"
            raise CannotImport(msg) from error
        scripts = [n for n in archive.namelist() if n.endswith(".py") and "config" in n.lower()]
        config = _member(archive, scripts[0]).decode("utf-8", "replace") if scripts else ""
        return _member(archive, str(weights)), config


def _member(archive: zipfile.ZipFile, name: str) -> bytes:
    """A member's bytes, never more than the limit, whatever its header says."""
    try:
        with archive.open(name) as member:
            data = member.read(MAX_BYTES + 1)
    except (KeyError, zipfile.BadZipFile, RuntimeError, NotImplementedError) as error:
        msg = f"the archive's member {name} cannot be read: {error}"
        raise CannotImport(msg) from error
    if len(data) > MAX_BYTES:
        msg = f"the archive's member {name} unpacks to more than {MAX_BYTES} bytes"
        raise UnsafeFile(msg)
    return data


def _load(data: bytes) -> object:
    if not zipfile.is_zipfile(io.BytesIO(data)) and not _is_old_torch(data):
        return read_arrays(data)
    allowed: list[Any] = [(made, name) for name, made in SAFE_GLOBALS.items()]
    allowed += [type(np.dtype(code)) for code in "fdiqB?"]
    try:
        with torch.serialization.safe_globals(allowed):
            return torch.load(io.BytesIO(data), map_location="cpu", weights_only=True)
    except pickle.UnpicklingError as error:
        reason = str(error).split("GLOBAL ")[-1].split("\n")[0][:120]
        msg = (
            f"the checkpoint needs code to be read ({reason}), which is not run; save only its "
            "weights with torch.save(model.state_dict(), FILE)"
        )
        raise UnsafeFile(msg) from error
    except Exception as error:
        msg = f"the checkpoint cannot be read: {str(error).splitlines()[0]}"
        raise CannotImport(msg) from error


def _is_old_torch(data: bytes) -> bool:
    return _TORCH_MAGIC.to_bytes(10, "little") in data[:32]


def _find_state(content: object) -> dict[str, Tensor]:
    """The dict of tensors, out of the dicts that libraries wrap around it."""
    while isinstance(content, Mapping):
        inner = next((content[k] for k in _WRAPPINGS if isinstance(content.get(k), Mapping)), None)
        if inner is None:
            break
        content = inner
    if not isinstance(content, Mapping):
        msg = f"the file holds a {type(content).__name__}, not tensors by name"
        raise CannotImport(msg)
    state = {str(k).removeprefix("module."): _tensor(v) for k, v in content.items()}
    return {name: value for name, value in state.items() if value is not None}


def _tensor(value: object) -> Tensor | None:
    if isinstance(value, np.ndarray) and value.dtype.kind in "fiu":
        return torch.from_numpy(np.ascontiguousarray(value))
    return value if isinstance(value, Tensor) else None


def _find_config(content: object) -> str:
    """The configuration that mm libraries keep as text in a checkpoint's `meta`."""
    meta = content.get("meta") if isinstance(content, Mapping) else None
    text = next((meta[k] for k in ("config", "cfg") if k in meta), "") if meta else ""
    return text if isinstance(text, str) else ""
