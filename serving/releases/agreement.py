"""Agreement: whether two versions answered alike, within a tolerance."""

from collections.abc import Mapping
from typing import Any, NamedTuple

import msgspec
import numpy as np
from numpy.typing import NDArray

from serving.protocol.exchange import RawReply

__all__ = ("Tolerance", "agree")

_MOST_DEPTH = 64


class Tolerance(NamedTuple):
    """By how much numbers may differ: |a - b| <= absolute + relative * |b|.

    Attributes:
        relative: >= 0.
        absolute: >= 0.
    """

    relative: float
    absolute: float


def agree(live: object, copy: object, tolerance: Tolerance) -> bool:
    """Whether two outcomes say the same.

    Tensors do when they have equal names, types and shapes, and numbers that are near; replies when
    their status is equal, and their JSON, but for numbers that are near, or else their bytes; two
    errors do when their codes are equal.

    Args:
        live: what the client got; of tensors, a reply and an error.
        copy: what the shadow gave; likewise.
        tolerance: for numbers; NaN is near NaN.
    """
    if isinstance(live, Exception) or isinstance(copy, Exception):
        return getattr(live, "code", live) == getattr(copy, "code", copy)
    if isinstance(live, RawReply) and isinstance(copy, RawReply):
        return _replies_agree(live, copy, tolerance)
    if isinstance(live, Mapping) and isinstance(copy, Mapping):
        return live.keys() == copy.keys() and all(
            _arrays_agree(np.asarray(array), np.asarray(copy[name]), tolerance)
            for name, array in live.items()
        )
    return False


def _arrays_agree(live: NDArray[Any], copy: NDArray[Any], tolerance: Tolerance) -> bool:
    if live.shape != copy.shape or live.dtype != copy.dtype:
        return False
    if live.dtype.kind in "fc":
        relative, absolute = tolerance
        return bool(np.allclose(copy, live, relative, absolute, equal_nan=True))
    return bool(np.array_equal(live, copy))


def _replies_agree(live: RawReply, copy: RawReply, tolerance: Tolerance) -> bool:
    if live.status != copy.status:
        return False
    if live.body == copy.body:
        return True
    try:
        pair = msgspec.json.decode(live.body), msgspec.json.decode(copy.body)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return False
    return _values_agree(*pair, tolerance)


def _values_agree(live: object, copy: object, tolerance: Tolerance, depth: int = 0) -> bool:
    if depth > _MOST_DEPTH:
        return False
    if isinstance(live, bool) or isinstance(copy, bool):
        return live is copy
    if isinstance(live, int | float) and isinstance(copy, int | float):
        return _numbers_agree(live, copy, tolerance)
    if isinstance(live, list) and isinstance(copy, list):
        return len(live) == len(copy) and all(
            _values_agree(one, other, tolerance, depth + 1)
            for one, other in zip(live, copy, strict=True)
        )
    if isinstance(live, dict) and isinstance(copy, dict):
        return live.keys() == copy.keys() and all(
            _values_agree(value, copy[name], tolerance, depth + 1) for name, value in live.items()
        )
    return live == copy


def _numbers_agree(live: float, copy: float, tolerance: Tolerance) -> bool:
    try:
        return abs(copy - live) <= tolerance.absolute + tolerance.relative * abs(live)
    except OverflowError:  # whole numbers may be longer than any float
        return live == copy
