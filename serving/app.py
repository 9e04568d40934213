"""The server: its listeners over one engine in one event loop."""

import asyncio
import contextlib
import gc
import logging
import signal
import socket
import ssl
import sys
import time
from collections.abc import AsyncIterator, Callable, Coroutine, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from serving.audit.log import Change
from serving.http.addresses import Address, CannotListen, addresses_of, bound
from serving.http.description import ApiKind
from serving.http.edge import Edge, HttpLimits
from serving.http.listener import Listener
from serving.observe.machine import watch_machine
from serving.services import Services
from serving.settings import ServerSettings
from serving.workers.memory import keep_freed_memory

if sys.platform != "win32":
    from uvloop import new_event_loop
else:
    from asyncio import new_event_loop

__all__ = ("CannotListen", "Ports", "announce", "serve", "serve_until_stopped")

_DRAIN_S = 3
"""How long requests under way are given after the call to stop, seconds."""

_KEPT_BYTES = 16 << 20
_TAKEN_BYTES = 1 << 20
"""How much freed memory is kept for the next requests, and how much is taken at a time."""

_KINDS: tuple[ApiKind, ...] = ("inference", "management", "metrics")

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Ports:
    """The ports that the server listens on; 0 where it does not, or at a path."""

    inference: int
    management: int
    metrics: int
    grpc_inference: int = 0
    grpc_management: int = 0


class _Stoppable(Protocol):
    """A listener, of HTTP or of gRPC."""

    async def stop(self, grace_s: float) -> None:
        """Take nothing more, and give what is under way so many seconds."""
        ...


@dataclass(frozen=True, slots=True)
class _Place:
    """One listener's address and what it offers there."""

    address: Address
    kinds: tuple[ApiKind, ...]


