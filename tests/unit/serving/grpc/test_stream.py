"""Answers to a stream of requests."""

import asyncio
from collections.abc import AsyncIterator

import pytest

from serving.grpc.stream import MOST_AT_A_TIME, answers_in_order


async def numbers(count: int) -> AsyncIterator[int]:
    for number in range(count):
        yield number


async def test_answers_come_in_order_though_the_last_is_done_first() -> None:
    done = [asyncio.Event() for _ in range(3)]

    async def answer(number: int) -> int:
        if number < 2:
            await done[number + 1].wait()
        done[number].set()
        return number * 10

    assert [each async for each in answers_in_order(numbers(3), answer)] == [0, 10, 20]


async def test_no_more_than_so_many_are_worked_on() -> None:
    working, most = 0, 0
    full = asyncio.Event()

    async def answer(number: int) -> int:
        nonlocal working, most
        working += 1
        most = max(most, working)
        if working == MOST_AT_A_TIME:
            full.set()
        await full.wait()
        await asyncio.sleep(0)  # so that one too many would have its turn
        working -= 1
        return number

    count = 3 * MOST_AT_A_TIME
    assert [each async for each in answers_in_order(numbers(count), answer)] == list(range(count))
    assert most == MOST_AT_A_TIME


async def test_slow_requests_do_not_hold_answers_back() -> None:
    sent = asyncio.Event()

    async def slowly() -> AsyncIterator[int]:
        yield 1
        await sent.wait()
        yield 2

    async def answer(number: int) -> int:
        return number

    answers = answers_in_order(slowly(), answer)
    assert await anext(answers) == 1  # before the second has come
    sent.set()
    assert await anext(answers) == 2
    with pytest.raises(StopAsyncIteration):
        await anext(answers)


async def test_who_leaves_gives_the_rest_up() -> None:
    given_up: list[int] = []

    async def answer(number: int) -> int:
        try:
            await asyncio.sleep(number * 1000)
        except asyncio.CancelledError:
            given_up.append(number)
            raise
        return number

    answers = answers_in_order(numbers(3), answer)
    assert await anext(answers) == 0
    # What is still to come has begun by then, or never begins.
    await asyncio.sleep(0)
    await answers.aclose()  # type: ignore[attr-defined]
    assert set(given_up) <= {1, 2}
    assert len(asyncio.all_tasks()) == 1


async def test_an_error_ends_the_stream() -> None:
    async def answer(number: int) -> int:
        if number == 1:
            raise ValueError("one")
        return number

    answers = answers_in_order(numbers(3), answer)
    assert await anext(answers) == 0
    with pytest.raises(ValueError, match="one"):
        await anext(answers)
