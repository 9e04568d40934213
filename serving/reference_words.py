"""What TorchServe's log says of workers, beside what ours does: alarms look for its words."""

import logging
import time

__all__ = ("ReferenceWords",)

_FAILURE = (
    "Backend worker error\norg.pytorch.serve.wlm.WorkerInitializationException: Backend worker "
)
_LATE = _FAILURE + "did not respond in given time"
_FAILED = _FAILURE + "could not be started"


class ReferenceWords(logging.Filter):
    """Lets everything through that the pool of workers says, in the reference's words.

    Why a worker did not start is in the lines before, which it wrote itself.
    """

    def __init__(self) -> None:
        super().__init__()
        self._recovering: set[str] = set()

    def filter(self, record: logging.LogRecord) -> bool:
        """Say it as the reference does, or add what the reference says too."""
        text = record.getMessage()
        if record.levelno == logging.ERROR and (words := _start_failure(text)):
            record.msg, record.args = words, ()
        elif record.levelno == logging.WARNING and _is_about_worker(record):
            record.msg, record.args = "\n".join([text, *self._lost(text, record.args)]), ()
        elif text.endswith(" is ready") and _is_about_worker(record):
            record.msg, record.args = "\n".join([text, *self._found(record.args)]), ()
        return True

    def _lost(self, text: str, args: object) -> list[str]:
        """The lines about a worker that ended."""
        model, pid = _subject(args)
        lines = []
        if "gave no answer within" in text:
            # The worker was ended for it: it has no second one.
            lines = ["Number or consecutive unsuccessful inference 1", _LATE]
        again = model in self._recovering
        self._recovering.add(model)
        return [
            *lines,
            f"{pid} Worker disconnected. WORKER_MODEL_LOADED",
            "Auto recovery failed again"
            if again
            else f"Auto recovery start timestamp: {time.time_ns() // 1_000_000}",
            f"Retry worker: {pid}",
        ]

    def _found(self, args: object) -> list[str]:
        """The lines about a worker that has loaded the model."""
        model, _ = _subject(args)
        if model not in self._recovering:
            return []
        self._recovering.discard(model)
        return ["Auto recovery succeeded, reset recoveryStartTS"]


def _start_failure(text: str) -> str:
    """What the reference says of a worker that did not start; "": the text is not about that."""
    if "did not load within" in text:
        return _LATE
    return _FAILED if "cannot be loaded" in text else ""


def _is_about_worker(record: logging.LogRecord) -> bool:
    return ": worker %d " in str(record.msg)


def _subject(args: object) -> tuple[str, int]:
    """The model and the process that a record of the pool is about."""
    model, pid, *_ = args if isinstance(args, tuple) else ("", 0)
    return str(model), int(pid)
