"""From what a handler returns to bytes, and parts of a reply that go at once."""

import io
import json
import sys
from collections.abc import Mapping
from typing import Any

import msgspec

from serving.handlers.compat.context import Context
from serving.handlers.compat.utils.util import deprecated
from serving.protocol.exchange import RawReply

__all__ = ("encode_value", "reply_of", "send_intermediate_predict_response")

STREAM_HEADER = "ts_stream_next"
"""Tells whether more parts of a reply will come."""


def encode_value(value: Any) -> bytes:
    """Write one item's result: bytes and text as they are, tensors by torch, the rest as JSON.

    Raises:
        TypeError: when it is nothing of these.
    """
    if isinstance(value, bytes | bytearray):
        return bytes(value)
    if isinstance(value, str):
        return value.encode()
    # A result can be a tensor only where torch is loaded.
    torch = sys.modules.get("torch")
    if torch is not None and isinstance(value, torch.Tensor):
        buffer = io.BytesIO()
        torch.save(value, buffer)
        return buffer.getvalue()
    return _pretty(value)


def _pretty(value: Any) -> bytes:
    """Write JSON as the reference does, `json.dumps` with an indent of 2, in half of the time.

    With an indent that function is Python, and leaves circles for the collector of garbage.
    """
    plain = json.dumps(value).encode()
    try:
        return msgspec.json.format(plain, indent=2)
    except msgspec.DecodeError:  # NaN and infinities are no JSON
        return json.dumps(value, indent=2).encode()


def reply_of(value: Any, context: Context, index: int) -> RawReply:
    """Make a reply of one item's result and of what the handler said of it.

    Raises:
        TypeError: when the result cannot be written.
    """
    status, reason = context.get_response_status(index)
    headers = context.get_response_headers(index)
    return RawReply(
        body=encode_value(value),
        status=200 if status is None else status,
        reason=reason or "",
        headers=tuple(
            (name, str(text)) for name, text in headers.items() if name != "content-type"
        ),
        content_type=context.get_response_content_type(index) or None,
    )


@deprecated(1.0, "ts.handler_utils.utils.send_intermediate_predict_response")
def send_intermediate_predict_response(
    ret: Any, req_id_map: Mapping[int, str], message: str, code: int, context: Any = None
) -> None:
    """Send parts of replies, under the name that older handlers know."""
    from serving.handlers.compat.handler_utils import utils

    utils.send_intermediate_predict_response(ret, req_id_map, message, code, context)
