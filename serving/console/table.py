"""A table for people: columns as wide as what stands in them."""

from collections.abc import Iterable, Sequence

__all__ = ("cut", "render_table")


def render_table(heads: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Lay out rows below their heads, two spaces apart; no line ends with spaces."""
    lines = [tuple(heads), *(tuple(_printable(cell) for cell in row) for row in rows)]
    widths = [max(len(line[column]) for line in lines) for column in range(len(heads))]
    return "\n".join(
        "  ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)).rstrip()
        for line in lines
    )


def cut(text: str, most: int) -> str:
    """Keep so many characters of a cell, with dots where there were more."""
    return text if len(text) <= most else f"{text[: most - 3]}..."


def _printable(text: str) -> str:
    """What a stranger sent may hold codes that a terminal would follow."""
    return "".join(c if c.isprintable() else f"\\x{ord(c):02x}" for c in text)
