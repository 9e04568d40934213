"""An endpoint as TorchServe's management API describes it."""

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

import msgspec

from serving.archive.stored import StoredModel
from serving.hardware import default_device
from serving.model_config import ModelConfig
from serving.protocol.torchserve import JobQueueStatus, ModelDescription, WorkerDescription
from serving.registry.lanes import Queue
from serving.registry.pool import Pool
from serving.workers.process import Worker

__all__ = ("describe",)

_FOR_EVER = 2**31 - 1
"""What stands for "without end" where the reference has a number of 32 bits."""


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
        max_retry_timeout=_whole(config.max_retry_timeout_s, 1, _FOR_EVER),
        client_timeout=_whole(config.default_timeout_s, 1000, 0),
        parallel_type=config.parallel if config.processes > 1 else "",
        parallel_level=config.processes if config.processes > 1 else 0,
        device_type="gpu" if is_gpu else "cpu",
        device_ids=config.device_ids or msgspec.UNSET,
        continuous_batching=config.continuous_batching,
        slo_p99_ms=msgspec.UNSET if config.slo_p99_ms is None else config.slo_p99_ms,
        use_job_ticket=config.use_job_ticket,
        use_venv=model.python is not None,
        **_describe_sequences(config),
        loaded_at_startup=True,
        workers=tuple(_describe_worker(worker, is_gpu=is_gpu) for worker in pool.workers),
        job_queue_status=JobQueueStatus(
            remaining_capacity=limits.queue_size - waiting, pending_requests=waiting
        ),
    )


def _describe_sequences(config: ModelConfig) -> Mapping[str, Any]:
    """What sequences keep to; nothing where there are none."""
    if not config.sequence_batching:
        return {}
    return {
        "stateful": True,
        "sequence_max_idle": _whole(config.sequence_max_idle_s, 1000, 0),
        "sequence_timeout": _whole(config.sequence_timeout_s, 1000, 0),
        "max_num_sequence": config.max_sequences,
        "max_sequence_job_queue_size": config.sequence_queue_size,
    }


def _whole(seconds: float | None, unit: int, without: int) -> int:
    """A time in units of 1/unit s; `without` where there is no limit."""
    return without if seconds is None else round(seconds * unit)


def _describe_worker(worker: Worker, *, is_gpu: bool) -> WorkerDescription:
    return WorkerDescription(
        id=str(worker.number),
        start_time=datetime.fromtimestamp(worker.started_at, UTC).isoformat(timespec="seconds"),
        status="READY" if worker.is_usable else "UNLOADING",
        memory_usage=worker.resident_bytes(),
        pid=worker.pid,
        gpu=is_gpu,
    )
