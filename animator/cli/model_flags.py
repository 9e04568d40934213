"""Flags that several verbs of `animator models` have, and what their values may be."""

import argparse
import json
from pathlib import Path

__all__ = ("add_models_dir", "add_out", "count", "minutes", "setting", "share")


def add_out(parser: argparse._ActionsContainer) -> None:
    """Add `--out`."""
    parser.add_argument(
        "--out", type=Path, metavar="DIR", help="folder of models (the data folder's `models`)"
    )


def add_models_dir(parser: argparse._ActionsContainer) -> None:
    """Add `--models-dir`."""
    parser.add_argument("--models-dir", metavar="DIR", help="folder of model folders")


def setting(text: str) -> tuple[str, object]:
    """Read NAME=JSON, or NAME=TEXT."""
    name, _, value = text.partition("=")
    try:
        return name, json.loads(value)
    except json.JSONDecodeError:
        return name, value


def count(text: str) -> int:
    """Read a number from 1 to 100,000."""
    if not text.isascii() or not text.isdigit() or not 1 <= int(text) <= 100_000:
        msg = f"{text!r} is no number from 1 to 100000"
        raise argparse.ArgumentTypeError(msg)
    return int(text)


def share(text: str) -> float:
    """Read a number in [0, 1]."""
    return _number(text, 0.0, 1.0)


def minutes(text: str) -> float:
    """Read minutes, from a hundredth to 100,000."""
    return _number(text, 0.01, 100_000.0)


def _number(text: str, low: float, high: float) -> float:
    try:
        value = float(text)
    except ValueError:
        value = float("nan")
    if not low <= value <= high:  # false for "nan", too
        msg = f"{text!r} is no number from {low:g} to {high:g}"
        raise argparse.ArgumentTypeError(msg)
    return value
