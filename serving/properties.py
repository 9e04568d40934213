"""Java's properties files, as TorchServe's config.properties and snapshots are.

The format is that of `java.util.Properties`: a key, then `=`, `:` or blanks, then the value to the
end of the line; `#` and `!` begin comments; a backslash before the line's end continues it, before
`t`, `n`, `r`, `f` and `uXXXX` writes that character, and before any other one protects it.
"""

import re
from collections.abc import Iterator, Mapping

__all__ = ("format_properties", "parse_properties")

_ESCAPE = re.compile(r"\\(u[0-9a-fA-F]{4}|.|$)", re.DOTALL)
_KEY = re.compile(r"(?:\\.|[^\\=: \t\f])*", re.DOTALL)
_SEPARATOR = re.compile(r"[ \t\f]*[=:]?[ \t\f]*")
_BLANKS = " \t\f"
_LETTERS = {"t": "\t", "n": "\n", "r": "\r", "f": "\f"}
_WRITTEN = {
    "\\": "\\\\", "\t": "\\t", "\n": "\\n", "\r": "\\r", "\f": "\\f",
    "=": "\\=", ":": "\\:", "#": "\\#", "!": "\\!",
}  # fmt: skip


def parse_properties(text: str) -> dict[str, str]:
    """Read a file's text; of a key that comes twice the last value holds."""
    found: dict[str, str] = {}
    for line in _logical_lines(text):
        key = _KEY.match(line)
        end = key.end() if key else 0
        separator = _SEPARATOR.match(line, end)
        start = separator.end() if separator else end
        found[_unescape(line[:end])] = _unescape(line[start:])
    return found


def format_properties(values: Mapping[str, str]) -> str:
    """Write a file's text, sorted by key, that reads as these values here and in Java."""
    lines = (f"{_escape(key, is_key=True)}={_escape(values[key])}\n" for key in sorted(values))
    return "".join(lines)


def _logical_lines(text: str) -> Iterator[str]:
    """Join continued lines; leave out comments and empty ones."""
    held = ""
    is_continued = False
    for raw in re.split(r"\r\n|\n|\r", text):
        line = raw.lstrip(_BLANKS)
        if not is_continued and (not line or line[0] in "#!"):
            continue
        ending = len(line) - len(line.rstrip("\\"))
        is_continued = ending % 2 == 1
        held += line[:-1] if is_continued else line
        if not is_continued:
            yield held
            held = ""
    if held:
        yield held


def _unescape(text: str) -> str:
    def plain(match: re.Match[str]) -> str:
        letter = match[1]
        if len(letter) == 5:
            return chr(int(letter[1:], 16))
        return _LETTERS.get(letter, letter)

    if "\\" not in text:
        return text
    # Java writes what lies beyond U+FFFF as two halves.
    written = _ESCAPE.sub(plain, text).encode("utf-16", "surrogatepass")
    return written.decode("utf-16", "replace")


def _escape(text: str, *, is_key: bool = False) -> str:
    written = "".join(_WRITTEN.get(letter, letter) for letter in text)
    if is_key:
        return written.replace(" ", "\\ ")
    return f"\\{written}" if written.startswith(" ") else written
