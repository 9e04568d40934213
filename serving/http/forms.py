"""Forms: a body's fields, from multipart/form-data (RFC 7578) and urlencoded bodies."""

import re
from collections.abc import Iterator, Mapping
from typing import NamedTuple
from urllib.parse import unquote, unquote_to_bytes

from serving.errors import BadInput

__all__ = ("Fields", "read_fields")

_MOST_FIELDS = 1000
_MOST_HEAD_BYTES = 8192
_BOUNDARY = re.compile(r"[0-9a-zA-Z'()+_,\-./:=? ]{0,69}[0-9a-zA-Z'()+_,\-./:=?]")

_PARAMETER = re.compile(r';\s*([\w*\-]+)\s*=\s*(?:"((?:\\.|[^"\\])*)"|([^;\s]*))')


class Fields(NamedTuple):
    """A body's fields.

    Attributes:
        values: by name; of several with one name the last.
        content_types: of those that came with one.
    """

    values: Mapping[str, bytes]
    content_types: Mapping[str, str]


def read_fields(body: bytes, content_type: str) -> Fields:
    """Read a form's fields; a body that is no form is the one field `body`.

    Raises:
        BadInput: when the form is broken.
    """
    mime_type = content_type.partition(";")[0].strip().lower()
    if mime_type == "multipart/form-data":
        return _read_multipart(body, content_type)
    if mime_type == "application/x-www-form-urlencoded":
        return _read_urlencoded(body)
    return Fields({"body": body}, {"body": content_type} if content_type else {})


def _read_urlencoded(body: bytes) -> Fields:
    pairs = [pair.replace(b"+", b" ").partition(b"=") for pair in body.split(b"&") if pair]
    if len(pairs) > _MOST_FIELDS:
        raise _too_many()
    return Fields({unquote(name): unquote_to_bytes(value) for name, _, value in pairs}, {})


def _read_multipart(body: bytes, content_type: str) -> Fields:
    values: dict[str, bytes] = {}
    content_types: dict[str, str] = {}
    for count, part in enumerate(_parts(body, _boundary(content_type))):
        if count == _MOST_FIELDS:
            raise _too_many()
        head, separator, value = part.partition(b"\r\n\r\n")
        if not separator or len(head) > _MOST_HEAD_BYTES:
            raise BadInput("the form is broken: a field has no head")
        name, kind = _read_head(head)
        values[name] = value
        content_types.pop(name, None)
        if kind:
            content_types[name] = kind
    return Fields(values, content_types)


def _boundary(content_type: str) -> bytes:
    boundary = _parameter(content_type, "boundary")
    if boundary is None or not _BOUNDARY.fullmatch(boundary):
        raise BadInput("the form is broken: its content type names no boundary")
    return b"--" + boundary.encode()


def _parts(body: bytes, delimiter: bytes) -> Iterator[bytes]:
    """Cut a body at its delimiters; each is at the beginning of a line."""
    separator = b"\r\n" + delimiter
    start = 0 if body.startswith(delimiter) else body.find(separator) + 2
    if start == 1:
        raise BadInput("the form is broken: its boundary is missing")
    at = start + len(delimiter)
    while not body.startswith(b"--", at):
        line_end = body.find(b"\r\n", at)
        end = body.find(separator, line_end) if line_end >= 0 else -1
        if end < 0:
            raise BadInput("the form is broken: its end is missing")
        # A form without fields is two delimiters with nothing between them.
        if end > line_end:
            yield body[line_end + 2 : end]
        at = end + len(separator)


def _read_head(head: bytes) -> tuple[str, str]:
    """Read a field's name and content type."""
    name = None
    kind = ""
    for line in head.decode("utf-8", "replace").split("\r\n"):
        key, _, value = line.partition(":")
        match key.strip().lower():
            case "content-disposition":
                name = _parameter(value, "name")
            case "content-type":
                kind = value.strip()
    if name is None:
        raise BadInput("the form is broken: a field has no name")
    return name, kind


def _too_many() -> BadInput:
    return BadInput(f"the form has more than {_MOST_FIELDS} fields")


def _parameter(text: str, wanted: str) -> str | None:
    for name, quoted, plain in _PARAMETER.findall(text):
        if name.lower() == wanted:
            return re.sub(r"\\(.)", r"\1", quoted) or plain
    return None
