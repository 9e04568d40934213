"""Runs of batches as coroutines, for who has nothing simpler."""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from typing import TypeVar

from serving.batching.pending import Batch
from serving.errors import ServingError

__all__ = ("in_task",)

Item = TypeVar("Item")
Result = TypeVar("Result")


def in_task(
    work: Callable[[Batch[Item, Result]], Awaitable[Sequence[Result | ServingError]]],
) -> Callable[[Batch[Item, Result]], None]:
    """Make a batcher's `run` of a coroutine function, which is cancelled when nobody waits."""
    tasks: set[asyncio.Task[None]] = set()

    async def finish(batch: Batch[Item, Result]) -> None:
        try:
            batch.finish(await work(batch))
        except Exception as error:
            batch.finish(error)

    def begin(batch: Batch[Item, Result]) -> None:
        task = asyncio.get_running_loop().create_task(finish(batch))
        tasks.add(task)
        task.add_done_callback(tasks.discard)

        def give_up() -> None:
            task.cancel()

        batch.give_up = give_up

    return begin
