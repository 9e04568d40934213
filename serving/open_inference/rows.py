"""Requests with a batch axis: each row is an item of its own for the batcher."""

import asyncio
from collections.abc import Callable, Coroutine, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from serving.errors import BadInput, InferenceFailed, ServingError
from serving.protocol.tensors import Tensors

__all__ = ("infer_rows", "join_rows", "split_rows")


def split_rows(tensors: Tensors, most: int) -> list[dict[str, NDArray[Any]]]:
    """Cut tensors along their first axis.

    Args:
        tensors: each (rows, ...), with equally many rows.
        most: rows that a request may have.

    Raises:
        BadInput: when there is no axis, the rows are not equally many, none, or too many.
    """
    counts = {len(array) if array.ndim else -1 for array in tensors.values()}
    if len(counts) != 1 or -1 in counts:
        msg = "this model takes a batch axis: give every input one, with equally many rows"
        raise BadInput(msg)
    (count,) = counts
    if not 1 <= count <= most:
        msg = f"a request may have 1 to {most} rows, got {count}: send several requests"
        raise BadInput(msg)
    return [{name: array[row] for name, array in tensors.items()} for row in range(count)]


def join_rows(results: Sequence[Tensors]) -> Tensors:
    """Put the results of rows together, in order.

    Raises:
        InferenceFailed: when they have not the same outputs, of equal types and shapes.
    """
    kinds = {
        tuple((name, array.dtype.str, array.shape) for name, array in result.items())
        for result in results
    }
    if len(kinds) != 1:
        msg = "the rows' results differ in shape and make no batch: send one row a request"
        raise InferenceFailed(msg)
    return {name: np.stack([result[name] for result in results]) for name in results[0]}


async def infer_rows(
    rows: Sequence[Tensors], infer: Callable[[Tensors], Coroutine[Any, Any, Tensors]]
) -> Tensors:
    """Run a model on each row at the same time; when one fails the others are given up.

    Raises:
        ServingError: why there is no answer.
    """
    if len(rows) == 1:
        return join_rows([await infer(rows[0])])
    try:
        async with asyncio.TaskGroup() as group:
            tasks = [group.create_task(infer(row)) for row in rows]
    except* ServingError as failures:
        raise failures.exceptions[0] from None
    return join_rows([task.result() for task in tasks])
