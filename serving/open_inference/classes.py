"""Outputs as classes: the largest elements with their indices and labels, in place of all."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from serving.errors import BadInput
from serving.protocol.tensors import objects_from

__all__ = ("classify",)


def classify(
    array: NDArray[Any], count: int, labels: Sequence[str], *, has_batch_axis: bool
) -> NDArray[np.object_]:
    """Write the largest elements as text, the largest first: "value:index" or "value:index:label".

    Args:
        array: (...) or with a batch axis (rows, ...), numbers; equal ones keep their order.
        count: how many, >= 1; no more than there are.
        labels: of the elements, by index in row-major order; may be shorter.
        has_batch_axis: whether each row is looked at for itself.

    Returns:
        (count,) or (rows, count) of BYTES.

    Raises:
        BadInput: when the elements are no numbers.
    """
    if array.dtype.kind not in "iuf":
        msg = "only an output of numbers can be asked for as classes"
        raise BadInput(msg)
    rows = array.reshape(len(array), -1) if has_batch_axis else array.reshape(1, -1)
    best = [_best(row, count) for row in rows]
    texts = [
        _text(row, index, labels) for row, each in zip(rows, best, strict=True) for index in each
    ]
    shape = (len(rows), min(count, rows.shape[1])) if has_batch_axis else (len(texts),)
    return objects_from(texts).reshape(shape)


def _best(row: NDArray[Any], count: int) -> NDArray[np.intp]:
    # Negated numbers of an unsigned type would wrap, so the stable sort runs from behind.
    backwards = np.argsort(row[::-1], kind="stable")[::-1]
    return (len(row) - 1 - backwards)[:count]


def _text(row: NDArray[Any], index: int, labels: Sequence[str]) -> bytes:
    value = f"{row[index]:f}" if row.dtype.kind == "f" else str(row[index])
    label = f":{labels[index]}" if index < len(labels) else ""
    return f"{value}:{index}{label}".encode()
