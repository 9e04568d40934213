"""Chores: jobs of our own, handed in now and then by whichever worker comes first.

They touch the stores, which may lie elsewhere and take their time. A worker must not: it says each
second that it is alive, and forks. So they are done like any other job, in a process of their own.
"""

import secrets

from redis import Redis
from rq import Queue
from rq.serializers import JSONSerializer

from animator.jobs.queue import QUEUE

__all__ = ("Chores",)

_TASKS = {"sweep": 600, "recall": 30}
"""Names of tasks, and seconds after which one is done again, whoever does it."""

_TIMEOUT = 600
_RESULT_TTL = 60


class Chores:
    """Hands chores in; of all workers that share a Redis, one at a time does so."""

    def __init__(self, client: Redis) -> None:
        self._redis = client

    def walk(self) -> None:
        """Hand in what it is time for."""
        for name, every in _TASKS.items():
            # It is not given back: nobody hands it in again before it runs out.
            if self._redis.set(f"animator:{name}", 1, nx=True, ex=every):
                self._hand_in(name)

    def _hand_in(self, name: str) -> None:
        queue = Queue(QUEUE, connection=self._redis, serializer=JSONSerializer)
        queue.enqueue_call(
            f"animator.jobs.tasks.{name}",
            job_id=f"{name}-{secrets.token_hex(8)}",
            timeout=_TIMEOUT,
            result_ttl=_RESULT_TTL,
            failure_ttl=_RESULT_TTL,
            at_front=True,
        )
