"""An upload: out of a form or the bare body, within the limit, and of a format that we read."""

import tempfile
from pathlib import PurePosixPath
from typing import Any

import msgspec
from litestar import Request
from litestar.datastructures import UploadFile
from litestar.enums import RequestEncodingType
from litestar.exceptions import ClientException

from animator.core.errors import ImageTooLarge, InvalidImage, StorageUnavailable
from animator.core.image_format import sniff_format
from animator.store.disk import FULL

__all__ = ("FORM_OVERHEAD", "Upload", "clean_name", "read_upload", "receive")

FORM_OVERHEAD = 64 * 1024
"""Bytes that a form may need around its file."""

_NAME_LENGTH = 120


class Upload(msgspec.Struct, frozen=True, kw_only=True):
    """A picture as it was handed in.

    Attributes:
        name: file name as given, without folders, for showing only.
        data: the bytes, of a format that we read.
    """

    name: str
    data: bytes


async def read_upload(request: Request[Any, Any, Any], max_bytes: int) -> Upload:
    """Read the form field `file`, or the whole body named by `?name=`.

    Raises:
        ImageTooLarge: when there are more than `max_bytes`.
        UnsupportedImage: when the bytes are of no format that we read.
        InvalidImage: when there is no file, or an empty one.
    """
    try:
        name, data = await receive(request)
    except ClientException as error:
        if error.status_code == 413:
            raise _too_large(max_bytes) from error
        raise
    if len(data) > max_bytes:
        raise _too_large(max_bytes)
    sniff_format(data)
    return Upload(name=clean_name(name) or "drawing", data=data)


async def receive(request: Request[Any, Any, Any]) -> tuple[str, bytes]:
    """The name and the bytes of a file that was handed in, of whatever kind.

    Raises:
        InvalidImage: when a form has no such field.
        ClientException: when the framework takes no more bytes.
        StorageUnavailable: when there is no room for the file of a form.
    """
    try:
        return await _receive(request)
    except OSError as error:
        if error.errno not in FULL:
            raise
        # A large file of a form lies in the folder of temporary files until it has come wholly.
        msg = f"There is no room for what is handed in: {tempfile.gettempdir()} is full."
        raise StorageUnavailable(msg) from error


async def _receive(request: Request[Any, Any, Any]) -> tuple[str, bytes]:
    if request.content_type[0] != RequestEncodingType.MULTI_PART:
        return request.query_params.get("name", ""), await request.body()
    file = (await request.form()).get("file")
    if not isinstance(file, UploadFile):
        msg = "The upload has no field `file`."
        raise InvalidImage(msg)
    return file.filename, await file.read()


def clean_name(name: str) -> str:
    """The last part of a file's name, printable and not too long; it may be empty."""
    last = PurePosixPath(name.replace("\\", "/")).name
    return "".join(c for c in last if c.isprintable())[:_NAME_LENGTH]


def _too_large(max_bytes: int) -> ImageTooLarge:
    return ImageTooLarge(f"The file is larger than {max_bytes // 1_000_000} MB.")
