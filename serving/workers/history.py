"""History: what became of a pool's workers so far, and what that means for whoever asks."""

import time

from serving.errors import InvalidModel, NoWorker

__all__ = ("History",)


class History:
    """The starts of a pool's workers.

    Attributes:
        was_ready: whether one has ever held the model.
        problem: why the last start failed; None: it did not.
        failed_starts: how many did.
        restarts: how many followed the end of another worker.
        grown_at: when the last one came, monotonic seconds.
        sleeping: places that wait before the next start.
    """

    def __init__(self) -> None:
        self.was_ready = False
        self.problem: InvalidModel | None = None
        self.failed_starts = 0
        self.restarts = 0
        self.grown_at = 0.0
        self.sleeping = 0
        self._resumes_at = 0.0

    def note_failure(self, problem: InvalidModel) -> None:
        """A worker could not be started."""
        self.problem = problem
        self.failed_starts += 1

    def note_worker(self) -> None:
        """A worker holds the model."""
        self.problem = None
        self.was_ready = True
        self.grown_at = time.monotonic()

    def note_sleep(self, seconds: float) -> None:
        """A place waits for so long; `sleeping` is less by one when it has."""
        self.sleeping += 1
        self._resumes_at = time.monotonic() + seconds

    def unavailable(self, model: str, min_workers: int) -> NoWorker:
        """The error for a request that nobody can work on."""
        wait_s = max(self._resumes_at - time.monotonic(), 1.0)
        if self.problem is not None:
            why = str(self.problem)
        elif self.was_ready and min_workers:
            why = "its last one died and is being replaced"
        else:
            why = "it is not loaded yet" if min_workers else "it was given none"
        return NoWorker(f"{model} has no worker: {why}", wait_s)
