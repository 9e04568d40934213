"""Bytes as an answer: entity tags, one byte range, a name for saving."""

import re
from collections.abc import Generator, Iterator
from contextlib import suppress
from itertools import chain
from typing import Any
from urllib.parse import quote

import msgspec
from litestar import Request, Response
from litestar.background_tasks import BackgroundTask
from litestar.exceptions import HTTPException
from litestar.response import Stream

from animator.store import OpenBlob

__all__ = ("PRIVATE_CACHE", "Content", "offer_as", "respond_with", "stream")

PRIVATE_CACHE = "private, max-age=3600"
"""For files that never change under their name, and belong to one person."""

_AT_ONCE = 1024 * 1024
"""Bytes that are sent in one piece; more come bit by bit, and are not held in memory."""

_RANGE = re.compile(r"bytes=(?!-\Z)([0-9]{0,18})-([0-9]{0,18})")


class Content(msgspec.Struct, frozen=True, kw_only=True):
    """What is sent, and how it may be kept.

    Attributes:
        data: the whole of it, or where it is read from.
        media_type: such as "image/gif".
        etag: names this very content; without quotes.
        cache: the Cache-Control header.
        save_as: the file name offered for saving; None shows it in place.
        encoding: how `data` is packed, such as "gzip"; None: not at all.
    """

    data: bytes | OpenBlob
    media_type: str
    etag: str
    cache: str
    save_as: str | None = None
    encoding: str | None = None


def offer_as(name: str) -> dict[str, str]:
    """The header that offers an answer for saving under a name (RFC 6266)."""
    return {"Content-Disposition": f"attachment; filename*=UTF-8''{quote(name)}"}


def respond_with(request: Request[Any, Any, Any], content: Content) -> Response[Any]:
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
        return Response(b"", status_code=304, media_type=content.media_type, headers=headers)
    size = content.data.size if isinstance(content.data, OpenBlob) else len(content.data)
    part = _find_part(request.headers.get("Range", ""), size)
    if part is None or request.headers.get("If-Range", etag) != etag:
        return _respond(content, range(size), 200, headers)
    if not part:
        whole = {"Content-Range": f"bytes */{size}"}
        raise HTTPException("the file has no such bytes", status_code=416, headers=whole)
    headers["Content-Range"] = f"bytes {part.start}-{part.stop - 1}/{size}"
    return _respond(content, part, 206, headers)


def _find_part(asked: str, size: int) -> range | None:
    """The bytes of `first-last`, of `first-`, or the `-last` ones, if there are any.

    None: of no part, or of one that cannot be, which counts as none (RFC 9110, 14.1.1 and 14.2).
    """
    matched = _RANGE.fullmatch(asked)
    if matched is None:
        return None
    first, last = matched.groups()
    if not first:
        return range(max(size - int(last), 0), size)
    if last and int(last) < int(first):
        return None
    return range(int(first), min(int(last) + 1, size) if last else size)


def stream(
    chunks: Iterator[bytes], size: int | None, headers: dict[str, str], **more: Any
) -> Stream:
    """Send bytes as they come; the first are read before anything is told of success.

    size: of all of them; None: nobody knows.
    """
    first = next(chunks, b"")
    if size is not None:
        headers = {**headers, "Content-Length": str(size)}
    # Who hangs up in between lets nobody read them to their end.
    closing = BackgroundTask(_close, chunks)
    return Stream(chain((first,), chunks), headers=headers, background=closing, **more)


def _close(chunks: Iterator[bytes]) -> None:
    """Give back what is read from, such as a file or a connection.

    Whoever hangs up while a thread reads leaves them to it: they close when it lets go of them.
    """
    if isinstance(chunks, Generator):
        with suppress(ValueError):
            chunks.close()


def _respond(content: Content, part: range, status: int, headers: dict[str, str]) -> Response[Any]:
    more: dict[str, Any] = {"status_code": status, "media_type": content.media_type}
    if not isinstance(content.data, OpenBlob):
        return Response(content.data[part.start : part.stop], headers=headers, **more)
    if len(part) <= _AT_ONCE:
        data = b"".join(content.data.stream(part)) if part else b""
        return Response(data, headers=headers, **more)
    return stream(content.data.stream(part), len(part), headers, **more)
