"""Endpoint: one version of a model being served, with its queue and its workers."""

import asyncio
from collections.abc import Callable, Hashable

from msgspec import structs

from serving.archive.inputs import check_inputs
from serving.archive.manifest import Manifest
from serving.archive.stored import StoredModel
from serving.batching.batch import signature
from serving.errors import InferenceFailed
from serving.model_config import ModelConfig
from serving.observe.endpoint_metrics import EndpointMetrics
from serving.observe.statistics import EndpointStatistics
from serving.protocol.exchange import RawReply, RawRequest
from serving.protocol.tensors import Tensors
from serving.protocol.torchserve import ModelDescription
from serving.registry.crew import Crew
from serving.registry.description import describe
from serving.registry.dispatch import Dispatch, OnBatch
from serving.registry.examined import examine
from serving.registry.lanes import SEQUENCE_HEADERS, Lanes
from serving.registry.plan import batch_limits, rebatched
from serving.registry.pool import Pool
from serving.registry.reception import Reception
from serving.registry.traffic import Posted, Traffic
from serving.workers.messages import Item, Outcome

__all__ = ("Endpoint",)


class Endpoint:
    """One version of a model being served.

    Args:
        model: where it is and what it says of itself.
        config: how it is served.
        metrics: told of everything that happens.
        pool: what does the work; None: worker processes.
        sequence_headers: names of the headers of a sequence's id, start and end, in lower case.
    """

    def __init__(
        self,
        model: StoredModel,
        config: ModelConfig,
        metrics: EndpointMetrics,
        pool: Pool | None = None,
        sequence_headers: tuple[str, str, str] = SEQUENCE_HEADERS,
    ) -> None:
        self._model = model
        self._config = config
        self._metrics = metrics
        self._traffic = Traffic(metrics)
        self._content = ""
        self._restarts_seen = 0
        self._loaded: set[int] = set()
        self._has_started = False
        self._crew = Crew(model, config, self._workers_changed, pool, metrics.coded)
        self._dispatch = Dispatch(self._crew, metrics)
        self._queue = self._dispatch.make_queue(model.manifest, config, sequence_headers)
        self._reception = Reception(self._crew, self._queue, self._traffic)
        metrics.watch(
            in_flight=lambda: self._traffic.count,
            waiting=lambda: self._queue.waiting,
            workers=lambda: self._crew.pool.ready,
        )
        metrics.watch_slo(self._queue)

    @property
    def manifest(self) -> Manifest:
        """What the model says of itself."""
        return self._model.manifest

    @property
    def stored(self) -> StoredModel:
        """Where the model is."""
        return self._model

    @property
    def content(self) -> str:
        """SHA-256 of what the workers hold, hexadecimal; "": not known yet."""
        return self._content

    @property
    def config(self) -> ModelConfig:
        """How it is served, as it was asked for."""
        return self._config

    @property
    def is_ready(self) -> bool:
        """Whether a worker holds the model, and bodies can be decoded for it."""
        return self._crew.is_ready

    @property
    def is_wanted(self) -> bool:
        """Whether it has been loaded and shall have workers: then it is amiss not to be ready."""
        return self._has_started and self._crew.pool.min_workers > 0

    @property
    def is_hopeful(self) -> bool:
        """Whether its workers, if it shall have any, are there or are being started."""
        return self._crew.pool.min_workers == 0 or self._crew.pool.is_hopeful

    @property
    def worker_range(self) -> tuple[int, int]:
        """How many workers are kept, and how many there may be."""
        return self._crew.pool.min_workers, self._crew.pool.max_workers

    @property
    def in_flight(self) -> int:
        """Requests that are not answered yet, and replies that are still being worked on."""
        return max(self._traffic.count, self._queue.running)

    @property
    def waiting(self) -> int:
        """Requests that wait for a worker."""
        return self._queue.waiting

    @property
    def is_raw(self) -> bool:
        """Whether its handler reads requests itself; known once a worker holds the model."""
        return self._crew.pool.is_raw

    async def start(self, wanted: int = 1) -> None:
        """Check the files, start the workers; `wanted` of them are ready when this returns.

        Raises:
            InvalidModel: when a file is not what the manifest says, or the model cannot be loaded.
        """
        content, reference = await asyncio.to_thread(examine, self._model)
        self._metrics.compare_with(reference)
        await self._crew.start(wanted)
        self._content = content
        self._has_started = True

    async def reload(self, model: StoredModel) -> None:
        """Serve what is on disk now; the workers of before go when the new ones are ready.

        Raises:
            InvalidModel: when it cannot be loaded; the workers of before stay.
        """
        content, reference = await asyncio.to_thread(examine, model)
        await self._crew.replace(model)
        self._model, self._content = model, content
        self._metrics.compare_with(reference)
        self._queue.limits = batch_limits(model.manifest, self._config)
        if isinstance(self._queue, Lanes):
            self._queue.lose_all()
        self._queue.wake()

    async def until_replaced(self) -> None:
        """Wait until the workers of before a reload have finished and gone."""
        await self._crew.until_left()

    async def scale(self, min_workers: int, max_workers: int, *, wait: bool) -> int:
        """Keep so many workers from now on; how many there are now.

        Raises:
            InvalidModel: when one cannot be started.
        """
        count = await self._crew.pool.scale(min_workers, max_workers, wait=wait)
        self._has_started = True
        return count

    def rebatch(
        self,
        batch_size: int | None,
        max_batch_delay_ms: float | None,
        slo_p99_ms: float | None = None,
    ) -> None:
        """Make batches otherwise from now on, with the same workers.

        Args:
            batch_size: most items of one, >= 1; None: as before.
            max_batch_delay_ms: longest wait for company, milliseconds, >= 0; None: as before.
            slo_p99_ms: of the latency, milliseconds, > 0; 0: none any more; None: as before.

        Raises:
            Conflict: when the workers were told the size at their start, and go by it.
        """
        config = rebatched(self._model, self._config, batch_size, max_batch_delay_ms)
        if slo_p99_ms is not None:
            config = structs.replace(config, slo_p99_ms=slo_p99_ms or None)
        self._config = self._crew.config = config
        self._queue.limits = batch_limits(self._model.manifest, config)
        self._queue.wake()

    async def drain(self, grace_s: float) -> None:
        """Take nothing more; answer what is here within `grace_s` seconds; end the workers."""
        await self._queue.drain(grace_s)
        await self._crew.stop()

    async def stop(self, grace_s: float) -> None:
        """Take nothing more; give what runs `grace_s` seconds; end the workers."""
        await self._queue.stop(grace_s)
        await self._crew.stop()

    async def infer(
        self, tensors: Tensors, timeout_s: float | None = None, priority: int = 0
    ) -> Tensors:
        """Run the model on one item.

        Args:
            tensors: without a batch axis.
            timeout_s: how long the caller waits, seconds; None: as configured.
            priority: higher goes first.

        Raises:
            ServingError: why there is no answer.
        """
        check_inputs(tensors, self.manifest.inputs)
        timeout_s = timeout_s or self._config.default_timeout_s
        outcome = await self._reception.answer(tensors, signature(tensors), timeout_s, priority)
        if isinstance(outcome, RawReply):
            msg = "the model gave a reply instead of tensors"
            raise InferenceFailed(msg)
        return outcome

    async def ask(
        self, request: RawRequest, timeout_s: float | None = None, priority: int = 0
    ) -> RawReply:
        """Let the model answer a request as it came.

        A streamed reply is returned with its first part; `rest` gives the others.

        Args:
            request: what came.
            timeout_s: how long the caller waits, seconds; None: as configured.
            priority: higher goes first.

        Raises:
            ServingError: why there is no answer.
        """
        timeout_s, codec = timeout_s or self._config.default_timeout_s, self._crew.codec
        if codec is not None and request.verb == "predict" and not self.is_raw:
            inputs = self.manifest.inputs
            return await self._reception.decode(codec, inputs, request, timeout_s, priority)
        outcome = await self._reception.answer(request, request.verb, timeout_s, priority)
        if not isinstance(outcome, RawReply):
            msg = "the model gave tensors instead of a reply"
            raise InferenceFailed(msg)
        return outcome

    def post(
        self,
        item: Item,
        on_outcome: Callable[[Outcome], None],
        timeout_s: float | None = None,
        priority: int = 0,
    ) -> Posted | None:
        """Let the model answer as `ask` and `infer` do, for who has no task to wait in.

        Args:
            item: a request as it came, or tensors without a batch axis.
            on_outcome: called once, later.
            timeout_s: how long the caller waits, seconds; None: as configured.
            priority: higher goes first.

        Returns:
            What it can be cancelled by; None: it must be awaited.

        Raises:
            ServingError: why it was not taken.
        """
        key: Hashable
        if not isinstance(item, RawRequest):
            check_inputs(item, self.manifest.inputs)
            key = signature(item)
        elif self._crew.codec is None:
            key = item.verb
        else:
            return None
        timeout_s = timeout_s or self._config.default_timeout_s
        return self._reception.post(item, key, on_outcome, timeout_s, priority)

    def listen(self, on_batch: OnBatch | None) -> None:
        """Tell this one of each batch that a worker of now has answered; None: nobody any more."""
        self._dispatch.on_batch = on_batch

    def describe(self) -> ModelDescription:
        """Say how it is served, and how it fares."""
        return describe(self._model, self._config, self._crew.pool, self._queue)

    def statistics(self) -> EndpointStatistics:
        """What it has done since its start."""
        return self._metrics.statistics()

    def _workers_changed(self) -> None:
        self._metrics.restarted(self._crew.pool.restarts - self._restarts_seen)
        self._restarts_seen = self._crew.pool.restarts
        for worker in self._crew.pool.workers:
            if worker.is_usable and worker.number not in self._loaded:
                self._loaded.add(worker.number)
                self._metrics.loaded(worker.number, worker.load_s)
        if self._crew.pool.is_hopeful:
            self._queue.wake()
        else:
            self._queue.fail_waiting(self._crew.pool.unavailable())
