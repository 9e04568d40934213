"""One batch as the model's code sees it: equal shapes together, results where they belong."""

from collections.abc import Callable, Hashable, Sequence
from typing import TypeVar

from serving.errors import InferenceFailed, OutOfMemory, ServingError
from serving.protocol.tensors import Tensors, datatype_of

__all__ = ("Infer", "as_serving_error", "infer_in_groups", "run_apart", "signature")

Item = TypeVar("Item")
Result = TypeVar("Result")

Infer = Callable[[Sequence[Tensors]], Sequence[Tensors]]
"""A handler's `infer`: as many results as items, in the same order."""


def signature(tensors: Tensors) -> Hashable:
    """Name, type and shape of every array; items of equal signatures can be stacked."""
    return tuple((name, datatype_of(array), array.shape) for name, array in sorted(tensors.items()))


def infer_in_groups(items: Sequence[Tensors], infer: Infer) -> list[Tensors | ServingError]:
    """Run items of equal signatures together; the results have the items' length and order.

    When a group of several fails, each of its items runs alone, so that a bad one fails alone.
    """
    groups: dict[Hashable, list[int]] = {}
    for index, item in enumerate(items):
        groups.setdefault(signature(item), []).append(index)
    results: dict[int, Tensors | ServingError] = {}
    for indices in groups.values():
        group = [items[index] for index in indices]
        results.update(zip(indices, run_apart(group, infer), strict=True))
    return [results[index] for index in range(len(items))]


def run_apart(
    group: Sequence[Item], run: Callable[[Sequence[Item]], Sequence[Result]]
) -> Sequence[Result | ServingError]:
    """Run a group; when that fails, each of its items alone, so that a bad one fails alone."""
    try:
        results = run(group)
        if len(results) != len(group):
            msg = f"the model gave {len(results)} results for {len(group)} items"
            raise InferenceFailed(msg)
    except Exception as error:
        if len(group) == 1:
            return [as_serving_error(error)]
        return [result for item in group for result in run_apart([item], run)]
    return results


def as_serving_error(error: Exception) -> ServingError:
    """The error for the caller; its cause is what the model raised."""
    if isinstance(error, ServingError):
        return error
    kind = OutOfMemory if isinstance(error, MemoryError) else InferenceFailed
    failed = kind(f"{type(error).__name__}: {error}")
    failed.__cause__ = error
    return failed
