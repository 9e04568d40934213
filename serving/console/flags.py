"""Flags of the commands that talk with a running server, and how their values are read.

Imports nothing heavy, so that --help answers at once.
"""

import argparse
import re
from datetime import UTC, datetime, timedelta
from pathlib import Path

__all__ = ("KEY_FILE", "URL", "add_port_flags", "duration", "moment", "share")

URL = "http://127.0.0.1:8081"
KEY_FILE = "key_file.json"

_UNITS = {"s": 1, "m": 60, "h": 3600, "d": 86400}


def add_port_flags(parser: argparse.ArgumentParser) -> None:
    """Add the flags that say which server is meant, and by which key it is asked."""
    group = parser.add_argument_group("the server")
    group.add_argument(
        "--url", metavar="URL", help=f"of its management port (SERVING_MANAGEMENT_URL, or {URL})"
    )
    group.add_argument(
        "--key-file",
        type=Path,
        metavar="FILE",
        help=f"where it writes its keys (SERVING_KEY_FILE, or {KEY_FILE})",
    )
    group.add_argument(
        "--token", metavar="KEY", help="its management key, in place of the file (SERVING_TOKEN)"
    )


def moment(text: str) -> str:
    """Read a time in ISO 8601, or how long ago it was; ISO 8601 in UTC.

    Raises:
        ArgumentTypeError: when it is neither.
    """
    ago = re.fullmatch(r"(\d{1,6})([smhd])", text)
    try:
        if ago:
            found = datetime.now(UTC) - timedelta(seconds=int(ago[1]) * _UNITS[ago[2]])
        else:
            found = datetime.fromisoformat(text)
    except ValueError as error:
        msg = f"{text!r} is no time, such as 2026-01-31T12:00Z or 24h"
        raise argparse.ArgumentTypeError(msg) from error
    return found.astimezone(UTC).isoformat()


def share(text: str) -> float:
    """Read 20% or 0.2.

    Raises:
        ArgumentTypeError: when it is neither, or not above 0 and at most 1.
    """
    try:
        number = float(text.removesuffix("%")) / (100 if text.endswith("%") else 1)
    except ValueError:
        number = -1.0
    if not 0 < number <= 1:
        msg = f"{text!r} is no share, such as 20% or 0.2"
        raise argparse.ArgumentTypeError(msg)
    return number


def duration(text: str) -> float:
    """Read 30s, 5m or 1h; seconds.

    Raises:
        ArgumentTypeError: when it is none of these.
    """
    try:
        number = float(text[:-1]) * _UNITS[text[-1:]]
    except (ValueError, KeyError):
        number = -1.0
    if not 0 <= number < 1e9:
        msg = f"{text!r} is no time, such as 30s, 5m or 1h"
        raise argparse.ArgumentTypeError(msg)
    return number
