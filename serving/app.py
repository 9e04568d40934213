"""The server: three listeners over one engine in one event loop."""

import asyncio
import contextlib
import logging
import os
import signal
import socket
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import uvicorn
from litestar import Litestar, Router
from litestar.datastructures import State

from serving.engine import Engine
from serving.errors import ServingError
from serving.http.management import management_router
from serving.http.metrics import metrics_router
from serving.http.predictions import predictions_router
from serving.http.problems import TORCHSERVE_HANDLERS
from serving.http.v2 import v2_router
from serving.observe.metrics import ServerMetrics
from serving.settings import ServerSettings

if sys.platform != "win32":
    from uvloop import new_event_loop
else:
    from asyncio import new_event_loop

__all__ = ("CannotListen", "Ports", "serve", "serve_until_stopped")

_DRAIN_S = 3
"""How long requests under way are given after the call to stop, seconds."""

_KEEP_ALIVE_S = 75
"""Longer than clients keep idle connections: theirs is the end that closes them, seconds."""

_log = logging.getLogger(__name__)


class CannotListen(ServingError):
    """A port is taken, or the address is not this machine's."""

    code = "cannot_listen"


@dataclass(frozen=True, slots=True)
class Ports:
    """The ports that the server listens on."""

    inference: int
    management: int
    metrics: int


class _Listener(uvicorn.Server):
    """One port; signals are the whole server's business."""

    @contextlib.contextmanager
    def capture_signals(self) -> Iterator[None]:
        """Leave the signals alone."""
        yield


def serve_until_stopped(settings: ServerSettings) -> None:
    """Serve until SIGINT or SIGTERM; what is under way then gets a few seconds to end.

    Only for a process's main thread, which is the one that gets signals; elsewhere use `serve`.

    Raises:
        CannotListen: when a port is taken.
        InvalidModel: when a model cannot be served.
    """

    async def main() -> None:
        stop = asyncio.Event()
        loop = asyncio.get_running_loop()
        for number in (signal.SIGINT, signal.SIGTERM):
            loop.add_signal_handler(number, stop.set)
        await serve(settings, stop, _announce)

    with asyncio.Runner(loop_factory=new_event_loop) as runner:
        runner.run(main())


async def serve(
    settings: ServerSettings, stop: asyncio.Event, on_ready: Callable[[Ports], None]
) -> None:
    """Serve until `stop` is set.

    The ports are open from the beginning; until every model is loaded they answer that the server
    is not ready.

    Args:
        settings: what, where and how.
        stop: set from the same event loop.
        on_ready: called once all models are loaded.

    Raises:
        CannotListen: when a port is taken.
        InvalidModel: when a model cannot be served.
    """
    metrics = ServerMetrics()
    engine = Engine(settings, metrics)
    state = {"engine": engine, "metrics": metrics}
    size = settings.max_request_bytes
    tables = [
        (settings.inference_port, [predictions_router, v2_router]),
        (settings.management_port, [management_router]),
        (settings.metrics_port, [metrics_router]),
    ]
    with contextlib.ExitStack() as stack:
        sockets = [stack.enter_context(_bind(settings.host, port)) for port, _ in tables]
        listeners = [_listener(_application(routers, state, size)) for _, routers in tables]
        running = [
            asyncio.create_task(listener.serve([bound]))
            for listener, bound in zip(listeners, sockets, strict=True)
        ]
        ports = Ports(*(bound.getsockname()[1] for bound in sockets))
        try:
            if await _start_unless_stopped(engine, stop):
                on_ready(ports)
                await stop.wait()
        finally:
            await _shut_down(engine, listeners, running)


async def _start_unless_stopped(engine: Engine, stop: asyncio.Event) -> bool:
    """Load the models; whether that came to its end before `stop` was set."""
    starting = asyncio.create_task(engine.start())
    stopping = asyncio.create_task(stop.wait())
    await asyncio.wait([starting, stopping], return_when=asyncio.FIRST_COMPLETED)
    stopping.cancel()
    if starting.done():
        await starting
        return True
    starting.cancel()
    await asyncio.wait([starting])
    return False


async def _shut_down(
    engine: Engine, listeners: list[_Listener], running: list[asyncio.Task[None]]
) -> None:
    """Finish what is under way, take nothing more, leave no process behind: within 5 s.

    What is not finished after `_DRAIN_S` is told so by the engine, and hence answered as well.
    """
    engine.drain()
    for listener in listeners:
        listener.should_exit = True
    await asyncio.wait(running, timeout=_DRAIN_S)
    await engine.stop(grace_s=0)
    await asyncio.wait(running)


def _bind(host: str, port: int) -> socket.socket:
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    try:
        return socket.create_server((host, port), family=family, backlog=2048)
    except OSError as error:
        # The system's own numbers are positive; a name that is not known has a negative one.
        reason = os.strerror(error.errno) if error.errno and error.errno > 0 else error.strerror
        msg = f"cannot listen on {host} port {port}: {reason}"
        raise CannotListen(msg) from error


def _application(routers: list[Router], state: dict[str, object], max_bytes: int) -> Litestar:
    return Litestar(
        route_handlers=routers,
        exception_handlers=TORCHSERVE_HANDLERS,
        openapi_config=None,
        request_max_body_size=max_bytes,
        state=State(state),
        logging_config=None,
    )


def _listener(application: Litestar) -> _Listener:
    return _Listener(
        uvicorn.Config(
            application,
            lifespan="off",
            ws="none",
            log_config=None,
            access_log=False,
            timeout_keep_alive=_KEEP_ALIVE_S,
            timeout_graceful_shutdown=_DRAIN_S + 1,
        )
    )


def _announce(ports: Ports) -> None:
    _log.info(
        "inference on port %d, management on %d, metrics on %d",
        ports.inference,
        ports.management,
        ports.metrics,
    )
