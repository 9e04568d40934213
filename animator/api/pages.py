"""The web page: the files of one folder, as they are; routes of the page get its shell."""

import asyncio
import functools
import gzip
import hashlib
from contextlib import suppress
from pathlib import Path
from typing import Any

from litestar import HttpMethod, Request, Response, route
from litestar.exceptions import NotFoundException
from litestar.params import FromPath

from animator.api.contents import Content, respond_with
from animator.api.services import Services

__all__ = ("get_page", "refuse_unknown_api")

_MEDIA_TYPES = {
    ".css": "text/css",
    ".html": "text/html",
    ".ico": "image/x-icon",
    ".jpg": "image/jpeg",
    ".js": "text/javascript",
    ".png": "image/png",
    ".svg": "image/svg+xml",
    ".webmanifest": "application/manifest+json",
}
"""What is public: other files of the folder are for those who work on the page."""

_PACKED = frozenset({".css", ".html", ".js", ".svg"})
"""Text, which is sent in a third of its bytes to those who can unpack it."""

_HIDDEN_FOLDERS = frozenset({"tests", "node_modules"})
_REVALIDATE = "no-cache"
_SHELL_ROUTES = frozenset({"drawings", "privacy", "shared"})
_READ = [HttpMethod.GET, HttpMethod.HEAD]
_ANY = [HttpMethod.GET, HttpMethod.POST, HttpMethod.PUT, HttpMethod.PATCH, HttpMethod.DELETE]


@route("/api/{path:path}", http_method=_ANY, include_in_schema=False, sync_to_thread=False)
def refuse_unknown_api(path: FromPath[str]) -> None:
    """Say that the API has no such address; never show the page for it."""
    msg = f"There is nothing at /api{path}."
    raise NotFoundException(msg)


@route(["/", "/{path:path}"], http_method=_READ, include_in_schema=False)
async def get_page(
    request: Request[Any, Any, Any], services: Services, path: FromPath[str] = ""
) -> Response[bytes]:
    """Send a file of the page, or its shell where the address is one of the page's own routes."""
    parts = [part for part in path.split("/") if part]
    return await asyncio.to_thread(_answer, request, services.web_folder, parts)


def _answer(request: Request[Any, Any, Any], folder: Path, parts: list[str]) -> Response[bytes]:
    file = _find_file(folder, parts)
    if file is not None:
        return _send(request, file)
    if not parts or parts[0] in _SHELL_ROUTES:
        return _send(request, folder / "index.html")
    if "text/html" in request.headers.get("Accept", ""):
        response = _send(request, folder / "index.html")
        response.status_code = 404
        return response
    msg = f"There is nothing at /{'/'.join(parts)}."
    raise NotFoundException(msg)


def _find_file(folder: Path, parts: list[str]) -> Path | None:
    if not parts or _HIDDEN_FOLDERS.intersection(parts) or any(p.startswith(".") for p in parts):
        return None
    file = folder.joinpath(*parts)
    with suppress(OSError):  # such as a name too long for the disk
        if file.suffix in _MEDIA_TYPES and file.is_file():
            return file
    return None


def _send(request: Request[Any, Any, Any], file: Path) -> Response[bytes]:
    data = file.read_bytes()
    etag = hashlib.sha256(data).hexdigest()[:20]
    is_packed = file.suffix in _PACKED and "gzip" in request.headers.get("Accept-Encoding", "")
    content = Content(
        data=_pack(data) if is_packed else data,
        media_type=_MEDIA_TYPES[file.suffix],
        etag=f"{etag}-gzip" if is_packed else etag,
        cache=_REVALIDATE,
        encoding="gzip" if is_packed else None,
    )
    response = respond_with(request, content)
    response.headers["Vary"] = "Accept-Encoding"
    return response


@functools.lru_cache(maxsize=256)
def _pack(data: bytes) -> bytes:
    return gzip.compress(data, mtime=0)
