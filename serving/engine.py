"""Engine: the models being served; the only door to them."""

import asyncio
import logging
import time
from collections.abc import Awaitable, Callable
from pathlib import Path

from serving.archive.archive import reopen
from serving.archive.manifest import Manifest
from serving.archive.stored import StoredModel, discard
from serving.arrivals import Arrivals
from serving.errors import ServingError
from serving.model_config import ModelConfig
from serving.observe.metrics import ServerMetrics
from serving.observe.origin import asker_now
from serving.protocol.asker import Client
from serving.protocol.exchange import RawReply, RawRequest
from serving.protocol.tensors import Tensors
from serving.registry.endpoint import Endpoint
from serving.registry.pool import Pool
from serving.registry.registry import Registry
from serving.registry.repository import find_models
from serving.settings import ServerSettings

__all__ = ("Engine",)

_DRAIN_S = 120.0
"""How long an unregistered model may take to answer what it was asked before, seconds."""

_IDLE_CHECK_S = 0.02
"""How often a server that stops looks whether it may, seconds."""

_log = logging.getLogger(__name__)


class Engine:
    """Starts models, runs them, stops them.

    Args:
        settings: which models, and how.
        metrics: told of everything that happens.

    Attributes:
        is_withheld: whether a model's folder is not loaded at the start.
        on_change: called when a model that nobody waited for is served, or cannot be.
        on_failure: called when it cannot be, with what it is and why.
    """

    def __init__(self, settings: ServerSettings, metrics: ServerMetrics) -> None:
        self._settings = settings
        self._registry = Registry("first" if settings.compat == "torchserve" else "highest")
        self._is_open = False
        self._arrivals = Arrivals(settings, metrics, self._registry, self._hear_late)
        self.is_withheld: Callable[[Path], bool] = lambda _: False
        self.on_change: Callable[[], None] = lambda: None
        self.on_failure: Callable[[Manifest, ServingError], None] = lambda _, __: None

    @property
    def registry(self) -> Registry:
        """What is served; empty before the start."""
        return self._registry

    @property
    def is_ready(self) -> bool:
        """Whether every model that shall have workers can be asked, and no stop is near."""
        endpoints = self._registry.endpoints
        return self._is_open and all(
            e.is_ready or self._registry.is_on_trial(e) for e in endpoints if e.is_wanted
        )

    @property
    def is_hopeful(self) -> bool:
        """Whether no model has given up starting its workers."""
        return all(endpoint.is_hopeful for endpoint in self._registry.endpoints)

    async def start(self, more: Callable[[], Awaitable[None]] | None = None) -> None:
        """Load every model of the folder, if the settings say all; they are ready then.

        Args:
            more: registers further ones before the engine says that it is ready.

        Raises:
            InvalidModel: when one cannot be served; nothing is left running.
        """
        if self._settings.load_models.lower() == "all":
            for model in find_models(Path(self._settings.models_dir), self.is_withheld):
                self._arrivals.add(model, self._arrivals.config_of(model))
        starts = [asyncio.create_task(e.start()) for e in self._registry.endpoints]
        try:
            await asyncio.gather(*starts)
            if more is not None:
                await more()
        except BaseException:
            for start in starts:
                start.cancel()
            await asyncio.gather(*starts, return_exceptions=True)
            await self.stop(0)
            raise
        self._is_open = True
        _log.info("ready: %s", ", ".join(self._registry.names) or "no models")

    async def infer(
        self,
        model: str,
        tensors: Tensors,
        *,
        version: str | None = None,
        timeout_s: float | None = None,
        priority: int = 0,
    ) -> Tensors:
        """Run a model on one item.

        Args:
            model: its name.
            tensors: without a batch axis.
            version: None: the default.
            timeout_s: how long the caller waits, seconds; None: as configured.
            priority: higher goes first.

        Raises:
            ServingError: why there is no answer.
        """
        endpoint, choice = self._registry.choose(model, version, asker_now())
        work = endpoint.infer(tensors, timeout_s, priority)
        if choice is None:
            return await work
        return await choice.watch(work, lambda other: other.infer(tensors, timeout_s, priority))

    async def ask(
        self,
        model: str,
        request: RawRequest,
        *,
        version: str | None = None,
        timeout_s: float | None = None,
        priority: int = 0,
    ) -> RawReply:
        """Let a model answer a request as it came.

        A streamed reply is returned with its first part; `rest` gives the others.

        Args:
            model: its name.
            request: what came; a handler that reads tensors gets the field `data` or `body`, and
                its results are answered as JSON.
            version: None: the default.
            timeout_s: how long the caller waits, seconds; None: as configured.
            priority: higher goes first.

        Raises:
            ServingError: why there is no answer.
        """
        asker = asker_now(Client(request.headers))
        endpoint, choice = self._registry.choose(model, version, asker)
        work = endpoint.ask(request, timeout_s, priority)
        if choice is None:
            return await work
        return await choice.watch(work, lambda other: other.ask(request, timeout_s, priority))

    async def register(
        self,
        stored: StoredModel,
        config: ModelConfig | None = None,
        *,
        wait: bool = True,
        pool: Pool | None = None,
    ) -> Endpoint:
        """Serve one more model, or one more version.

        It is listed at once, and asked for once a worker holds it. When it is not served, what
        was fetched and unpacked for it goes.

        Args:
            stored: where it is.
            config: how it is served; None: as the settings say, over what the archive asks for.
            wait: whether to return only when all its workers are ready. A model that cannot be
                loaded is told here then, else in the log; in both cases it is gone again.
            pool: what does its work; None: worker processes.

        Raises:
            BadInput: when it would have more workers than the settings allow.
            Conflict: when its name and version are served already.
            InvalidModel: when it cannot be loaded.
        """
        config = config or self._arrivals.config_of(stored)
        try:
            self._arrivals.check_workers(max(config.min_workers, config.max_workers or 0))
            endpoint = self._arrivals.add(stored, config, pool)
        except ServingError:
            discard(stored)
            raise
        await self._arrivals.start(endpoint, wait=wait)
        return endpoint

    async def scale(
        self,
        name: str,
        version: str | None,
        min_workers: int,
        max_workers: int,
        *,
        wait: bool,
    ) -> int:
        """Keep so many workers from now on; how many there are now.

        Args:
            name: of the model.
            version: None: the default.
            min_workers: >= 0.
            max_workers: >= min_workers.
            wait: whether to wait until the minimum holds the model.

        Raises:
            BadInput: when there would be more than the settings allow.
            ModelNotFound: when there is no such model or version.
            InvalidModel: when a worker cannot be started.
        """
        endpoint = self._registry.find(name, version)
        self._arrivals.check_workers(max_workers)
        return await endpoint.scale(min_workers, max_workers, wait=wait)

    async def unregister(self, name: str, version: str | None = None) -> None:
        """Take a version out, the default where none is named; what it was asked is answered.

        Raises:
            ModelNotFound: when there is no such model or version.
            VersionInUse: when it is the default, and there are others.
        """
        await self._let_go(self._registry.remove(name, version))

    async def unregister_all(self, name: str) -> None:
        """Take all versions of a model out; what they were asked is answered.

        Raises:
            ModelNotFound: when there is no such model.
        """
        endpoints = self._registry.versions(name)
        for endpoint in endpoints:
            self._registry.discard(endpoint)
        await asyncio.gather(*(self._let_go(endpoint) for endpoint in endpoints))

    def set_default(self, name: str, version: str) -> None:
        """Mean this version where none is named.

        Raises:
            ModelNotFound: when there is no such model or version.
        """
        self._registry.set_default(name, version)

    async def reload(self, name: str, version: str | None = None) -> None:
        """Serve what is on disk now; no request fails, old workers finish what they do.

        Raises:
            ModelNotFound: when there is no such model or version.
            Conflict: when the folder holds another model or version by now.
            InvalidModel: when it cannot be loaded; what was served before goes on.
        """
        endpoint = self._registry.find(name, version)
        await endpoint.reload(reopen(endpoint.stored))

    async def replace(self, stored: StoredModel) -> None:
        """Serve another content of a version that is served; no request fails.

        Returns when the workers of before have finished, too.

        Raises:
            ModelNotFound: when there is no such version.
            InvalidModel: when it cannot be loaded; what was served before goes on.
        """
        endpoint = self._registry.find(stored.manifest.name, stored.manifest.version)
        before = endpoint.stored
        try:
            await endpoint.reload(stored)
        except ServingError:
            discard(stored)
            raise
        await endpoint.until_replaced()
        discard(before)

    def drain(self) -> None:
        """Say from now on that the server is not ready; what comes is still served."""
        self._is_open = False

    async def until_idle(self, timeout_s: float) -> None:
        """Wait until every request is answered, at most `timeout_s` seconds."""
        give_up_at = time.monotonic() + timeout_s
        while any(endpoint.in_flight for endpoint in self._registry.endpoints):
            if time.monotonic() > give_up_at:
                return
            await asyncio.sleep(_IDLE_CHECK_S)

    async def stop(self, grace_s: float) -> None:
        """Take nothing more; give what runs `grace_s` seconds; end all workers."""
        self.drain()
        await self._arrivals.stop()
        endpoints = self._registry.endpoints
        await asyncio.gather(*(endpoint.stop(grace_s) for endpoint in endpoints))

    async def _let_go(self, endpoint: Endpoint) -> None:
        await endpoint.drain(_DRAIN_S)
        self._arrivals.forget(endpoint)

    def _hear_late(self, manifest: Manifest, error: ServingError | None) -> None:
        self.on_change()
        if error is not None:
            self.on_failure(manifest, error)
