"""ModelConfig: how one model is served."""

from typing import Annotated, Literal

import msgspec

__all__ = ("BatchWait", "ModelConfig")

_Count = Annotated[int, msgspec.Meta(ge=1)]
_Seconds = Annotated[float, msgspec.Meta(gt=0)]

BatchWait = Literal["expected", "never", "always"]
"""When a batch that is not full waits though a worker is idle."""


class ModelConfig(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """How one model is served; what is None is taken from its manifest, or from the machine.

    Attributes:
        min_workers: processes that hold the model; 0: none until it is scaled.
        max_workers: processes that may be added while requests wait; None: none beyond the minimum.
        scale_up_ms: how long a request waits before a worker is added for it, milliseconds.
        batch_size: most items of a batch; None: the manifest's.
        preferred_batch_sizes: a batch that need not leave whole is cut to the largest that fits.
        max_batch_delay_ms: longest wait for company, milliseconds; None: the manifest's.
        batch_wait: whether to wait while a worker is idle: "expected": for clients who were just
            answered and may come back; "never"; "always", as TorchServe does.
        queue_size: most requests that wait; more are refused.
        slo_p99_ms: from arrival to answer, which 99 of 100 answers shall keep, milliseconds: the
            server then chooses size and delay of batches, up to those above, and refuses what would
            be late (docs/self-tuning.md); None: it does not.
        use_job_ticket: whether requests that would have to wait are refused.
        default_timeout_s: for a request that names no time of its own, seconds.
        response_timeout_s: longest work on one batch, then the worker is replaced, seconds.
        startup_timeout_s: longest loading, seconds.
        max_retry_timeout_s: how long a worker that cannot be started is tried again, seconds;
            None: for ever.
        threads: CPU threads for each worker; None: the cores shared out among the workers.
        pin_cores: whether each worker stays on cores of its own, as many as `threads`.
        device: "cpu" or "cuda:N"; None: all GPUs in turn where there are any that can be used.
        precision: of the network; with a handler of its own one of the manifest's `precisions`;
            None: the model's own.
        device_ids: indices of the GPUs that the workers take in turn; empty: that of `device`.
        processes: of one worker, which hold the model together as torchrun's do; the first answers.
        parallel: how they share the work: each gets every batch ("tp", "pptp"), or the first alone
            does and asks the others ("pp").
        memory_limit_mb: resident memory of a worker, MiB; above it the worker is replaced. Of one
            with several processes it is that of the first.
        decode_workers: processes of their own that decode bodies and encode answers; 0: the
            workers do.
        python: interpreter of the workers; None: the server's.
        environment_allow: patterns (`*`, `?`) of the variables that workers get; None: all.
        environment_deny: regular expression of the names that they do not get.
        continuous_batching: whether requests join a batch that is under way.
        batches_at_once: that a worker has under way, for handlers that are coroutines: they wait
            for others while the next batch begins.
        sequence_batching: whether the requests of one sequence go to one worker, in order.
        sequence_max_idle_s: a sequence ends when nothing comes for so long, seconds; None: never.
        sequence_timeout_s: longest life of a sequence, seconds; None: no limit.
        max_sequences: most sequences at a time, over all workers.
        sequence_queue_size: most requests of one sequence that wait.
        use_venv: whether the archive's requirements are installed in an environment of its own.
    """

    min_workers: Annotated[int, msgspec.Meta(ge=0)] = 1
    max_workers: Annotated[int, msgspec.Meta(ge=0)] | None = None
    scale_up_ms: Annotated[float, msgspec.Meta(ge=0)] = 100.0
    batch_size: _Count | None = None
    preferred_batch_sizes: tuple[_Count, ...] = ()
    max_batch_delay_ms: Annotated[float, msgspec.Meta(ge=0)] | None = None
    batch_wait: BatchWait = "expected"
    queue_size: _Count = 100
    slo_p99_ms: Annotated[float, msgspec.Meta(ge=0.1, le=3_600_000)] | None = None
    use_job_ticket: bool = False
    default_timeout_s: _Seconds = 60.0
    response_timeout_s: _Seconds = 120.0
    startup_timeout_s: _Seconds = 120.0
    max_retry_timeout_s: Annotated[float, msgspec.Meta(ge=0)] | None = None
    threads: _Count | None = None
    pin_cores: bool = False
    device: Annotated[str, msgspec.Meta(pattern=r"^(cpu|cuda:\d+)$")] | None = None
    precision: Literal["fp32", "fp16", "bf16", "int8"] | None = None
    device_ids: tuple[Annotated[int, msgspec.Meta(ge=0)], ...] = ()
    processes: _Count = 1
    parallel: Literal["tp", "pp", "pptp"] = "tp"
    memory_limit_mb: _Count | None = None
    decode_workers: Annotated[int, msgspec.Meta(ge=0)] = 0
    python: str | None = None
    environment_allow: tuple[str, ...] | None = None
    environment_deny: str = ""
    continuous_batching: bool = False
    batches_at_once: _Count = 1
    sequence_batching: bool = False
    sequence_max_idle_s: _Seconds | None = 30.0
    sequence_timeout_s: _Seconds | None = None
    max_sequences: _Count = 64
    sequence_queue_size: _Count = 16
    use_venv: bool = False
