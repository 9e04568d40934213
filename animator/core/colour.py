"""Colours as people write them."""

import re

__all__ = ("colour_from_text",)

_NAMES = {"white": (255, 255, 255), "black": (0, 0, 0), "transparent": None}


def colour_from_text(text: str) -> tuple[int, int, int] | None:
    """White, black, transparent or #rrggbb as RGB, 0..255 each; None is transparent.

    Raises:
        ValueError: when it is none of them.
    """
    if text in _NAMES:
        return _NAMES[text]
    if not re.fullmatch(r"#[0-9a-fA-F]{6}", text):
        msg = f"{text[:100]!r} is no colour: use white, black, transparent or #rrggbb"
        raise ValueError(msg)
    red, green, blue = bytes.fromhex(text[1:])
    return red, green, blue
