"""Endpoint: one version of a model being served, with its queue and its workers."""

import asyncio
import time
from collections.abc import Hashable, Sequence
from datetime import UTC, datetime
from typing import TypeVar, cast

from serving.archive.inputs import check_inputs
from serving.archive.manifest import Manifest, check_files
from serving.batching.batch import signature
from serving.batching.batcher import Batcher
from serving.batching.pending import BatchLimits
from serving.errors import ServingError
from serving.handlers.handler import HandlerContext
from serving.observe.metrics import EndpointMetrics
from serving.protocol.tensors import Tensors
from serving.protocol.torchserve import JobQueueStatus, ModelDescription, WorkerDescription
from serving.registry.repository import StoredModel
from serving.settings import ModelConfig, default_device, usable_cores
from serving.workers.messages import Item, Load, Outcome
from serving.workers.pool import PoolSpec, WorkerPool
from serving.workers.process import Worker

__all__ = ("Endpoint", "ItemT")

ItemT = TypeVar("ItemT", bytes, Tensors)
"""A raw body for the handler to decode, answered with JSON; or tensors, answered with tensors."""


class Endpoint:
    """One version of a model being served.

    Args:
        model: where it is and what it says of itself.
        config: how it is served.
        metrics: told of everything that happens.
    """

    def __init__(self, model: StoredModel, config: ModelConfig, metrics: EndpointMetrics) -> None:
        self._model = model
        self._config = config
        self._metrics = metrics
        self._in_flight = 0
        self._restarts_seen = 0
        self._pool_spec = _pool_spec(model, config)
        self._limits = _batch_limits(model.manifest, config)
        self._pool = WorkerPool(self._pool_spec, self._workers_changed)
        self._batcher: Batcher[Item, Item] = Batcher(
            self._run, lambda: self._pool.ready, self._limits, metrics
        )
        metrics.watch(
            in_flight=lambda: self._in_flight,
            waiting=lambda: self._batcher.waiting,
            workers=lambda: self._pool.ready,
        )

    @property
    def manifest(self) -> Manifest:
        """What the model says of itself."""
        return self._model.manifest

    @property
    def is_ready(self) -> bool:
        """Whether a worker holds the model."""
        return self._pool.ready > 0

    async def start(self) -> None:
        """Check the files, start the workers; the model is ready when this returns.

        Raises:
            InvalidModel: when a file is not what the manifest says, or the model cannot be loaded.
        """
        await asyncio.to_thread(check_files, self._model.manifest, self._model.folder)
        await self._pool.start()

    async def stop(self, grace_s: float) -> None:
        """Take nothing more; give what runs `grace_s` seconds; end the workers."""
        await self._batcher.stop(grace_s)
        await self._pool.stop(grace_s=0.5)

    async def infer(self, item: ItemT, timeout_s: float | None = None) -> ItemT:
        """Run the model on one item.

        Args:
            item: a raw body for the handler to decode, answered with JSON; or tensors without a
                batch axis, answered with tensors.
            timeout_s: how long the caller waits, seconds; None: as configured.

        Raises:
            ServingError: why there is no answer.
        """
        started = time.monotonic()
        result = "cancelled"
        self._in_flight += 1
        try:
            answer = await self._submit(item, started + (timeout_s or self._timeout_s))
            result = "ok"
        except ServingError as error:
            result = error.code
            raise
        finally:
            self._in_flight -= 1
            self._metrics.answered(time.monotonic() - started, result)
        # Workers answer each kind with its own (`serving.workers.worker.answer_batch`).
        return cast(ItemT, answer)

    def describe(self) -> ModelDescription:
        """Say how it is served, and how it fares."""
        spec, limits = self._pool_spec, self._limits
        is_gpu = spec.load.context.device != "cpu"
        waiting = self._batcher.waiting
        return ModelDescription(
            model_name=self.manifest.name,
            model_version=self.manifest.version,
            model_url=self._model.folder.name,
            runtime="python",
            min_workers=spec.min_workers,
            max_workers=spec.max_workers,
            batch_size=limits.size,
            max_batch_delay=round(limits.delay_s * 1000),
            response_timeout=round(spec.response_timeout_s),
            startup_timeout=round(spec.startup_timeout_s),
            device_type="gpu" if is_gpu else "cpu",
            loaded_at_startup=True,
            workers=tuple(_describe_worker(w, is_gpu=is_gpu) for w in self._pool.workers),
            job_queue_status=JobQueueStatus(
                remaining_capacity=limits.queue_size - waiting, pending_requests=waiting
            ),
        )

    @property
    def _timeout_s(self) -> float:
        return self._config.default_timeout_s

    async def _submit(self, item: Item, deadline: float) -> Item:
        key: Hashable = None
        if not isinstance(item, bytes):
            check_inputs(item, self.manifest.inputs)
            key = signature(item)
        if not self._pool.is_hopeful:
            raise self._pool.unavailable()
        if self._batcher.running >= self._pool.ready:
            self._pool.grow()
        return await self._batcher.submit(item, key, deadline)

    async def _run(self, items: Sequence[Item]) -> Sequence[Outcome]:
        if self._batcher.waiting:
            self._pool.grow()
        answer = await self._pool.run(items)
        self._metrics.inferred(answer.seconds)
        return answer.outcomes

    def _workers_changed(self) -> None:
        self._metrics.restarted(self._pool.restarts - self._restarts_seen)
        self._restarts_seen = self._pool.restarts
        if self._pool.is_hopeful:
            self._batcher.wake()
        else:
            self._batcher.fail_waiting(self._pool.unavailable())


def _pool_spec(model: StoredModel, config: ModelConfig) -> PoolSpec:
    manifest = model.manifest
    max_workers = max(config.max_workers or 0, config.min_workers)
    context = HandlerContext(
        model_dir=str(model.folder),
        device=config.device or default_device(),
        # More threads than cores make OpenMP's threads spin against one another.
        threads=config.threads or max(usable_cores() // max_workers, 1),
    )
    return PoolSpec(
        model=f"{manifest.name} version {manifest.version}",
        load=Load(handler=manifest.handler, context=context, trial=manifest.inputs),
        min_workers=config.min_workers,
        max_workers=max_workers,
        startup_timeout_s=config.startup_timeout_s,
        response_timeout_s=config.response_timeout_s,
    )


def _batch_limits(manifest: Manifest, config: ModelConfig) -> BatchLimits:
    delay_ms = config.max_batch_delay_ms
    if delay_ms is None:
        delay_ms = manifest.batch.max_batch_delay_ms
    return BatchLimits(
        size=config.batch_size or manifest.batch.batch_size,
        delay_s=delay_ms / 1000,
        queue_size=config.queue_size,
    )


def _describe_worker(worker: Worker, *, is_gpu: bool) -> WorkerDescription:
    return WorkerDescription(
        id=str(worker.number),
        start_time=datetime.fromtimestamp(worker.started_at, UTC).isoformat(timespec="seconds"),
        status="READY" if worker.is_usable else "UNLOADING",
        memory_usage=worker.resident_bytes(),
        pid=worker.pid,
        gpu=is_gpu,
    )
