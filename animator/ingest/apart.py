"""Decoding in a process of its own, for formats whose library ends the process over damaged bytes.

libheif 1.23 does so over one in a hundred that are damaged at random. Such a picture costs the
start of a process, a third of a second; all others are decoded where they are.
"""

import os
import signal
import subprocess
import sys
from typing import Annotated, Any

import msgspec
import numpy as np

from animator.core.drawing import Drawing
from animator.core.errors import ImageTooLarge, InvalidImage
from animator.core.image_format import ImageFormat, sniff_format
from animator.ingest.decode import BROKEN, decode_image
from animator.ingest.limits import DEFAULT_LIMITS, check_bytes

__all__ = ("decode_apart",)

_RISKY = frozenset({ImageFormat.HEIF})
_PATIENCE = 120.0
"""Seconds; a phone's largest photo takes a few."""

_COMMAND = (sys.executable, "-P", "-c", "from animator.ingest.apart import main; main()")
_ERRORS = {kind.code: kind for kind in (InvalidImage, ImageTooLarge)}


class _Told(msgspec.Struct, frozen=True, kw_only=True):
    """The first line of what the process answers; the pixels follow.

    Attributes:
        id: of the drawing.
        height: pixels.
        width: pixels.
        code: of the error; "": there is none.
        message: of the error.
    """

    id: str = ""
    height: Annotated[int, msgspec.Meta(ge=0)] = 0
    width: Annotated[int, msgspec.Meta(ge=0)] = 0
    code: str = ""
    message: str = ""


def decode_apart(data: bytes) -> Drawing:
    """Read a picture as `decode_image` does, in a process of its own where the format is risky.

    Raises:
        UnsupportedImage: when the bytes are of no format that is read.
        ImageTooLarge: when one of the usual limits is exceeded.
        InvalidImage: when the bytes are empty, damaged or incomplete, or end their decoder.
    """
    check_bytes(len(data), DEFAULT_LIMITS)
    if sniff_format(data) not in _RISKY:
        return decode_image(data)
    try:
        done = subprocess.run(
            _COMMAND,
            input=data,
            capture_output=True,
            timeout=_PATIENCE,
            check=False,
            env=_paths(),
        )
    except subprocess.TimeoutExpired as error:
        raise InvalidImage(BROKEN) from error
    if done.returncode < 0 and done.returncode != -signal.SIGKILL:
        raise InvalidImage(BROKEN)
    # No memory left, for which there is SIGKILL, or a fault of ours: not that of the picture.
    done.check_returncode()
    line, _, pixels = done.stdout.partition(b"\n")
    told = msgspec.json.decode(line, type=_Told)
    if told.code:
        raise _ERRORS[told.code](told.message)
    image = np.frombuffer(pixels, np.uint8).reshape(told.height, told.width, 3)
    return Drawing(id=told.id, image=image.copy())


def _paths() -> dict[str, str]:
    """The environment of a process that finds what this one finds."""
    return {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}


def _answer(data: bytes) -> tuple[_Told, Any]:
    try:
        drawing = decode_image(data)
    except (InvalidImage, ImageTooLarge) as error:
        return _Told(code=error.code, message=error.message), b""
    height, width, _ = drawing.image.shape
    return _Told(id=drawing.id, height=height, width=width), drawing.image.data


def main() -> None:
    """Decode what comes in, and write what it was."""
    told, pixels = _answer(sys.stdin.buffer.read())
    sys.stdout.buffer.write(msgspec.json.encode(told) + b"\n")
    sys.stdout.buffer.write(pixels)
