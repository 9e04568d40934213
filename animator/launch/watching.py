"""How we are watched: the address of the web process' metrics, and who takes traces."""

import functools
import logging
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Literal

from prometheus_client import (
    CollectorRegistry,
    ProcessCollector,
    disable_created_metrics,
    start_http_server,
)

from animator.core.tracing import Tracer
from animator.jobs.connection import connect_once
from animator.jobs.standing import JobCollector
from animator.settings import Settings
from serving.observe.tracing import TraceOptions, make_tracer

__all__ = ("follow_work", "make_registry", "tell_metrics")

logger = logging.getLogger(__name__)


def make_registry(settings: Settings) -> CollectorRegistry:
    """What is told: of this process, and of the jobs and queues that all processes share."""
    # A second series for each, which says since when: nothing here asks for it.
    disable_created_metrics()  # type: ignore[no-untyped-call]
    registry = CollectorRegistry()
    ProcessCollector(registry=registry)
    registry.register(JobCollector(functools.partial(connect_once, settings.redis)))
    return registry


def follow_work(settings: Settings, part: Literal["web", "worker"]) -> Tracer | None:
    """What shows the work of a part in traces; None where nobody takes them."""
    return make_tracer(
        TraceOptions(
            service=f"animator-{part}",
            endpoint=settings.trace_endpoint or "",
            share=settings.trace_share,
            is_edge=part == "web",
            is_forking=part == "worker",
        )
    )


@contextmanager
def tell_metrics(settings: Settings, registry: CollectorRegistry) -> Iterator[None]:
    """Listen meanwhile; where the port is taken, say so and do without: the page goes on."""
    if not settings.app_metrics_port:
        yield
        return
    try:
        server, thread = start_http_server(
            settings.app_metrics_port, settings.metrics_host, registry
        )
    except OSError as error:
        address = f"{settings.metrics_host}:{settings.app_metrics_port}"
        logger.warning("no metrics: cannot listen on %s: %s", address, error.strerror)
        yield
        return
    try:
        yield
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
