"""Steps: one item through the steps of an ensemble, rows beside one another."""

import asyncio
from collections.abc import Mapping, Sequence
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from serving.errors import BadInput, InferenceFailed, ServingError
from serving.protocol.tensors import Tensors, dtype_from_name
from serving.workflow.ensemble import EnsembleOutput, EnsembleSpec, Step

__all__ = ("MOST_ROWS", "Infer", "run_steps")

MOST_ROWS = 1000
"""Most rows that a step runs for."""

Value = NDArray[Any] | list[NDArray[Any]]
"""One array; or what a step that ran row by row gives: one a row, of whatever shapes."""


class Infer(Protocol):
    """Runs the model or the function of a step."""

    async def __call__(self, step: Step, item: Tensors) -> Tensors:
        """Give the step's outputs.

        Raises:
            ServingError: why there are none.
        """
        ...


async def run_steps(spec: EnsembleSpec, item: Tensors, infer: Infer) -> Tensors:
    """Run an ensemble on one item.

    Steps run in the order of their writing; the rows of a step run at the same time, so that the
    model's batcher can put them into one batch.

    Raises:
        ServingError: when a step fails, gives no such output, or rows do not fit together.
    """
    results: dict[str, Tensors | list[Tensors]] = {}

    def find(name: str) -> Value:
        step, dot, output = name.partition(".")
        try:
            if not dot:
                return item[name]
            given = results[step]
            if isinstance(given, list):
                return [row[output] for row in given]
            return given[output]
        except KeyError as error:
            msg = f"there is no {name}: the step does not give it"
            raise InferenceFailed(msg) from error

    for step in spec.steps:
        values = {name: find(value) for name, value in step.inputs.items()}
        results[step.name] = await _run(step, values, infer)
    return {output.name: _gather(output, find(output.value)) for output in spec.outputs}


async def _run(step: Step, values: Mapping[str, Value], infer: Infer) -> Tensors | list[Tensors]:
    whole = {n: _stack(n, value) for n, value in values.items() if n not in step.for_each}
    if not step.for_each:
        return await infer(step, whole)
    rows = _rows(step, values)
    try:
        async with asyncio.TaskGroup() as group:
            tasks = [group.create_task(_start(infer, step, whole | row)) for row in rows]
    except* ServingError as errors:
        raise errors.exceptions[0] from None
    return [task.result() for task in tasks]


async def _start(infer: Infer, step: Step, item: Tensors) -> Tensors:
    return await infer(step, item)


def _rows(step: Step, values: Mapping[str, Value]) -> Sequence[dict[str, NDArray[Any]]]:
    """Cut the inputs that are taken by row.

    Raises:
        InferenceFailed: when they have different numbers of rows.
        BadInput: when they have more rows than a request may ask for.
    """
    by_row = {
        name: np.atleast_1d(v) if not isinstance(v, list) else v for name, v in values.items()
    }
    counts = {name: len(by_row[name]) for name in step.for_each}
    if len(set(counts.values())) > 1:
        msg = f"step {step.name} has inputs of different numbers of rows: {counts}"
        raise InferenceFailed(msg)
    count = next(iter(counts.values()))
    if count > MOST_ROWS:
        msg = f"step {step.name} would run for {count} rows, the most is {MOST_ROWS}"
        raise BadInput(msg)
    return [{name: np.asarray(by_row[name][at]) for name in step.for_each} for at in range(count)]


def _stack(name: str, value: Value) -> NDArray[Any]:
    if not isinstance(value, list):
        return value
    if len({(row.shape, row.dtype) for row in value}) != 1:
        msg = f"the rows of {name} are not of one shape and type, or there is none"
        raise InferenceFailed(msg)
    return np.stack(value)


def _gather(output: EnsembleOutput, value: Value) -> NDArray[Any]:
    if isinstance(value, list) and not value:
        sizes = [max(size, 0) for size in output.shape]
        return np.zeros([0, *sizes[1:]], dtype_from_name(output.datatype))
    return _stack(output.name, value)
