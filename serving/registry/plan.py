"""From a model on disk and its configuration to its workers and its batches."""

import os
from typing import Any

import msgspec
from msgspec import structs

from serving.archive.manifest import Manifest
from serving.archive.stored import StoredModel
from serving.batching.pending import BatchLimits
from serving.batching.sequences import SequenceLimits
from serving.errors import Conflict, InvalidModel
from serving.handlers.handler import HandlerContext
from serving.hardware import count_gpus, default_device, usable_cores
from serving.model_config import ModelConfig
from serving.workers.launch import WorkerSpec
from serving.workers.messages import Load
from serving.workers.pool_spec import PoolSpec

__all__ = (
    "batch_limits",
    "codec_spec",
    "pool_spec",
    "rebatched",
    "sequence_limits",
    "slots_of",
)

_OUR_HANDLERS = "serving."
"""Where the handlers of archives come from; what they run expects to be at home in the archive."""

_MIB = 1 << 20


def batch_limits(manifest: Manifest, config: ModelConfig) -> BatchLimits:
    """How the model's requests are batched; the configuration has the last word."""
    delay_ms = config.max_batch_delay_ms
    if delay_ms is None:
        delay_ms = manifest.batch.max_batch_delay_ms
    return BatchLimits(
        # With continuous batching each request is a batch of its own, and joins others later.
        size=1 if config.continuous_batching else _batch_size(manifest, config),
        delay_s=delay_ms / 1000,
        queue_size=config.queue_size,
        preferred_sizes=config.preferred_batch_sizes,
        wait=config.batch_wait,
        needs_idle=config.use_job_ticket,
        slo_s=None if config.slo_p99_ms is None else config.slo_p99_ms / 1000,
    )


def rebatched(
    model: StoredModel, config: ModelConfig, batch_size: int | None, delay_ms: float | None
) -> ModelConfig:
    """The same configuration with other batches, for workers that are there.

    Args:
        model: whose.
        config: how it is served.
        batch_size: most items of a batch, >= 1; None: as before.
        delay_ms: longest wait for company, milliseconds, >= 0; None: as before.

    Raises:
        Conflict: when the workers were told the size at their start, and go by it.
    """
    manifest = model.manifest
    if batch_size is not None and batch_size != _batch_size(manifest, config):
        is_told = manifest.handler.startswith(_OUR_HANDLERS) and "backend" not in model.options
        if is_told or config.continuous_batching:
            msg = f"the workers of {manifest.name} go by the batch size that they were started "
            msg += "with: take it out and register it anew"
            raise Conflict(msg)
        config = structs.replace(config, batch_size=batch_size)
    return config if delay_ms is None else structs.replace(config, max_batch_delay_ms=delay_ms)


def sequence_limits(config: ModelConfig) -> SequenceLimits:
    """What the model's sequences keep to."""
    return SequenceLimits(
        most=config.max_sequences,
        queue_size=config.sequence_queue_size,
        max_idle_s=config.sequence_max_idle_s,
        timeout_s=config.sequence_timeout_s,
    )


def slots_of(manifest: Manifest, config: ModelConfig) -> int:
    """How many batches a worker may have under way."""
    if not config.continuous_batching:
        return config.batches_at_once
    # As in the reference: there must be room for a request that ends what another one goes on with.
    return _batch_size(manifest, config) * (2 if config.sequence_batching else 1)


def pool_spec(model: StoredModel, config: ModelConfig) -> PoolSpec:
    """Which processes the model gets."""
    manifest = model.manifest
    batch_size = _batch_size(manifest, config)
    return PoolSpec(
        model=f"{manifest.name} version {manifest.version}",
        worker=_worker_spec(model, config, batch_size),
        min_workers=config.min_workers,
        max_workers=max(config.max_workers or 0, config.min_workers),
        startup_timeout_s=config.startup_timeout_s,
        response_timeout_s=config.response_timeout_s,
        max_retry_timeout_s=config.max_retry_timeout_s,
        slots=slots_of(manifest, config),
        device_ids=config.device_ids or _all_gpus(config),
        pin_cores=config.pin_cores and hasattr(os, "sched_setaffinity"),
    )


