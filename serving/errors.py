r"""What can go wrong between a request and its answer.

The tree, each with the stable ``code`` that travels over the wire::

    ServingError
    ├─ BadInput              bad_input
    │  └─ InputTooLarge      input_too_large
    ├─ Conflict              conflict             (it is there already)
    │  └─ VersionRolledBack  version_rolled_back  (it took itself back before)
    ├─ FetchFailed           fetch_failed         (an archive cannot be brought from its address)
    ├─ ModelNotFound         model_not_found
    │  ├─ ArchiveNotFound    archive_not_found
    │  ├─ ReleaseNotFound    release_not_found
    │  └─ VersionNotFound    version_not_found
    ├─ NotAllowed            not_allowed          (this server does not do that)
    ├─ RemovalTimedOut       removal_timed_out    (its workers did not end in time)
    ├─ Unauthorized          unauthorized         (no token, or not the right one)
    ├─ VersionInUse          version_in_use       (the default one cannot be removed)
    ├─ WorkflowNotFound      workflow_not_found
    ├─ WorkersNotStarted     workers_not_started  (no worker could load the model)
    ├─ InvalidModel          invalid_model        (manifest, handler or weights)
    │  └─ LoadOutOfMemory    load_out_of_memory
    ├─ ServerUnavailable     server_unavailable   (try again later)
    │  ├─ AuditUnavailable   audit_unavailable    (its entry must be written, and cannot be)
    │  ├─ Overloaded         queue_full
    │  │  └─ WouldBeLate     slo                  (by the model's limit of the latency)
    │  └─ NoWorker           no_worker
    ├─ DeadlineExceeded      deadline_exceeded
    └─ InferenceFailed       inference_failed
       ├─ NodeFailed         node_failed          (of a workflow, after all its attempts)
       ├─ OutOfMemory        out_of_memory
       └─ WorkerDied         worker_died
"""

from typing import ClassVar

__all__ = (
    "ArchiveNotFound",
    "AuditUnavailable",
    "BadInput",
    "Conflict",
    "DeadlineExceeded",
    "FetchFailed",
    "InferenceFailed",
    "InputTooLarge",
    "InvalidModel",
    "LoadOutOfMemory",
    "ModelNotFound",
    "NoWorker",
    "NodeFailed",
    "NotAllowed",
    "OutOfMemory",
    "Overloaded",
    "ReleaseNotFound",
    "RemovalTimedOut",
    "ServerUnavailable",
    "ServingError",
    "Unauthorized",
    "VersionInUse",
    "VersionNotFound",
    "VersionRolledBack",
    "WorkerDied",
    "WorkersNotStarted",
    "WorkflowNotFound",
    "WouldBeLate",
    "error_from_code",
    "reason_of",
)


class ServingError(Exception):
    """Anything a caller can be told about: a stable code and one plain sentence."""

    code: ClassVar[str] = "serving_error"

    @property
    def message(self) -> str:
        """The sentence for the caller."""
        return str(self)


class BadInput(ServingError):
    """The request is not what the protocol or the model takes; repeating it is of no use."""

    code = "bad_input"


class InputTooLarge(BadInput):
    """The request has more bytes than the server accepts."""

    code = "input_too_large"


class ModelNotFound(ServingError):
    """No such model, or no such version of it."""

    code = "model_not_found"


class ReleaseNotFound(ModelNotFound):
    """The model is not being released, or never was."""

    code = "release_not_found"


class VersionNotFound(ModelNotFound):
    """The model is there, but not in this version."""

    code = "version_not_found"


class ArchiveNotFound(ModelNotFound):
    """The store holds no archive of that name."""

    code = "archive_not_found"


class NotAllowed(ServingError):
    """The server does not do that, or was told not to."""

    code = "not_allowed"


class Unauthorized(ServingError):
    """The caller showed no token, or not the right one, or an old one."""

    code = "unauthorized"


class RemovalTimedOut(ServingError):
    """A model's workers did not end in time."""

    code = "removal_timed_out"


class WorkersNotStarted(ServingError):
    """A model is not served, because no worker could load it."""

    code = "workers_not_started"


class WorkflowNotFound(ServingError):
    """No such workflow."""

    code = "workflow_not_found"


class VersionInUse(ServingError):
    """The default version cannot be removed while the model has others."""

    code = "version_in_use"


class Conflict(ServingError):
    """What shall be added is there already."""

    code = "conflict"


class VersionRolledBack(Conflict):
    """A version took itself back before, and is not tried again unasked."""

    code = "version_rolled_back"


class FetchFailed(ServingError):
    """An archive cannot be brought from its address, or must not be."""

    code = "fetch_failed"


class InvalidModel(ServingError):
    """A model cannot be served: its manifest, its handler or its weights are at fault."""

    code = "invalid_model"


class LoadOutOfMemory(InvalidModel):
    """A model needs more memory to be loaded than a worker can get."""

    code = "load_out_of_memory"


class ServerUnavailable(ServingError):
    """The work was not begun and may be tried again.

    Attributes:
        retry_after_s: when to try again, seconds from now, > 0.
    """

    code = "server_unavailable"

    def __init__(self, message: str, retry_after_s: float = 1.0) -> None:
        super().__init__(message)
        self.retry_after_s = retry_after_s


class AuditUnavailable(ServerUnavailable):
    """A change must be written down first, and cannot be."""

    code = "audit_unavailable"


class Overloaded(ServerUnavailable):
    """The model's queue is full."""

    code = "queue_full"


class WouldBeLate(Overloaded):
    """The answer would come later than the model's limit of the latency allows."""

    code = "slo"


class NoWorker(ServerUnavailable):
    """No process holds the model just now."""

    code = "no_worker"


class DeadlineExceeded(ServingError):
    """The answer did not come within the caller's time."""

    code = "deadline_exceeded"


class InferenceFailed(ServingError):
    """The model's code failed on this item."""

    code = "inference_failed"


class NodeFailed(InferenceFailed):
    """A node of a workflow failed in each of its attempts."""

    code = "node_failed"


class OutOfMemory(InferenceFailed):
    """The item needs more memory than the worker can get."""

    code = "out_of_memory"


class WorkerDied(InferenceFailed):
    """The process that worked on this item ended before it answered."""

    code = "worker_died"


def error_from_code(code: str, message: str) -> ServingError:
    """Rebuild an error that came over a wire; an unknown code gives the root of the tree."""
    return _CLASSES.get(code, ServingError)(message)


def reason_of(error: Exception) -> str:
    """What went wrong, for who names the file himself: of the system's errors the words alone."""
    words = error.strerror if isinstance(error, OSError) else None
    return words or str(error)


def _with_subclasses(root: type[ServingError]) -> dict[str, type[ServingError]]:
    found = {root.code: root}
    for child in root.__subclasses__():
        found |= _with_subclasses(child)
    return found


_CLASSES = _with_subclasses(ServingError)
