"""Bodies: what is sent, from files or arrays."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from serving.bench.trial import Ask
from serving.errors import BadInput
from serving.protocol.v2 import HEADER_LENGTH, InferRequest, encode_request

__all__ = ("ask_with_files", "ask_with_tensors")

_MOST_BYTES = 64 << 20


def ask_with_files(model: str, files: Sequence[Path], content_type: str) -> Ask:
    """Send files to /predictions, in turns.

    Raises:
        BadInput: when one cannot be read, or there are none.
    """
    if not files:
        raise BadInput("name a file that is sent to the model, by --data, or arrays, by --tensor")
    bodies = tuple(_read(file) for file in files)
    return Ask(f"/predictions/{model}", bodies, {"Content-Type": content_type})


def ask_with_tensors(model: str, named: Sequence[str]) -> Ask:
    """Send arrays by the Open Inference Protocol, binary both ways.

    Args:
        model: its name.
        named: `NAME=FILE`, each an array in a `.npy` or a picture.

    Raises:
        BadInput: when one cannot be read.
    """
    inputs = dict(_tensor(text) for text in named)
    payload = encode_request(InferRequest(inputs=inputs, wants_binary=True))
    headers = {"Content-Type": "application/octet-stream"}
    if payload.header_length is not None:
        headers[HEADER_LENGTH] = str(payload.header_length)
    return Ask(f"/v2/models/{model}/infer", (bytes(payload.body),), headers)


def _tensor(text: str) -> tuple[str, NDArray[Any]]:
    name, separator, file = text.partition("=")
    if not name or not separator:
        msg = f"{text!r} is no tensor: write NAME=FILE"
        raise BadInput(msg)
    path = Path(file)
    data = _read(path)
    try:
        if path.suffix == ".npy":
            return name, np.load(path, allow_pickle=False)
        # Who sends arrays need not have the library of pictures loaded.
        from PIL import Image

        with Image.open(path) as image:
            return name, np.asarray(image.convert("RGB"))
    except (OSError, ValueError) as error:
        msg = f"{path} ({len(data)} bytes) is neither an array nor a picture: {error}"
        raise BadInput(msg) from error


def _read(path: Path) -> bytes:
    try:
        if path.stat().st_size > _MOST_BYTES:
            msg = f"{path} is larger than the {_MOST_BYTES >> 20} MB that a body may have"
            raise BadInput(msg)
        return path.read_bytes()
    except OSError as error:
        msg = f"cannot read {path}: {error.strerror}"
        raise BadInput(msg) from error
