"""Arrivals: how a model comes to be served, or is gone again without a trace."""

import asyncio
import logging
from collections.abc import Callable
from functools import partial

import msgspec

from serving.archive.manifest import Manifest
from serving.archive.stored import StoredModel, discard
from serving.errors import BadInput, ServingError
from serving.model_config import ModelConfig
from serving.observe.metrics import ServerMetrics
from serving.registry.endpoint import Endpoint
from serving.registry.pool import Pool
from serving.registry.registry import Registry
from serving.settings import ServerSettings

__all__ = ("Arrivals",)

_log = logging.getLogger(__name__)


class Arrivals:
    """Brings models into a registry.

    Args:
        settings: how they are served.
        metrics: told of everything that happens.
        registry: what is served.
        on_late: called when one that nobody waited for is served, or cannot be: with what it is,
            and why not.
    """

    def __init__(
        self,
        settings: ServerSettings,
        metrics: ServerMetrics,
        registry: Registry,
        on_late: Callable[[Manifest, ServingError | None], None],
    ) -> None:
        self._settings = settings
        self._metrics = metrics
        self._registry = registry
        self._on_late = on_late
        self._errands: set[asyncio.Task[None]] = set()

    def config_of(self, stored: StoredModel) -> ModelConfig:
        """What an archive asks for; over it what the settings say of this model."""
        name, version = stored.manifest.name, stored.manifest.version
        config = self._settings.config_of(name, version)
        if not stored.config or not self._settings.models.keys().isdisjoint(
            (name, f"{name}:{version}")
        ):
            return config
        return msgspec.structs.replace(config, **stored.config)

    def add(self, stored: StoredModel, config: ModelConfig, pool: Pool | None = None) -> Endpoint:
        """List one that is yet to be started.

        Args:
            stored: where it is.
            config: how it is served.
            pool: what does its work; None: worker processes.

        Raises:
            Conflict: when its name and version are served already.
            InvalidModel: when it cannot be served so.
        """
        manifest = stored.manifest
        # Before it is made: it would tell its numbers in the place of those of who is here.
        self._registry.check_free(manifest.name, manifest.version)
        metrics = self._metrics.for_endpoint(manifest.name, manifest.version)
        try:
            endpoint = Endpoint(stored, config, metrics, pool, self._settings.sequence_headers)
        except ServingError:
            self._metrics.forget_endpoint(manifest.name, manifest.version)
            raise
        self._registry.add(endpoint)
        return endpoint

    async def start(self, endpoint: Endpoint, *, wait: bool) -> None:
        """Start one that is listed; it is gone again when it cannot be.

        Args:
            endpoint: that one.
            wait: whether to return only when all its workers are ready.

        Raises:
            InvalidModel: when it cannot be loaded and somebody waits; else the log tells.
        """
        starting = asyncio.create_task(self._start_or_discard(endpoint))
        if not wait:
            self._run_aside(starting, endpoint.manifest)
            return
        try:
            await asyncio.shield(starting)
        except asyncio.CancelledError:
            # Who asked is gone; the model is there all the same, or the log tells why not.
            self._run_aside(starting, endpoint.manifest)
            raise

    def check_workers(self, count: int) -> None:
        """Look whether a model may have so many.

        Raises:
            BadInput: when it may not.
        """
        most = self._settings.most_workers
        if count > most:
            msg = f"a model may have at most {most} workers (most_workers), not {count}"
            raise BadInput(msg)

    def forget(self, endpoint: Endpoint) -> None:
        """Let go of the numbers and the files of one that is gone."""
        manifest = endpoint.manifest
        # Its name and version may be another's by now, who came while it finished its work.
        if not self._registry.has(manifest.name, manifest.version):
            self._metrics.forget_endpoint(manifest.name, manifest.version)
        discard(endpoint.stored)

    async def stop(self) -> None:
        """Give up whom nobody waits for."""
        errands = list(self._errands)
        for errand in errands:
            errand.cancel()
        await asyncio.gather(*errands, return_exceptions=True)

    async def _start_or_discard(self, endpoint: Endpoint) -> None:
        try:
            await endpoint.start(endpoint.config.min_workers)
        except BaseException:
            self._registry.discard(endpoint)
            await endpoint.stop(0)
            self.forget(endpoint)
            raise

    def _run_aside(self, task: "asyncio.Task[None]", manifest: Manifest) -> None:
        self._errands.add(task)
        task.add_done_callback(partial(self._finish_errand, manifest))

    def _finish_errand(self, manifest: Manifest, task: "asyncio.Task[None]") -> None:
        self._errands.discard(task)
        error = None if task.cancelled() else task.exception()
        if isinstance(error, ServingError):
            _log.error("%s", error)
        elif error is not None:
            _log.error("a model could not be started", exc_info=error)
        self._on_late(manifest, error if isinstance(error, ServingError) else None)
