from collections.abc import Sequence

import numpy as np
import pytest

from serving.batching.batch import infer_in_groups, signature
from serving.errors import InferenceFailed, OutOfMemory, ServingError
from serving.protocol.tensors import Tensors


def item(*values: float) -> Tensors:
    return {"x": np.array(values, dtype=np.float32)}


def add_up(batch: Sequence[Tensors]) -> list[Tensors]:
    return [{"sum": each["x"].sum()} for each in batch]


def sums(results: Sequence[Tensors | ServingError]) -> list[float]:
    return [float(result["sum"]) for result in results if not isinstance(result, ServingError)]


class Recorder:
    """Adds up, and remembers how many items came together."""

    def __init__(self) -> None:
        self.sizes: list[int] = []

    def infer(self, batch: Sequence[Tensors]) -> list[Tensors]:
        self.sizes.append(len(batch))
        if any(np.isnan(each["x"]).any() for each in batch):
            raise ArithmeticError("not a number")
        return add_up(batch)


def test_results_have_the_length_and_order_of_the_batch() -> None:
    items = [item(1), item(2, 3), item(4), item(5, 6), item(7)]
    assert sums(infer_in_groups(items, add_up)) == [1, 5, 4, 11, 7]


def test_only_equal_shapes_are_stacked() -> None:
    model = Recorder()
    infer_in_groups([item(1), item(2, 3), item(4), item(5, 6), item(7)], model.infer)
    assert model.sizes == [3, 2]


def test_types_and_names_count_as_shapes_do() -> None:
    assert signature({"x": np.zeros(2, np.float32)}) != signature({"x": np.zeros(2, np.float64)})
    assert signature({"x": np.zeros(2)}) != signature({"y": np.zeros(2)})
    one = {"a": np.zeros(1), "b": np.zeros(2)}
    assert signature(one) == signature({"b": np.ones(2), "a": np.ones(1)})


def test_bad_item_fails_alone() -> None:
    model = Recorder()
    results = infer_in_groups([item(1), item(float("nan")), item(3)], model.infer)
    assert model.sizes == [3, 1, 1, 1]
    assert sums(results) == [1, 3]
    assert isinstance(results[1], InferenceFailed)
    assert results[1].message == "ArithmeticError: not a number"


def test_failed_item_keeps_the_cause_for_the_log() -> None:
    (result,) = infer_in_groups([item(float("nan"))], Recorder().infer)
    assert isinstance(result, InferenceFailed)
    assert isinstance(result.__cause__, ArithmeticError)


@pytest.mark.parametrize("count", [0, 1, 3], ids=["none", "too few", "too many"])
def test_wrong_number_of_results_is_an_error_of_the_model(count: int) -> None:
    results = infer_in_groups([item(1), item(2)], lambda batch: add_up([item(1)] * count))
    if count == 1:  # run alone, each item gets its one result
        assert sums(results) == [1, 1]
    else:
        assert [str(result) for result in results] == [
            f"the model gave {count} results for 1 items"
        ] * 2


def test_lack_of_memory_is_told_apart() -> None:
    def infer(batch: Sequence[Tensors]) -> list[Tensors]:
        raise MemoryError("4 GB")

    (result,) = infer_in_groups([item(1)], infer)
    assert isinstance(result, OutOfMemory)


def test_empty_batch_has_no_results() -> None:
    assert infer_in_groups([], add_up) == []
