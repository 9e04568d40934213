"""What the routes ask of a request: its body, its time, and whether its client is still there."""

import asyncio
import math
from collections.abc import Awaitable
from typing import Any, TypeVar

from litestar import Request
from litestar.datastructures import UploadFile

from serving.engine import Engine
from serving.errors import BadInput

__all__ = ("AnyRequest", "ClientGone", "engine_of", "read_input", "timeout_of", "while_connected")

AnyRequest = Request[Any, Any, Any]

_FIELDS = ("data", "body")
"""Where TorchServe's clients put the input of a multipart request."""

_UNWATCHED_S = 0.02
"""Requests that are answered sooner are not worth a look at their connection, seconds."""

Result = TypeVar("Result")


class ClientGone(Exception):
    """The client hung up before it was answered."""


def engine_of(request: AnyRequest) -> Engine:
    """Return the engine that the application was made for."""
    engine: Engine = request.app.state.engine
    return engine


async def read_input(request: AnyRequest) -> bytes:
    """Read the model's input: a field of a form, or the raw body.

    Raises:
        BadInput: when a form has no field for it.
    """
    if not request.headers.get("content-type", "").startswith("multipart/"):
        return await request.body()
    form = await request.form()
    for name in _FIELDS:
        value = form.get(name)
        if isinstance(value, UploadFile):
            return await value.read()
        if isinstance(value, str):
            return value.encode()
    msg = f"the form has no field {' or '.join(_FIELDS)}"
    raise BadInput(msg)


def timeout_of(request: AnyRequest) -> float | None:
    """Read how long the client waits, seconds, from the header or the parameter `timeout`.

    Raises:
        BadInput: when it is no number > 0.
    """
    text = request.headers.get("timeout") or request.query_params.get("timeout")
    if text is None:
        return None
    try:
        seconds = float(text)
    except ValueError:
        seconds = math.nan
    if not 0 < seconds < math.inf:
        msg = f"timeout must be a number of seconds > 0, got {text!r}"
        raise BadInput(msg)
    return seconds


async def while_connected(request: AnyRequest, work: Awaitable[Result]) -> Result:
    """Await work on behalf of a client whose body has been read; give it up when it hangs up.

    Raises:
        ClientGone: when the client hung up; the work has been cancelled.
    """
    task = asyncio.current_task()
    loop = asyncio.get_running_loop()
    watchers: list[asyncio.Task[None]] = []
    is_gone = False

    async def watch() -> None:
        nonlocal is_gone
        while (await request.receive())["type"] != "http.disconnect":
            pass
        is_gone = True
        if task is not None:
            task.cancel()

    timer = loop.call_later(_UNWATCHED_S, lambda: watchers.append(loop.create_task(watch())))
    try:
        return await work
    except asyncio.CancelledError:
        if is_gone and task is not None and not task.uncancel():
            raise ClientGone from None
        raise
    finally:
        timer.cancel()
        for watcher in watchers:
            watcher.cancel()
