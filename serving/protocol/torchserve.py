"""The JSON of TorchServe's REST API, as far as it is true of this server.

Names and meanings are the reference's (TorchServe 0.12, management API): its clients read them.
"""

from collections.abc import Sequence

import msgspec

__all__ = (
    "ErrorBody",
    "JobQueueStatus",
    "ModelDescription",
    "ModelList",
    "ModelListItem",
    "WorkerDescription",
    "encode_pretty",
    "page_of_models",
)

_PAGE = 100
"""Models on a page where the client asks for none, or for more."""


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


class ModelDescription(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """One version in `GET /models/{name}`.

    Attributes:
        model_name: as in the URL.
        model_version: as in the URL.
        model_url: its folder's name in the repository.
        runtime: "python".
        min_workers: processes that are kept.
        max_workers: processes that may be added under load.
        batch_size: most items of a batch.
        max_batch_delay: longest wait for company, milliseconds.
        response_timeout: longest inference of a batch, seconds.
        startup_timeout: longest loading of a worker, seconds.
        device_type: "cpu" or "gpu".
        loaded_at_startup: true: models are loaded when the server starts.
        workers: the processes.
        job_queue_status: how full the queue is.
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
    device_type: str
    loaded_at_startup: bool
    workers: tuple[WorkerDescription, ...]
    job_queue_status: JobQueueStatus


def page_of_models(models: Sequence[ModelListItem], limit: int, start: int) -> ModelList:
    """Cut a page of `limit` models from index `start` on; a limit outside 0..100 means 100."""
    size = limit if 0 <= limit <= _PAGE else _PAGE
    first = max(start, 0)
    end = first + size
    return ModelList(
        models=tuple(sorted(models, key=lambda model: model.model_name)[first:end]),
        next_page_token=str(end) if end < len(models) else None,
    )


def encode_pretty(value: msgspec.Struct | list[ModelDescription]) -> bytes:
    """Write JSON as the reference does: two spaces of indent, a newline at the end."""
    return msgspec.json.format(msgspec.json.encode(value), indent=2) + b"\n"
