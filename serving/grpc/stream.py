"""Answers to a stream of requests: worked on together, given back in order."""

import asyncio
from collections import deque
from collections.abc import AsyncIterator, Awaitable, Callable
from typing import TypeVar

__all__ = ("MOST_AT_A_TIME", "answers_in_order")

MOST_AT_A_TIME = 32
"""Requests of one stream that are worked on at a time; the others are not read yet."""

Request = TypeVar("Request")
Answer = TypeVar("Answer")


async def answers_in_order(
    requests: AsyncIterator[Request], answer: Callable[[Request], Awaitable[Answer]]
) -> AsyncIterator[Answer]:
    """Give the answer to each request, in their order; on leaving, the others are given up.

    Args:
        requests: as they come.
        answer: of one; what it raises ends the stream.
    """
    tasks: deque[asyncio.Task[Answer]] = deque()
    reading = asyncio.ensure_future(_next(requests))
    is_over = False
    try:
        while tasks or not is_over:
            waited = {*([tasks[0]] if tasks else []), *([] if is_over else [reading])}
            if len(tasks) >= MOST_AT_A_TIME:
                waited.discard(reading)
            await asyncio.wait(waited, return_when=asyncio.FIRST_COMPLETED)
            while tasks and tasks[0].done():
                yield tasks.popleft().result()
            if not is_over and reading.done() and len(tasks) < MOST_AT_A_TIME:
                request = reading.result()
                if request is None:
                    is_over = True
                    continue
                tasks.append(asyncio.ensure_future(answer(request)))
                reading = asyncio.ensure_future(_next(requests))
    finally:
        for task in (*tasks, reading):
            task.cancel()
        await asyncio.gather(*tasks, reading, return_exceptions=True)


async def _next(requests: AsyncIterator[Request]) -> Request | None:
    async for request in requests:
        return request
    return None
