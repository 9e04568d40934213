"""How jobs, queues and job workers stand, for Prometheus."""

from collections.abc import Callable, Iterable, Iterator
from typing import Any

import redis.exceptions
from prometheus_client.core import GaugeMetricFamily, Metric
from prometheus_client.registry import Collector
from redis import Redis
from rq import Queue
from rq.job import Job
from rq.registry import StartedJobRegistry
from rq.serializers import JSONSerializer
from rq.utils import as_text, now, utcparse

from animator.jobs.accounts import KINDS
from animator.jobs.queue import LATER, QUEUE
from animator.jobs.worker import count_live_workers
from animator.store.tally import Tally

__all__ = ("JobCollector",)


class JobCollector(Collector):
    """What was counted of jobs, and how queues and workers stand, whenever somebody asks.

    While Redis is away, it tells that and nothing else.

    Args:
        connect: makes a connection to the Redis that all share; it should give up soon.
    """

    def __init__(self, connect: Callable[[], Redis]) -> None:
        self._connect = connect

    def describe(self) -> Iterable[Metric]:
        """Nothing beforehand: Redis need not be there yet."""
        return ()

    def collect(self) -> Iterator[Metric]:
        """Read it all from Redis."""
        up = GaugeMetricFamily("animator_redis_up", "Whether Redis answers.")
        try:
            with self._connect() as client:
                told = [*Tally(client, KINDS).collect(), *_look(client)]
        except (redis.exceptions.RedisError, OSError):
            told = []
        up.add_metric((), float(bool(told)))
        yield up
        yield from told


def _look(client: Redis) -> Iterator[Metric]:
    length = GaugeMetricFamily(
        "animator_queue_length", "Jobs that wait for a worker.", labels=("queue",)
    )
    age = GaugeMetricFamily(
        "animator_queue_age_seconds", "How long the next job has waited.", labels=("queue",)
    )
    running = GaugeMetricFamily(
        "animator_jobs_running", "Jobs that are worked on.", labels=("queue",)
    )
    for name in (QUEUE, LATER):
        queue = Queue(name, connection=client, serializer=JSONSerializer)
        length.add_metric((name,), queue.count)
        age.add_metric((name,), _age_s(client, queue))
        running.add_metric((name,), StartedJobRegistry(queue=queue).get_job_count(cleanup=False))
    workers = GaugeMetricFamily("animator_job_workers", "Job workers that are alive.")
    workers.add_metric((), count_live_workers(client))
    yield from (length, age, running, workers)


def _age_s(client: Redis, queue: Queue) -> float:
    """Seconds since the job was handed in that is next."""
    first = queue.get_job_ids(0, 1)
    if not first:
        return 0.0
    since: Any = client.hget(Job.key_for(first[0]), "enqueued_at")
    return (now() - utcparse(as_text(since))).total_seconds() if since else 0.0
