from redis import Redis
from rq import Queue
from rq.serializers import JSONSerializer

from animator.jobs import tasks
from animator.jobs.accounts import task_of
from animator.jobs.chores import Chores
from animator.jobs.queue import QUEUE


def test_one_of_several_workers_hands_in_each_chore_before_all_other_jobs(client: Redis) -> None:
    queue = Queue(QUEUE, connection=client, serializer=JSONSerializer)
    queue.enqueue_call("tests.support_tasks.die", args=("j",), job_id="j")
    for chores in [Chores(client) for _ in range(3)]:
        chores.walk()
        chores.walk()
    *first, last = queue.jobs
    assert {job.func_name for job in first} == {
        "animator.jobs.tasks.sweep",
        "animator.jobs.tasks.recall",
    }
    assert len(first) == 2
    assert last.id == "j"


def test_chores_are_tasks(client: Redis) -> None:
    Chores(client).walk()
    for job in Queue(QUEUE, connection=client, serializer=JSONSerializer).jobs:
        assert callable(getattr(tasks, task_of(job)))
