"""Compressed bodies, in and out: gzip and deflate, as Triton's clients send and ask for them."""

import asyncio
import zlib

from serving.errors import BadInput, InputTooLarge
from serving.protocol.tensors import Buffer

__all__ = ("asked_coding", "compress", "decompress")

_WINDOWS = {"gzip": 16 + zlib.MAX_WBITS, "x-gzip": 16 + zlib.MAX_WBITS, "deflate": zlib.MAX_WBITS}
_WORTH_BYTES = 1024
_LONG_BYTES = 64 * 1024
"""Longer bodies are worked on beside the event loop, which meanwhile serves others."""

_LEVEL = 1


def asked_coding(accept_encoding: str) -> str | None:
    """Which coding a client asks for; None: it takes the body as it is.

    Only who names gzip or deflate alone asks for it: a list is what HTTP libraries send of
    themselves, and binary tensors are not worth the time.
    """
    coding = accept_encoding.strip().lower()
    return coding if coding in ("gzip", "deflate") else None


async def decompress(body: Buffer, coding: str, most: int) -> Buffer:
    """Undo a coding; "" and "identity" are none.

    Args:
        body: as it came.
        coding: the header Content-Encoding.
        most: bytes that the body may have afterwards.

    Raises:
        BadInput: when the coding is not known, or the body is not of it.
        InputTooLarge: when the body would be longer.
    """
    coding = coding.strip().lower()
    if coding in ("", "identity"):
        return body
    if coding not in _WINDOWS:
        msg = f"a body in Content-Encoding {coding[:40]} is not read; send gzip, deflate or none"
        raise BadInput(msg)
    if len(body) <= _LONG_BYTES:
        return _inflate(body, coding, most)
    return await asyncio.to_thread(_inflate, body, coding, most)


async def compress(body: Buffer, coding: str | None) -> tuple[Buffer, str | None]:
    """Compress a body, if that is asked for and worth it; with the coding that it has then."""
    if coding is None or len(body) < _WORTH_BYTES:
        return body, None
    if len(body) <= _LONG_BYTES:
        return _deflate(body, coding), coding
    return await asyncio.to_thread(_deflate, body, coding), coding


def _inflate(body: Buffer, coding: str, most: int) -> bytes:
    reader = zlib.decompressobj(_WINDOWS[coding])
    try:
        data = reader.decompress(body, most + 1)
    except zlib.error as error:
        msg = f"the body is no {coding}: {error}"
        raise BadInput(msg) from error
    if len(data) > most:
        msg = f"the body has more than {most} bytes without its compression"
        raise InputTooLarge(msg)
    if not reader.eof or reader.unused_data:
        msg = f"the body is no whole {coding}"
        raise BadInput(msg)
    return data


def _deflate(body: Buffer, coding: str) -> bytes:
    writer = zlib.compressobj(_LEVEL, zlib.DEFLATED, _WINDOWS[coding])
    return writer.compress(body) + writer.flush()