def codec_spec(model: StoredModel, config: ModelConfig) -> PoolSpec | None:
    """Which processes decode and encode for the model; None: its workers do."""
    if not config.decode_workers:
        return None
    spec = pool_spec(model, config)
    context = structs.replace(spec.worker.load.context, threads=1, device="cpu", gpu_id=None)
    load = structs.replace(
        spec.worker.load, context=context, trial=(), is_codec=True, is_concurrent=False, processes=1
    )
    return structs.replace(
        spec,
        model=f"{spec.model}, codec",
        worker=structs.replace(spec.worker, load=load),
        min_workers=config.decode_workers,
        max_workers=config.decode_workers,
        device_ids=(),
        pin_cores=False,
        slots=1,
    )


def _worker_spec(model: StoredModel, config: ModelConfig, batch_size: int) -> WorkerSpec:
    manifest = model.manifest
    several = config.continuous_batching or config.batches_at_once > 1
    if config.processes > 1 and several:
        # Each process would go on to the next batch at a moment of its own.
        msg = f"{manifest.name}: several batches at a time need processes = 1"
        raise InvalidModel(msg)
    load = Load(
        handler=manifest.handler,
        context=_context(model, config, batch_size),
        trial=manifest.inputs,
        is_continuous=config.continuous_batching,
        is_concurrent=config.batches_at_once > 1,
        processes=config.processes,
        takes_batches=config.parallel != "pp",
    )
    limit = config.memory_limit_mb
    return WorkerSpec(
        load=load,
        python=config.python or (str(model.python) if model.python else None),
        is_at_home=manifest.handler.startswith(_OUR_HANDLERS),
        environment_allow=config.environment_allow,
        environment_deny=config.environment_deny,
        memory_limit=limit * _MIB if limit else None,
    )


def _context(model: StoredModel, config: ModelConfig, batch_size: int) -> HandlerContext:
    device = config.device or default_device()
    processes = max(config.max_workers or 0, config.min_workers, 1) * config.processes
    return HandlerContext(
        model_dir=str(model.folder.resolve()),
        device=device,
        # More threads than cores make OpenMP's threads spin against one another.
        threads=config.threads or max(usable_cores() // processes, 1),
        model_name=model.manifest.name,
        model_version=model.manifest.version,
        batch_size=batch_size,
        precision=_own_precision(model, config),
        gpu_id=None if device == "cpu" else int(device.partition(":")[2]),
        options=_options(model, config),
    )


def _options(model: StoredModel, config: ModelConfig) -> dict[str, Any]:
    """What the handler is told; of a model without one of its own, the precision too."""
    options: dict[str, Any] = msgspec.to_builtins(dict(model.options))
    if config.precision is None or "backend" not in options:
        return options
    return {**options, "backend": {**options["backend"], "precision": config.precision}}


def _own_precision(model: StoredModel, config: ModelConfig) -> str:
    """What a handler of the model's own is asked for; "": it chooses."""
    if config.precision is None or "backend" in model.options:
        return ""
    manifest = model.manifest
    if config.precision not in manifest.precisions:
        known = ", ".join(manifest.precisions) or "none"
        msg = f"{manifest.name} has a handler of its own, which offers no {config.precision} "
        msg += f"(precisions in its manifest: {known})"
        raise InvalidModel(msg)
    return config.precision


def _all_gpus(config: ModelConfig) -> tuple[int, ...]:
    """Where nobody says which, workers take all GPUs in turn."""
    return tuple(range(count_gpus())) if config.device is None else ()


def _batch_size(manifest: Manifest, config: ModelConfig) -> int:
    return config.batch_size or manifest.batch.batch_size