def serve_until_stopped(
    settings: ServerSettings, on_ready: Callable[[Ports], None] | None = None
) -> None:
    """Serve until SIGINT or SIGTERM; what is under way then gets a few seconds to end.

    Only for a process's main thread, which is the one that gets signals; elsewhere use `serve`.

    Args:
        settings: what, where and how.
        on_ready: called once all models are loaded; None: says so in the log.

    Raises:
        CannotListen: when a port is taken.
        InvalidSettings: when the settings cannot be followed.
        InvalidModel: when a model cannot be served.
    """
    keep_freed_memory(most=_KEPT_BYTES, ahead=_TAKEN_BYTES)

    async def main() -> None:
        stop = asyncio.Event()
        loop = asyncio.get_running_loop()
        for number in (signal.SIGINT, signal.SIGTERM):
            loop.add_signal_handler(number, stop.set)
        await serve(settings, stop, on_ready or announce)

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
        InvalidSettings: when the settings cannot be followed.
        InvalidModel: when a model cannot be served.
    """
    services = Services(settings)
    async with contextlib.AsyncExitStack() as stack:
        stack.callback(services.audit.close)
        stack.callback(services.send_traces)
        ports = await _open(settings, services, stack)
        services.tokens.start()
        stack.callback(services.tokens.stop)
        if settings.metrics_mode and not settings.disable_system_metrics:
            watching = watch_machine(services.reference_metrics, settings.metrics_interval_s)
            await stack.enter_async_context(_aside(watching))
        if await _load_unless_stopped(services, stop):
            services.snapshots.save("startup")
            # What is loaded stays: collecting garbage need not look at it again and again.
            gc.freeze()
            on_ready(ports)
            if services.watched is not None:
                await stack.enter_async_context(_aside(services.watched.run()))
            await stop.wait()
            # Whoever looks from now on is told that another server should be asked.
            services.engine.drain()
            await asyncio.sleep(settings.drain_s)
            services.snapshots.save("shutdown")
            services.audit.note("stop", Change(before=services.served()))


async def _open(
    settings: ServerSettings, services: Services, stack: contextlib.AsyncExitStack
) -> Ports:
    """Listen; in the end finish what is under way, and leave no process behind: within 5 s."""
    places = _places(settings)
    tls = _tls(settings) if any(place.address.is_tls for place in places) else None
    sockets = [stack.enter_context(bound(place.address)) for place in places]
    listeners = [
        _listener(services, place, found, tls if place.address.is_tls else None)
        for place, found in zip(places, sockets, strict=True)
    ]
    grpc = services.grpc() if settings.enable_grpc else None
    stack.push_async_callback(_shut_down, services, (*listeners, *([grpc] if grpc else [])))
    if grpc is not None:
        await grpc.start()
    for listener in listeners:
        await listener.start()
    by_kind = {
        kind: _port_of(found)
        for place, found in zip(places, sockets, strict=True)
        for kind in place.kinds
    }
    return Ports(
        inference=by_kind["inference"],
        management=by_kind["management"],
        metrics=by_kind.get("metrics", 0),
        grpc_inference=grpc.inference_port if grpc else 0,
        grpc_management=grpc.management_port if grpc else 0,
    )


def _places(settings: ServerSettings) -> Sequence[_Place]:
    """Where the listeners are; equal addresses share one, unless the port is any free one."""
    kinds_by_address: dict[object, tuple[Address, tuple[ApiKind, ...]]] = {}
    for kind, address in zip(_KINDS, addresses_of(settings), strict=True):
        if kind == "metrics" and not settings.enable_metrics_api:
            continue
        key: object = address if address.path or address.port else kind
        _, kinds = kinds_by_address.get(key, (address, ()))
        kinds_by_address[key] = (address, (*kinds, kind))
    return [_Place(address, kinds) for address, kinds in kinds_by_address.values()]


def _listener(
    services: Services, place: _Place, found: socket.socket, tls: ssl.SSLContext | None
) -> Listener:
    api = services.api(place.kinds)
    limits = HttpLimits(body_bytes=services.max_request_bytes)
    return Listener(found, Edge(api, api.refuse, limits), tls)


def _tls(settings: ServerSettings) -> ssl.SSLContext:
    # What reads certificates takes 8 MB, which a server without them need not hold.
    from serving.http.tls import make_tls

    return make_tls(settings)


def _port_of(found: socket.socket) -> int:
    return 0 if found.family == socket.AF_UNIX else int(found.getsockname()[1])


@contextlib.asynccontextmanager
async def _aside(work: Coroutine[Any, Any, None]) -> AsyncIterator[None]:
    """Do something without end meanwhile."""
    task = asyncio.create_task(work)
    try:
        yield
    finally:
        task.cancel()
        await asyncio.wait([task])


async def _load_unless_stopped(services: Services, stop: asyncio.Event) -> bool:
    """Load the models; whether that came to its end before `stop` was set."""
    loading = asyncio.create_task(services.load())
    stopping = asyncio.create_task(stop.wait())
    await asyncio.wait([loading, stopping], return_when=asyncio.FIRST_COMPLETED)
    stopping.cancel()
    if loading.done():
        await loading
        return True
    loading.cancel()
    await asyncio.wait([loading])
    return False


async def _shut_down(services: Services, listeners: Sequence[_Stoppable]) -> None:
    """Finish what is under way, take nothing more, leave no process behind.

    The ports stay open as long as requests are being worked on, so that whoever looks is told that
    the server is not ready. What is not finished after `_DRAIN_S` is told so by the engine, and
    hence answered as well.
    """
    services.engine.drain()
    await services.releases.stop()
    give_up_at = time.monotonic() + _DRAIN_S
    await services.engine.until_idle(_DRAIN_S)
    left_s = max(give_up_at - time.monotonic(), 0)
    stopping = [asyncio.create_task(listener.stop(left_s + 1)) for listener in listeners]
    if stopping:
        await asyncio.wait(stopping, timeout=left_s)
    await services.engine.stop(grace_s=0)
    await asyncio.gather(*stopping)


def announce(ports: Ports) -> None:
    """Say in the log where the server listens."""
    _log.info(
        "inference on port %d, management on %d, metrics on %d",
        ports.inference,
        ports.management,
        ports.metrics,
    )
    if ports.grpc_inference:
        _log.info(
            "gRPC: inference on port %d, management on %d",
            ports.grpc_inference,
            ports.grpc_management,
        )
