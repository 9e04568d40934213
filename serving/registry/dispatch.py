"""Dispatch: from the queue of a model version to its workers, batch by batch."""

import time
from collections.abc import Callable, Sequence
from functools import partial

from serving.archive.manifest import Manifest
from serving.batching.batcher import Batcher
from serving.batching.pending import Batch
from serving.batching.sequences import SequenceTable
from serving.errors import ServingError
from serving.handlers.points import MetricPoint
from serving.model_config import ModelConfig
from serving.observe.endpoint_metrics import EndpointMetrics
from serving.observe.origin import ORIGIN
from serving.observe.statistics import BatchTimes
from serving.registry.crew import Crew
from serving.registry.following import follow
from serving.registry.lanes import Lanes, Queue, SequenceRules
from serving.registry.plan import batch_limits, sequence_limits, slots_of
from serving.registry.streams import Relay
from serving.workers.messages import Item, Outcome
from serving.workers.pool import WorkerPool
from serving.workers.runs import Answer, OnAnswer, OnChunk

__all__ = ("Dispatch", "OnBatch")

OnBatch = Callable[[BatchTimes, int, Sequence[MetricPoint]], None]
"""Hears of a batch that a worker answered: its times, its size, what its handler measured."""

_Post = Callable[[Sequence[Item], OnAnswer, OnChunk], Callable[[], None]]


class Dispatch:
    """Hands batches to workers, and their answers to who waits.

    Args:
        crew: the workers.
        metrics: told of each batch.

    Attributes:
        on_batch: told of each as well, but of none of workers that a reload has replaced; None:
            nobody wants to know.
    """

    def __init__(self, crew: Crew, metrics: EndpointMetrics) -> None:
        self._crew = crew
        self._metrics = metrics
        self._queue: Queue
        self._model = ("", "")
        self.on_batch: OnBatch | None = None

    def make_queue(
        self, manifest: Manifest, config: ModelConfig, headers: tuple[str, str, str]
    ) -> Queue:
        """Make the queue whose batches it hands on.

        Args:
            manifest: of the model.
            config: how it is served.
            headers: names of the headers of a sequence's id, start and end, in lower case.
        """
        self._model = (manifest.name, manifest.version)
        limits, crew = batch_limits(manifest, config), self._crew
        if config.sequence_batching:
            table = SequenceTable(sequence_limits(config))
            rules = SequenceRules(table, headers, slots_of(manifest, config))
            self._queue = Lanes(self._run_on_lane, lambda: crew.lanes, limits, self._metrics, rules)
        else:
            self._queue = Batcher(self._run, lambda: crew.capacity, limits, self._metrics)
        self._queue.tuner.name = f"{manifest.name} version {manifest.version}"
        return self._queue

    def _run(self, batch: Batch[Item, Outcome]) -> None:
        self._work(batch, self._crew.pool.post)

    def _run_on_lane(self, lane: int, batch: Batch[Item, Outcome]) -> None:
        if not isinstance(self._crew.pool, WorkerPool):
            raise self._crew.pool.unavailable()
        self._work(batch, partial(self._crew.pool.post, lane=lane))

    def _work(self, batch: Batch[Item, Outcome], post: _Post) -> None:
        self._crew.grow_if_needed(self._queue)
        started = time.monotonic()
        relay, pool = Relay(batch), self._crew.pool
        origin, followed = follow(batch, self._model)

        def hear(answer: Answer | ServingError) -> None:
            if followed is not None:
                followed.end(answer)
            relay.finish(answer)
            if isinstance(answer, ServingError):
                batch.finish(answer)
                return
            times = BatchTimes(answer.input_s, answer.seconds, answer.output_s)
            self._metrics.inferred(times, len(batch.items), answer.points)
            if self.on_batch is not None and pool is self._crew.pool:
                self.on_batch(times, len(batch.items), answer.points)
            self._metrics.shipped(time.monotonic() - started - answer.seconds)
            batch.seconds = answer.seconds
            batch.finish(answer.outcomes)

        token = ORIGIN.set(origin)
        try:
            batch.give_up = post(batch.items, hear, relay.take)
        finally:
            ORIGIN.reset(token)
