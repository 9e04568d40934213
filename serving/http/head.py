"""The head of an HTTP/1.1 request, read strictly (RFC 9110, RFC 9112).

Whatever two servers could read differently is refused and not repaired: a body with both lengths,
a length that is no plain number, folded lines, bare line feeds, blanks before a colon. A proxy in
front of this server then never takes one request for two.
"""

import re
from collections.abc import Mapping, Sequence
from typing import TypeVar
from urllib.parse import unquote

import msgspec

__all__ = ("MAX_HEAD_BYTES", "Head", "Refused", "parse_head")

MAX_HEAD_BYTES = 64 * 1024
"""Request line and header fields together, bytes."""

_MAX_TARGET = 8 * 1024
_MAX_FIELDS = 100

_REMEMBERED = 1024
"""Lines that are kept with what they mean: clients send the same ones again and again."""

_REMEMBERED_LENGTH = 256

_HEADS = 256
"""Whole heads that are kept: a client that asks again with a body of the same length sends one."""

_HEADS_LENGTH = 1024
_SECRET = frozenset({"authorization", "cookie", "proxy-authorization"})

_TOKEN = r"[!#$%&'*+\-.^_`|~0-9A-Za-z]++"
_START = re.compile(rf"({_TOKEN}) ([!-~]++) HTTP/([0-9])\.([0-9])")
_FIELD = re.compile(rf"({_TOKEN}):[ \t]*+([^\x00-\x08\x0a-\x1f\x7f]*+)")
_LENGTH = re.compile(r"[0-9]{1,18}")
_ORIGIN = re.compile(r"https?://[^/?#]+", re.IGNORECASE)

Key = TypeVar("Key", str, bytes)
Value = TypeVar("Value")

_Start = tuple[str, str, str, bool]
_starts: dict[str, _Start] = {}
_fields: dict[str, tuple[str, str]] = {}
_heads: dict[bytes, "Head"] = {}


class Refused(Exception):
    """The bytes are no request that this server takes; the connection ends with the answer.

    Attributes:
        status: of the answer.
        message: one sentence for the client.
    """

    def __init__(self, status: int, message: str) -> None:
        super().__init__(message)
        self.status = status
        self.message = message


class Head(msgspec.Struct, frozen=True):
    """What stands above a request's body.

    Attributes:
        method: as sent; methods are case-sensitive.
        raw_path: the path as sent, percent-encoded, without the scheme and host of an absolute one.
        query: what follows the question mark, as sent.
        fields: names in lower case and values, in the order sent.
        headers: by lower-case name; the values of a repeated one are joined with commas.
        length: bytes of the body; None: it comes in chunks.
        keeps_alive: whether the client wants to use the connection again.
        is_modern: HTTP/1.1, not HTTP/1.0.
    """

    method: str
    raw_path: str
    query: str
    fields: Sequence[tuple[str, str]]
    headers: Mapping[str, str]
    length: int | None
    keeps_alive: bool
    is_modern: bool

    @property
    def path(self) -> str:
        """The path with percent-encoding undone."""
        return unquote(self.raw_path) if "%" in self.raw_path else self.raw_path

    @property
    def expects_continue(self) -> bool:
        """Whether the client sends the body only when it is told to."""
        return self.is_modern and "expect" in self.headers


def parse_head(data: bytes) -> Head:
    r"""Read a head, from the request line to the empty line's `\r\n\r\n`.

    Raises:
        Refused: with the status and the reason.
    """
    known = _heads.get(data)
    if known is not None:
        return known
    head = _read_head(data)
    if len(data) <= _HEADS_LENGTH and not _SECRET & head.headers.keys():
        _remember(_heads, data, head, _HEADS)
    return head


def _read_head(data: bytes) -> Head:
    first, *lines = data[:-4].decode("latin-1").split("\r\n")
    method, raw_path, query, is_modern = _starts.get(first) or _read_start(first)
    if len(lines) > _MAX_FIELDS:
        raise Refused(431, f"more than {_MAX_FIELDS} header fields")
    fields = [_fields.get(line) or _read_field(line) for line in lines]
    headers = dict(fields)
    if len(headers) < len(fields):
        headers = _joined(fields)
    if is_modern and "host" not in headers:
        raise Refused(400, "the header Host is missing")
    if "expect" in headers and headers["expect"].lower() != "100-continue":
        raise Refused(417, "the only expectation met here is 100-continue")
    length = _body_length(headers, is_modern)
    keeps_alive = _keeps_alive(headers, is_modern)
    return Head(method, raw_path, query, fields, headers, length, keeps_alive, is_modern)


def _read_start(line: str) -> _Start:
    match = _START.fullmatch(line)
    if match is None:
        raise Refused(400, "the request line is not that of HTTP/1.1")
    method, target, major, minor = match.groups()
    if major != "1":
        raise Refused(505, "this server speaks HTTP/1.1 and HTTP/1.0")
    raw_path, _, query = _origin_form(method, target).partition("?")
    start = (method, raw_path, query, minor != "0")
    if len(line) <= _REMEMBERED_LENGTH:
        _remember(_starts, line, start, _REMEMBERED)
    return start


def _read_field(line: str) -> tuple[str, str]:
    match = _FIELD.fullmatch(line)
    if match is None:
        raise Refused(400, "a header line is malformed")
    name, value = match[1].lower(), match[2].rstrip(" \t")
    if name not in _SECRET and len(line) <= _REMEMBERED_LENGTH:
        _remember(_fields, line, (name, value), _REMEMBERED)
    return name, value


def _remember(memory: dict[Key, Value], key: Key, meaning: Value, most: int) -> None:
    if len(memory) >= most:
        memory.clear()
    memory[key] = meaning


def _keeps_alive(headers: Mapping[str, str], is_modern: bool) -> bool:
    if "connection" not in headers:
        return is_modern
    wishes = headers["connection"].lower()
    return "close" not in wishes if is_modern else "keep-alive" in wishes


def _joined(fields: Sequence[tuple[str, str]]) -> dict[str, str]:
    """Join repeated fields (RFC 9110, 5.3; cookies by RFC 6265, 5.4)."""
    headers: dict[str, str] = {}
    for name, value in fields:
        if name not in headers:
            headers[name] = value
        elif name in ("host", "content-length", "transfer-encoding"):
            raise Refused(400, f"the header {name} comes twice")
        else:
            headers[name] += ("; " if name == "cookie" else ", ") + value
    return headers


def _origin_form(method: str, target: str) -> str:
    if len(target) > _MAX_TARGET:
        raise Refused(414, f"the address has more than {_MAX_TARGET} characters")
    if target.startswith("/") or (target == "*" and method == "OPTIONS"):
        return target
    absolute = _ORIGIN.match(target)
    if absolute is None:
        raise Refused(400, "the address in the request line must begin with a slash")
    rest = target[absolute.end() :]
    return rest if rest.startswith("/") else f"/{rest}"


def _body_length(headers: Mapping[str, str], is_modern: bool) -> int | None:
    """How many bytes of body follow; None when they come in chunks."""
    length = headers.get("content-length")
    coding = headers.get("transfer-encoding")
    if coding is not None:
        if length is not None or not is_modern:
            raise Refused(400, "Transfer-Encoding excludes Content-Length and HTTP/1.0")
        if coding.lower() != "chunked":
            raise Refused(501, "the only Transfer-Encoding read here is chunked")
        return None
    if length is None:
        return 0
    if not _LENGTH.fullmatch(length):
        raise Refused(400, "Content-Length must be a whole number")
    return int(length)
