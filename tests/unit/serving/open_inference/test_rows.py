"""Requests with a batch axis."""

import asyncio

import numpy as np
import pytest

from serving.errors import BadInput, InferenceFailed, Overloaded
from serving.open_inference.rows import infer_rows, join_rows, split_rows
from serving.protocol.tensors import Tensors


def test_rows_are_cut_and_joined_in_order() -> None:
    tensors = {"a": np.arange(6).reshape(3, 2), "b": np.array([7, 8, 9])}
    rows = split_rows(tensors, most=3)
    assert [(row["a"].tolist(), int(row["b"])) for row in rows] == [
        ([0, 1], 7),
        ([2, 3], 8),
        ([4, 5], 9),
    ]
    joined = join_rows(rows)
    assert joined["a"].tolist() == tensors["a"].tolist()
    assert joined["b"].tolist() == [7, 8, 9]


@pytest.mark.parametrize(
    ("tensors", "text"),
    [
        ({"a": np.array(1)}, "takes a batch axis"),
        ({"a": np.zeros(2), "b": np.zeros(3)}, "equally many rows"),
        ({"a": np.zeros(0)}, "1 to 4 rows, got 0"),
        ({"a": np.zeros(5)}, "1 to 4 rows, got 5"),
        ({}, "takes a batch axis"),
    ],
    ids=["no axis", "unequal", "none", "too many", "no inputs"],
)
def test_bad_rows_are_refused(tensors: Tensors, text: str) -> None:
    with pytest.raises(BadInput, match=text):
        split_rows(tensors, most=4)


@pytest.mark.parametrize(
    "other", [{"y": np.zeros(3)}, {"y": np.zeros(2, np.float32)}, {"z": np.zeros(2)}], ids=str
)
def test_results_that_make_no_batch_are_an_error(other: Tensors) -> None:
    with pytest.raises(InferenceFailed, match="make no batch"):
        join_rows([{"y": np.zeros(2)}, other])


async def test_rows_run_together() -> None:
    arrived: list[int] = []
    everybody = asyncio.Event()

    async def infer(row: Tensors) -> Tensors:
        arrived.append(int(row["a"]))
        if len(arrived) == 3:
            everybody.set()
        await everybody.wait()
        return {"y": row["a"] * 10}

    rows: list[Tensors] = [{"a": np.array(number)} for number in range(3)]
    outputs = await infer_rows(rows, infer)
    assert outputs["y"].tolist() == [0, 10, 20]


async def test_when_one_row_fails_the_others_are_given_up() -> None:
    given_up: list[int] = []

    async def infer(row: Tensors) -> Tensors:
        if row["a"] == 1:
            raise Overloaded("full")
        try:
            await asyncio.Event().wait()
        except asyncio.CancelledError:
            given_up.append(int(row["a"]))
            raise
        return row

    rows: list[Tensors] = [{"a": np.array(number)} for number in range(3)]
    with pytest.raises(Overloaded, match="full"):
        await infer_rows(rows, infer)
    assert sorted(given_up) == [0, 2]
