"""What is wrong with a file, told once by its name."""

import re
from pathlib import Path

__all__ = ("about",)


def about(file: Path | str, message: str) -> str:
    """A message with the name of the file that it is about before it, unless it names it itself."""
    named = re.search(rf"(?<!\S){re.escape(str(file))}(?!\w)", message)
    return message if named else f"{file}: {message}"
