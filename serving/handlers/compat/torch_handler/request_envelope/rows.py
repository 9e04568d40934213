"""Several inputs to a request: laid end to end for the handler, and parted again."""

import json
from collections.abc import Sequence
from itertools import chain
from typing import Any

__all__ = ("body_of", "join", "part")


def body_of(row: Any) -> Any:
    """Take a request's body as an object, whatever it was sent as.

    Raises:
        ValueError: when it is no JSON.
    """
    body = row.get("data") or row.get("body") or row
    return json.loads(body) if isinstance(body, str | bytes | bytearray) else body


def join(inputs: Sequence[Sequence[Any]]) -> tuple[list[Any], list[int]]:
    """Lay the inputs of all requests end to end, and say how many each has."""
    return list(chain.from_iterable(inputs)), [len(some) for some in inputs]


def part(results: Sequence[Any], counts: Sequence[int]) -> list[Any]:
    """Give each request its results; a single one gets them all.

    Raises:
        ValueError: when there are more or fewer than inputs, and several requests.
    """
    if len(counts) == 1:
        return [results]
    if len(results) != sum(counts):
        msg = f"{sum(counts)} inputs gave {len(results)} results"
        raise ValueError(msg)
    left = iter(results)
    return [[next(left) for _ in range(count)] for count in counts]
