"""Management: what an operator asks of a running server, in TorchServe's words.

REST and gRPC say the same; this is where it is done. Texts are those of TorchServe's answers, which
its clients read.
"""

import asyncio
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any
from urllib.parse import unquote

import msgspec

from serving.admission import Admission, Admitted, RegisterRequest
from serving.audit.log import AuditLog, Change
from serving.catalogue import Catalogue
from serving.engine import Engine
from serving.errors import (
    BadInput,
    InvalidModel,
    LoadOutOfMemory,
    NotAllowed,
    RemovalTimedOut,
    ServingError,
    VersionInUse,
    WorkersNotStarted,
)
from serving.orders import Batches, Status
from serving.registry.endpoint import Endpoint
from serving.settings import ServerSettings

__all__ = ("NOT_ALLOWED", "Management")

_LONGEST_SLO_MS = 3_600_000

NOT_ALLOWED = "Requested method is not allowed, please refer to API document."


class Management:
    """What an operator asks of a running server.

    Args:
        engine: what is served.
        settings: what is allowed.
        audit: takes note of each change.
        on_change: called when what is served has changed.

    Attributes:
        catalogue: what is served, for who reads it.
    """

    def __init__(
        self,
        engine: Engine,
        settings: ServerSettings,
        audit: AuditLog,
        on_change: Callable[[], None] = lambda: None,
    ) -> None:
        self._engine = engine
        self._settings = settings
        self._audit = audit
        self._on_change = on_change
        self._admission = Admission(settings)
        self._arriving: list[str] = []
        self._is_reference = settings.compat == "torchserve"
        self.catalogue = Catalogue(engine, is_reference=self._is_reference)

    @property
    def may_change_models(self) -> bool:
        """Whether models may be registered and removed."""
        return self._settings.enable_model_api

    def is_arriving(self, archive: str) -> bool:
        """Whether an archive of the store, told by its name, is being registered."""
        return archive in self._arriving

    async def register(self, request: RegisterRequest) -> Status:
        """Serve an archive.

        Raises:
            NotAllowed: when models may not be registered.
            ServingError: why it is not served; nothing of it stays.
        """
        under = {"min_workers": self._settings.initial_workers}
        archive = _file_name(request.url or "")
        name = request.model_name or archive
        async with self._audit.change("register", name) as change:
            change.reason = f"asked for {request.url}"
            self._check_may_change()
            with self._announced(archive):
                admitted = await self._admission.admit(request, under)
                stored = admitted.stored
                self._begin(change, stored.manifest.name, stored.manifest.version)
                status = await self._add(admitted, wait=request.synchronous)
            self._end(change, {"sha256": stored.sha256} if stored.sha256 else {})
        return status

    async def load(
        self, request: RegisterRequest, over: Mapping[str, Any] | None = None
    ) -> tuple[str, str]:
        """Serve an archive since the start of the server; its name and version.

        Args:
            request: which.
            over: fields of ModelConfig that have the last word.

        Raises:
            ServingError: why it is not served; nothing of it stays.
        """
        admitted = await self._admission.admit(request, over=over)
        await self._add(admitted, wait=True)
        manifest = admitted.stored.manifest
        self.catalogue.note_startup(manifest.name)
        return manifest.name, manifest.version

    async def _add(self, admitted: Admitted, *, wait: bool) -> Status:
        """Serve what was admitted.

        Raises:
            ServingError: why it is not served; nothing of it stays.
        """
        manifest, count = admitted.stored.manifest, admitted.config.min_workers
        try:
            await self._start(admitted, wait=wait)
        except LoadOutOfMemory:
            raise
        except InvalidModel as error:
            raise _not_started(manifest.name, manifest.version, error) from error
        self._on_change()
        if count and not wait:
            return Status(202, "Processing worker updates...")
        text = f'Model "{manifest.name}" Version: {manifest.version} registered with '
        if count:
            return Status(200, f"{text}{count} initial workers")
        hint = "Use scale workers API to add workers for the model."
        return Status(200, f"{text}0 initial workers. {hint}")

    async def rebatch(self, name: str, version: str | None, batches: Batches) -> Status:
        """Change how batches are made, with the workers that are there.

        Raises:
            BadInput: when a number is out of bounds.
            ModelNotFound: when there is no such model.
            Conflict: when its workers go by the size that they were started with.
        """
        size, delay_ms, slo_ms = batches
        if (size is not None and size < 1) or (delay_ms is not None and delay_ms < 0):
            raise BadInput("batch_size must be at least 1, max_batch_delay at least 0.")
        if slo_ms is not None and not 0 <= slo_ms <= _LONGEST_SLO_MS:
            raise BadInput("slo_p99_ms must be milliseconds of at most an hour, or 0 for none.")
        async with self._audit.change("scale", name, version or "") as change:
            endpoint = self._engine.registry.find(name, version)
            self._begin(change, name, endpoint.manifest.version)
            endpoint.rebatch(size, delay_ms, slo_ms)
            said = {"batch_size": size, "max_batch_delay": delay_ms, "slo_p99_ms": slo_ms}
            self._end(change, {key: value for key, value in said.items() if value is not None})
        self._on_change()
        return Status(200, f'Model "{name}" makes other batches')

    async def scale(
        self, name: str, version: str | None, workers: tuple[int, int], *, wait: bool
    ) -> Status:
        """Change how many workers hold a model.

        Args:
            name: of the model.
            version: None: the default one.
            workers: how many are kept, and how many there may be.
            wait: whether to answer when they are there.

        Raises:
            BadInput: when there may be fewer than are kept.
            ModelNotFound: when there is no such model.
            WorkersNotStarted: when a worker could not load it.
        """
        async with self._audit.change("scale", name, version or "") as change:
            endpoint = self._engine.registry.find(name, version)
            self._begin(change, name, endpoint.manifest.version)
            status = await self._scale(endpoint, version, workers, wait=wait)
            self._end(change)
        return status

    async def _scale(
        self, endpoint: Endpoint, version: str | None, workers: tuple[int, int], *, wait: bool
    ) -> Status:
        name = endpoint.manifest.name
        least, most = workers
        if most < least:
            raise BadInput("max_worker cannot be less than min_worker.")
        if least < 0:
            msg = f"min_worker must be at least 0, got {least}"
            raise ServingError(msg) if self._is_reference else BadInput(msg)
        try:
            count = await self._engine.scale(name, version, least, most, wait=wait)
        except LoadOutOfMemory:
            raise
        except InvalidModel as error:
            raise _not_started(name, endpoint.manifest.version, error) from error
        self._on_change()
        if not wait:
            return Status(202, "Processing worker updates...")
        if count < least:
            return Status(206, "Workers scaling in progress...")
        suffix = f", version: {version}" if version else ""
        return Status(200, f"Workers scaled to {least} for model: {name}{suffix}")

    async def unregister(self, name: str, version: str | None) -> Status:
        """Stop serving a version of a model, or its default one.

        Raises:
            NotAllowed: when models may not be removed.
            ModelNotFound: when there is no such model.
            VersionInUse: when it is the default one and there are others.
            RemovalTimedOut: when its workers do not end in time.
        """
        async with self._audit.change("unregister", name, version or "") as change:
            self._check_may_change()
            found = self._engine.registry.find(name, version).manifest.version
            self._begin(change, name, found)
            await self._unregister(name, found)
            self._end(change)
        return Status(200, f'Model "{name}" unregistered')

    async def _unregister(self, name: str, found: str) -> None:
        registry = self._engine.registry
        if found == registry.default_version(name) and len(registry.versions(name)) > 1:
            msg = f"Cannot remove default version for model {name}"
            raise VersionInUse(msg)
        try:
            async with asyncio.timeout(self._settings.unregister_timeout_s):
                await self._engine.unregister(name, found)
        except TimeoutError as error:
            msg = f"Timed out while cleaning resources: {name}"
            raise RemovalTimedOut(msg) from error
        self._on_change()

    async def set_default(self, name: str, version: str) -> Status:
        """Let a version answer where none is named.

        Raises:
            ModelNotFound: when there is no such model or version.
        """
        async with self._audit.change("set_default", name, version) as change:
            self._begin(change, name, version)
            self._engine.set_default(name, version)
            self._end(change)
        self._on_change()
        return Status(
            200, f'Default version successfully updated for model "{name}" to "{version}"'
        )

    async def _start(self, admitted: Admitted, *, wait: bool) -> None:
        """Serve what was admitted; the reference tries again what nobody waits for."""
        stored, config = admitted.stored, admitted.config
        if wait or not self._is_reference:
            await self._engine.register(stored, config, wait=wait)
            return
        empty = msgspec.structs.replace(config, min_workers=0, max_workers=0)
        await self._engine.register(stored, empty, wait=True)
        name, version = stored.manifest.name, stored.manifest.version
        workers = config.min_workers, config.max_workers or config.min_workers
        await self._engine.scale(name, version, *workers, wait=False)

    @contextmanager
    def _announced(self, archive: str) -> Iterator[None]:
        """Let nobody else serve an archive of the store while it is being registered."""
        self._arriving.append(archive)
        try:
            yield
        finally:
            self._arriving.remove(archive)

    def _begin(self, change: Change, name: str, version: str) -> None:
        change.model, change.version = name, version
        change.before = self._engine.registry.state_of(name)

    def _end(self, change: Change, more: Mapping[str, Any] | None = None) -> None:
        state = self._engine.registry.state_of(change.model)
        change.after = {**(state or {}), **(more or {})} or None

    def _check_may_change(self) -> None:
        if not self.may_change_models:
            raise NotAllowed(NOT_ALLOWED)


def _file_name(url: str) -> str:
    return unquote(url.partition("?")[0].partition("#")[0]).rpartition("/")[2]


def _not_started(name: str, version: str, error: ServingError) -> WorkersNotStarted:
    msg = f"Failed to start workers for model {name} version: {version}: {error.message}"
    return WorkersNotStarted(msg)
