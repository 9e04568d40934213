"""The JSON of TorchServe's REST API, as far as it is true of this server.

Names and meanings are the reference's (TorchServe 0.12, management API): its clients read them.
"""

from collections.abc import Sequence
from typing import Any

import msgspec

__all__ = (
    "ErrorBody",
    "JobQueueStatus",
    "ModelDescription",
    "ModelList",
    "ModelListItem",
    "StatusBody",
    "WorkerDescription",
    "encode_pretty",
    "page_of_models",
)

_PAGE = 100
"""Models on a page where the client asks for none, or for more."""


_UNITS = {
    "max_retry_timeout": "maxRetryTimeoutInSec",
    "client_timeout": "clientTimeoutInMills",
    "sequence_max_idle": "sequenceMaxIdleMSec",
    "sequence_timeout": "sequenceTimeoutMSec",
}
"""Names that no rule gives."""


def _reference_name(field: str) -> str:
    head, *words = field.split("_")
    return _UNITS.get(field) or head + "".join(word.capitalize() for word in words)


class ErrorBody(msgspec.Struct, frozen=True, kw_only=True):
    """What every refused request gets.

    Attributes:
        code: the HTTP status.
        type: the reference's name of the error.
        message: one sentence.
    """

    code: int
    type: str
    message: str


class StatusBody(msgspec.Struct, frozen=True, kw_only=True):
    """What was done, or how the server is: one sentence or word."""

    status: str


class ModelListItem(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """One model in `GET /models`.

    Attributes:
        model_name: as in the URL.
        model_url: its folder's name in the repository.
    """

    model_name: str
    model_url: str


class ModelList(msgspec.Struct, frozen=True, kw_only=True, rename="camel", omit_defaults=True):
    """What `GET /models` answers.

    Attributes:
        models: sorted by name.
        next_page_token: where the next page begins; absent on the last one.
    """

    models: tuple[ModelListItem, ...]
    next_page_token: str | None = None


class WorkerDescription(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """One process that holds the model.

    Attributes:
        id: unique among the model's workers since the start.
        start_time: UTC, ISO 8601.
        status: "READY" or "UNLOADING" (that is: not ready), the reference's two words.
        memory_usage: resident bytes.
        pid: of the process.
        gpu: whether it works on a GPU.
        gpu_usage: "N/A": not measured.
    """

    id: str
    start_time: str
    status: str
    memory_usage: int
    pid: int
    gpu: bool
    gpu_usage: str = "N/A"


class JobQueueStatus(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """How full a model's queue is, in requests."""

    remaining_capacity: int
    pending_requests: int


class ModelDescription(msgspec.Struct, frozen=True, kw_only=True, rename=_reference_name):
    """One version in `GET /models/{name}`.

    Attributes:
        model_name: as in the URL.
        model_version: as in the URL.
        model_url: what it was registered by, or its folder's name.
        runtime: "python".
        min_workers: processes that are kept.
        max_workers: processes that may be added under load.
        batch_size: most items of a batch.
        max_batch_delay: longest wait for company, milliseconds.
        response_timeout: longest inference of a batch, seconds.
        startup_timeout: longest loading of a worker, seconds.
        max_retry_timeout: how long a worker that cannot be started is tried again, seconds.
        client_timeout: longest wait of a request that names none, milliseconds.
        parallel_type: "": one worker holds the whole model.
        parallel_level: processes that share one copy; 0: none do.
        device_type: "cpu" or "gpu".
        device_ids: of the GPUs that workers take in turn; unset: all.
        continuous_batching: whether requests join a batch that is under way.
        slo_p99_ms: that the server keeps by itself, milliseconds; unset: none.
        use_job_ticket: whether requests that would have to wait are refused.
        use_venv: whether the model has packages of its own.
        stateful: whether the requests of one sequence go to one worker.
        sequence_max_idle: a sequence ends when nothing comes for so long, milliseconds.
        sequence_timeout: longest wait for the next request of a sequence, milliseconds.
        max_num_sequence: most sequences at a time.
        max_sequence_job_queue_size: most requests of one sequence that wait.
        loaded_at_startup: whether it is served since the server's start.
        workers: the processes.
        job_queue_status: how full the queue is.
        customized_metadata: what the handler says of itself; unset: it was not asked.
    """

    model_name: str
    model_version: str
    model_url: str
    runtime: str
    min_workers: int
    max_workers: int
    batch_size: int
    max_batch_delay: int
    response_timeout: int
    startup_timeout: int
    max_retry_timeout: int = 300
    client_timeout: int = 0
    parallel_type: str = ""
    parallel_level: int = 0
    device_type: str
    device_ids: tuple[int, ...] | msgspec.UnsetType = msgspec.UNSET
    continuous_batching: bool = False
    slo_p99_ms: float | msgspec.UnsetType = msgspec.UNSET
    use_job_ticket: bool = False
    use_venv: bool = False
    stateful: bool = False
    sequence_max_idle: int = 0
    sequence_timeout: int = 0
    max_num_sequence: int = 1
    max_sequence_job_queue_size: int = 1
    loaded_at_startup: bool
    workers: tuple[WorkerDescription, ...]
    job_queue_status: JobQueueStatus
    customized_metadata: Any | msgspec.UnsetType = msgspec.UNSET


def page_of_models(
    models: Sequence[ModelListItem], limit: int, start: int, *, is_reference: bool = False
) -> ModelList:
    """Cut a page of `limit` models from index `start` on; a limit outside 0..100 means 100.

    The reference names a next page also when the last one is full; here only when there is one.
    """
    size = limit if 0 <= limit <= _PAGE else _PAGE
    first = max(start, 0)
    end = first + size
    has_next = end <= len(models) if is_reference else end < len(models)
    return ModelList(
        models=tuple(sorted(models, key=lambda model: model.model_name)[first:end]),
        next_page_token=str(end) if has_next else None,
    )


def encode_pretty(value: msgspec.Struct | list[Any] | dict[str, Any]) -> bytes:
    """Write JSON as the reference does: two spaces of indent, a newline at the end."""
    return msgspec.json.format(msgspec.json.encode(value), indent=2) + b"\n"
