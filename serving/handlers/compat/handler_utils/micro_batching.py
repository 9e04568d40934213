"""MicroBatching: a batch in small pieces, so that its steps overlap."""

import queue
import threading
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

__all__ = ("HANDLER_METHODS", "MicroBatching")

HANDLER_METHODS = ["preprocess", "inference", "postprocess"]

_End = None


@dataclass(eq=False)
class _Piece:
    """One small batch on its way through the steps."""

    index: int
    data: Any
    error: BaseException | None = None


@dataclass(eq=False)
class _Step:
    """One step: its queue, and the threads that take from it."""

    name: str
    waiting: "queue.SimpleQueue[_Piece | None]" = field(default_factory=queue.SimpleQueue)
    threads: list[threading.Thread] = field(default_factory=list)


class MicroBatching:
    """Runs a handler's steps on pieces of a batch, each step in threads of its own.

    Assign it to the handler's `handle`: `handler.handle = MicroBatching(handler, 2)`.

    Args:
        parent_handler: has `preprocess`, `inference` and `postprocess`.
        micro_batch_size: items of a piece, >= 1.
        parallelism: step to its number of threads; 1 where nothing is said.
    """

    def __init__(
        self,
        parent_handler: Any,
        micro_batch_size: int = 1,
        parallelism: Mapping[str, int] | None = None,
    ) -> None:
        self.handler = parent_handler
        self.micro_batch_size = micro_batch_size
        self.thread_local_data = threading.local()
        self._parallelism: dict[str, int] = {}
        self._steps = [_Step(name) for name in HANDLER_METHODS]
        self._done: queue.SimpleQueue[_Piece | None] = queue.SimpleQueue()
        self.parallelism = dict(parallelism or {})

    @property
    def parallelism(self) -> dict[str, int]:
        """Step to its number of threads; assigning starts and ends threads."""
        return dict(self._parallelism)

    @parallelism.setter
    def parallelism(self, parallelism: Mapping[str, int]) -> None:
        unknown = set(parallelism) - set(HANDLER_METHODS)
        if unknown or any(count < 1 for count in parallelism.values()):
            msg = f"parallelism takes numbers of at least 1 for {HANDLER_METHODS}"
            raise ValueError(msg)
        self._parallelism.update(parallelism)
        for position, step in enumerate(self._steps):
            self._resize(position, step, self._parallelism.get(step.name, 1))

    def shutdown(self) -> None:
        """End all threads."""
        for position, step in enumerate(self._steps):
            self._resize(position, step, 0)

    def get_micro_batch_idx(self) -> int | None:
        """Tell which piece the calling step works on."""
        return getattr(self.thread_local_data, "micro_batch_idx", None)

    def handle(self, data: Sequence[Any]) -> list[Any]:
        """Send a batch through the steps; the first error of a piece is raised."""
        size = self.micro_batch_size
        pieces = [_Piece(i, data[at : at + size]) for i, at in enumerate(range(0, len(data), size))]
        for piece in pieces:
            self._steps[0].waiting.put(piece)
        for _ in pieces:
            self._done.get()
        for piece in pieces:
            if piece.error is not None:
                raise piece.error
        return [item for piece in pieces for item in piece.data]

    def __call__(self, data: Any, context: Any) -> Any:
        """Handle a batch, as the handler's own `handle` would."""
        started = time.perf_counter()
        handler = self.handler
        handler.context = context
        if handler._is_describe():
            output = [handler.describe_handle()]
        elif handler._is_explain():
            output = handler.explain_handle(handler.preprocess(data), data)
        else:
            output = self.handle(data)
        elapsed_ms = round((time.perf_counter() - started) * 1000, 2)
        context.metrics.add_time("HandlerTime", elapsed_ms, None, "ms")
        return output

    def _resize(self, position: int, step: _Step, count: int) -> None:
        following = self._steps[position + 1 :]
        target = following[0].waiting if following else self._done
        while len(step.threads) < count:
            thread = threading.Thread(target=self._work, args=(step, target), daemon=True)
            step.threads.append(thread)
            thread.start()
        leaving = len(step.threads) - count
        for _ in range(leaving):
            step.waiting.put(_End)
        if leaving > 0:
            # Whichever threads take the ends; those that stay are alive.
            while sum(thread.is_alive() for thread in step.threads) > count:
                time.sleep(0.001)
            step.threads = [thread for thread in step.threads if thread.is_alive()]

    def _work(self, step: _Step, target: "queue.SimpleQueue[_Piece | None]") -> None:
        while (piece := step.waiting.get()) is not _End:
            if piece.error is None:
                self.thread_local_data.micro_batch_idx = piece.index
                try:
                    piece.data = getattr(self.handler, step.name)(piece.data)
                except BaseException as error:
                    piece.error = error
            target.put(piece)
