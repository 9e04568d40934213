"""Engine: the models being served; the only door to them."""

import asyncio
import logging
from pathlib import Path

from serving.observe.metrics import ServerMetrics
from serving.registry.endpoint import Endpoint, ItemT
from serving.registry.registry import Registry
from serving.registry.repository import StoredModel, find_models
from serving.settings import ServerSettings

__all__ = ("Engine",)

_log = logging.getLogger(__name__)


class Engine:
    """Starts the models of a folder, runs them, stops them.

    Args:
        settings: which models, and how.
        metrics: told of everything that happens.
    """

    def __init__(self, settings: ServerSettings, metrics: ServerMetrics) -> None:
        self._settings = settings
        self._metrics = metrics
        self._registry = Registry(())
        self._is_open = False

    @property
    def registry(self) -> Registry:
        """What is served; empty before the start."""
        return self._registry

    @property
    def is_ready(self) -> bool:
        """Whether every model can be asked, and the server is not about to stop."""
        endpoints = self._registry.endpoints
        return self._is_open and all(endpoint.is_ready for endpoint in endpoints)

    async def start(self) -> None:
        """Load every model; all are ready when this returns.

        Raises:
            InvalidModel: when one cannot be served; nothing is left running.
        """
        models = find_models(Path(self._settings.models_dir))
        self._registry = Registry([self._endpoint(model) for model in models])
        starts = [asyncio.create_task(e.start()) for e in self._registry.endpoints]
        try:
            await asyncio.gather(*starts)
        except BaseException:
            for start in starts:
                start.cancel()
            await asyncio.gather(*starts, return_exceptions=True)
            await self.stop(0)
            raise
        self._is_open = True
        _log.info("ready: %s", ", ".join(self._registry.names) or "no models")

    async def infer(
        self, model: str, item: ItemT, *, version: str | None = None, timeout_s: float | None = None
    ) -> ItemT:
        """Run a model on one item.

        Args:
            model: its name.
            item: a raw body for the handler to decode, answered with JSON; or tensors without a
                batch axis, answered with tensors.
            version: None: the highest.
            timeout_s: how long the caller waits, seconds; None: as configured.

        Raises:
            ServingError: why there is no answer.
        """
        return await self._registry.find(model, version).infer(item, timeout_s)

    def drain(self) -> None:
        """Say from now on that the server is not ready; what comes is still served."""
        self._is_open = False

    async def stop(self, grace_s: float) -> None:
        """Take nothing more; give what runs `grace_s` seconds; end all workers."""
        self.drain()
        await asyncio.gather(*(endpoint.stop(grace_s) for endpoint in self._registry.endpoints))

    def _endpoint(self, model: StoredModel) -> Endpoint:
        manifest = model.manifest
        metrics = self._metrics.for_endpoint(manifest.name, manifest.version)
        return Endpoint(model, self._settings.config_of(manifest.name), metrics)
