"""Parcels: checkpoints in pieces small enough to travel, and back.

    python -m models.training.parcel pack .training parcel
    python -m models.training.parcel unpack parcel .training

The optimizer's moments travel in half their size, as bfloat16; weights travel as they are.
"""

import argparse
import hashlib
import io
import sys
from pathlib import Path
from typing import Any

import msgspec
import torch

__all__ = ("BadParcel", "main", "pack", "unpack")

PIECE = 15 << 20
"""Bytes of a piece: more than 16 MiB a file is too much for some ways home."""

_CONTENTS = "parcel.json"


class BadParcel(ValueError):
    """A parcel lacks a piece, or a piece was changed on the way."""


class _Entry(msgspec.Struct, frozen=True):
    """One checkpoint: its name, its pieces in order, and the hash of all of them together."""

    name: str
    pieces: tuple[str, ...]
    sha256: str


def pack(folder: Path, parcel: Path, piece: int = PIECE) -> list[Path]:
    """Write all checkpoints of a folder into another, in pieces of so many bytes at most.

    Returns the files written.
    """
    parcel.mkdir(parents=True, exist_ok=True)
    entries, files = [], []
    for checkpoint in sorted(folder.glob("*.pt")):
        state = torch.load(checkpoint, map_location="cpu", weights_only=True)
        _cast_moments(state, torch.bfloat16)
        buffer = io.BytesIO()
        torch.save(state, buffer)
        data = buffer.getvalue()
        names = []
        for number, start in enumerate(range(0, len(data), piece)):
            names.append(f"{checkpoint.name}.{number:03d}")
            files.append(parcel / names[-1])
            files[-1].write_bytes(data[start : start + piece])
        entries.append(_Entry(checkpoint.name, tuple(names), hashlib.sha256(data).hexdigest()))
    files.append(parcel / _CONTENTS)
    files[-1].write_bytes(msgspec.json.encode(entries))
    return files


def unpack(parcel: Path, folder: Path) -> list[Path]:
    """Put the checkpoints of a parcel into a folder, each in one piece or not at all.

    Raises:
        BadParcel: when a piece is missing or was changed; then nothing is written.
    """
    checked = [(entry.name, _join(parcel, entry)) for entry in _contents(parcel)]
    folder.mkdir(parents=True, exist_ok=True)
    written = []
    for name, data in checked:
        state = torch.load(io.BytesIO(data), map_location="cpu", weights_only=True)
        _cast_moments(state, torch.float32)
        part = (folder / name).with_suffix(".part")
        torch.save(state, part)
        written.append(part.replace(folder / name))
    return written


def _contents(parcel: Path) -> list[_Entry]:
    try:
        entries = msgspec.json.decode((parcel / _CONTENTS).read_bytes(), type=list[_Entry])
    except (OSError, msgspec.DecodeError) as error:
        msg = f"{parcel} is no parcel: {error}"
        raise BadParcel(msg) from error
    names = [name for entry in entries for name in (entry.name, *entry.pieces)]
    if any(Path(name).name != name for name in names):
        msg = f"{parcel} names a file elsewhere"
        raise BadParcel(msg)
    return entries


def _join(parcel: Path, entry: _Entry) -> bytes:
    missing = [name for name in entry.pieces if not (parcel / name).is_file()]
    if missing:
        msg = f"{parcel} lacks {', '.join(missing)}"
        raise BadParcel(msg)
    data = b"".join((parcel / name).read_bytes() for name in entry.pieces)
    if hashlib.sha256(data).hexdigest() != entry.sha256:
        msg = f"the pieces of {entry.name} in {parcel} were changed on the way"
        raise BadParcel(msg)
    return data


def _cast_moments(state: dict[str, Any], dtype: torch.dtype) -> None:
    """Give the running means of an optimizer, in place, another precision; counters stay."""
    for moments in state["optimizer"]["state"].values():
        for name, value in moments.items():
            if isinstance(value, torch.Tensor) and value.dim() > 0:
                moments[name] = value.to(dtype)


def main() -> int:
    """Pack or unpack."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("what", choices=("pack", "unpack"))
    parser.add_argument("source", type=Path)
    parser.add_argument("target", type=Path)
    arguments = parser.parse_args()
    verb = pack if arguments.what == "pack" else unpack
    for file in verb(arguments.source, arguments.target):
        print(f"{file}: {file.stat().st_size / 1e6:.1f} MB")
    return 0


if __name__ == "__main__":
    sys.exit(main())
