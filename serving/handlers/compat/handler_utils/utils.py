"""Parts of replies, sent while the handler still works."""

import importlib
from collections.abc import Mapping
from typing import Any

from serving.handlers.compat.context import Context
from serving.handlers.compat.protocol.otf_message_handler import STREAM_HEADER, reply_of

__all__ = ("import_class", "send_intermediate_predict_response")


def send_intermediate_predict_response(
    ret: Any, req_id_map: Mapping[int, str], message: str, code: int, context: Context
) -> None:
    """Send a part of each reply at once; the handler's result is the last one.

    Args:
        ret: a part for each request, by its place in the batch.
        req_id_map: places to ids, of the requests that get one.
        message: taken for its sake; nobody reads it.
        code: likewise.
        context: of the batch.
    """
    send = getattr(context, "send_part", None)
    if send is None:
        msg = "parts of replies can only be sent while a batch is handled"
        raise RuntimeError(msg)
    for index in req_id_map:
        context.set_response_header(index, STREAM_HEADER, "true")
        send(index, reply_of(ret[index], context, index))


def import_class(class_name: str, module_prefix: str | None = None) -> Any:
    """Import a class by its dotted name, perhaps within a package.

    Raises:
        ImportError: when there is no such module or class.
    """
    module_name, _, name = (class_name or "").rpartition(".")
    full = ".".join(part for part in (module_prefix, module_name) if part)
    if not name or not full:
        msg = f"{class_name!r} names no class of a module"
        raise ImportError(msg)
    found = getattr(importlib.import_module(full), name, None)
    if found is None:
        msg = f"there is no class {name} in {full}"
        raise ImportError(msg)
    return found
