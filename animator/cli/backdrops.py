"""What `--background` says, and a number of bytes as people write it."""

import argparse
import re
from pathlib import Path
from typing import NamedTuple

from animator.core.colour import colour_from_text

__all__ = ("Backdrop", "backdrop_from_text", "bytes_from_text")

_BYTES = re.compile(r"([0-9]{1,9})\s?(k|kb|m|mb)?", re.IGNORECASE)


class Backdrop(NamedTuple):
    """What lies behind the figures.

    Attributes:
        kind: "transparent", "colour", "picture" or "paper".
        colour: RGB, 0..255 each.
        file: the picture; None for the other kinds.
    """

    kind: str
    colour: tuple[int, int, int] = (255, 255, 255)
    file: Path | None = None


def backdrop_from_text(text: str) -> Backdrop:
    """`paper`, a colour, `transparent`, or the path of a picture.

    Raises:
        argparse.ArgumentTypeError: when it is none of them.
    """
    if text == "paper":
        return Backdrop("paper")
    try:
        colour = colour_from_text(text)
    except ValueError as error:
        if not Path(text).suffix or text.startswith("#"):
            msg = f"{error}, paper, or a picture's file"
            raise argparse.ArgumentTypeError(msg) from error
        return Backdrop("picture", file=Path(text))
    return Backdrop("transparent") if colour is None else Backdrop("colour", colour)


def bytes_from_text(text: str) -> int:
    """A number of bytes: `800000`, `800k`, `2M`; a k is a thousand.

    Raises:
        argparse.ArgumentTypeError: when it is none, or below 10,000.
    """
    found = _BYTES.fullmatch(text)
    scale = {"": 1, "k": 1000, "m": 1_000_000}
    count = 0 if found is None else int(found[1]) * scale[(found[2] or "")[:1].lower()]
    if count < 10_000:
        msg = "the file's size must be 10000 bytes or more, such as 800k or 2M"
        raise argparse.ArgumentTypeError(msg)
    return count
