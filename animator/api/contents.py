"""Bytes as an answer: entity tags, one byte range, a name for saving."""

import re
from typing import Any
from urllib.parse import quote

import msgspec
from litestar import Request, Response
from litestar.exceptions import HTTPException

__all__ = ("PRIVATE_CACHE", "Content", "offer_as", "respond_with")

PRIVATE_CACHE = "private, max-age=3600"
"""For files that never change under their name, and belong to one person."""

_RANGE = re.compile(r"bytes=([0-9]{0,18})-([0-9]{0,18})")


class Content(msgspec.Struct, frozen=True, kw_only=True):
    """What is sent, and how it may be kept.

    Attributes:
        data: the whole of it.
        media_type: such as "image/gif".
        etag: names this very content; without quotes.
        cache: the Cache-Control header.
        save_as: the file name offered for saving; None shows it in place.
        encoding: how `data` is packed, such as "gzip"; None: not at all.
    """

    data: bytes
    media_type: str
    etag: str
    cache: str
    save_as: str | None = None
    encoding: str | None = None


def offer_as(name: str) -> dict[str, str]:
    """The header that offers an answer for saving under a name (RFC 6266)."""
    return {"Content-Disposition": f"attachment; filename*=UTF-8''{quote(name)}"}


def respond_with(request: Request[Any, Any, Any], content: Content) -> Response[bytes]:
    """Send content, or the part asked for (RFC 9110), or word that it has not changed.

    Raises:
        HTTPException: 416, when the part asked for lies outside.
    """
    etag = f'"{content.etag}"'
    headers = {"ETag": etag, "Cache-Control": content.cache, "Accept-Ranges": "bytes"}
    if content.save_as is not None:
        headers |= offer_as(content.save_as)
    if content.encoding is not None:
        headers["Content-Encoding"] = content.encoding
    if etag in request.headers.get("If-None-Match", ""):
        return _respond(b"", 304, content, headers)
    matched = _RANGE.fullmatch(request.headers.get("Range", ""))
    if matched is None or request.headers.get("If-Range", etag) != etag:
        return _respond(content.data, 200, content, headers)
    part = _find_part(matched.group(1), matched.group(2), len(content.data))
    if part is None:
        whole = {"Content-Range": f"bytes */{len(content.data)}"}
        raise HTTPException("the file has no such bytes", status_code=416, headers=whole)
    headers["Content-Range"] = f"bytes {part.start}-{part.stop - 1}/{len(content.data)}"
    return _respond(content.data[part.start : part.stop], 206, content, headers)


def _find_part(first: str, last: str, size: int) -> range | None:
    """The bytes of `first-last`, of `first-`, or the `-last` ones; None when there are none."""
    if first:
        part = range(int(first), min(int(last) + 1, size) if last else size)
    else:
        part = range(max(size - int(last or 0), 0), size)
    return part if part else None


def _respond(
    data: bytes, status: int, content: Content, headers: dict[str, str]
) -> Response[bytes]:
    return Response(data, status_code=status, media_type=content.media_type, headers=headers)
