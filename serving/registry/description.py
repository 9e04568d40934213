"""An endpoint as TorchServe's management API describes it."""

from datetime import UTC, datetime

from serving.archive.stored import StoredModel
from serving.protocol.torchserve import JobQueueStatus, ModelDescription, WorkerDescription
from serving.registry.lanes import Queue
from serving.registry.pool import Pool
from serving.settings import ModelConfig, default_device
from serving.workers.process import Worker

__all__ = ("describe",)


def describe(model: StoredModel, config: ModelConfig, pool: Pool, queue: Queue) -> ModelDescription:
    """Say how a model is served, and how it fares."""
    limits, waiting = queue.limits, queue.waiting
    is_gpu = (config.device or default_device()) != "cpu" or bool(config.device_ids)
    return ModelDescription(
        model_name=model.manifest.name,
        model_version=model.manifest.version,
        model_url=model.url or model.folder.name,
        runtime="python",
        min_workers=pool.min_workers,
        max_workers=pool.max_workers,
        batch_size=config.batch_size or model.manifest.batch.batch_size,
        max_batch_delay=round(limits.delay_s * 1000),
        response_timeout=round(config.response_timeout_s),
        startup_timeout=round(config.startup_timeout_s),
        device_type="gpu" if is_gpu else "cpu",
        loaded_at_startup=True,
        workers=tuple(_describe_worker(worker, is_gpu=is_gpu) for worker in pool.workers),
        job_queue_status=JobQueueStatus(
            remaining_capacity=limits.queue_size - waiting, pending_requests=waiting
        ),
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
