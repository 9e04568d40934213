"""Outputs as classes."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from numpy.typing import NDArray

from serving.errors import BadInput
from serving.open_inference.classes import classify


@pytest.mark.parametrize(
    ("array", "count", "expected"),
    [
        (np.array([1, 5, 10, 4], np.int32), 2, [b"10:2", b"5:1:b"]),
        (np.array([[1.1, 3.3], [0.5, 2.4]]), 3, [b"3.300000:1:b", b"2.400000:3", b"1.100000:0:a"]),
        (np.array([7, 7, 7], np.uint8), 2, [b"7:0:a", b"7:1:b"]),
        (np.array([3.0], np.float16), 5, [b"3.000000:0:a"]),
        (np.zeros(0), 5, []),
    ],
    ids=["integers", "matrix", "equal ones", "more than there are", "none"],
)
def test_largest_elements_come_first(
    array: NDArray[Any], count: int, expected: list[bytes]
) -> None:
    found = classify(array, count, ["a", "b"], has_batch_axis=False)
    assert found.tolist() == expected


def test_each_row_has_its_own_classes() -> None:
    found = classify(np.array([[1, 2, 3], [9, 8, 7]]), 2, [], has_batch_axis=True)
    assert found.tolist() == [[b"3:2", b"2:1"], [b"9:0", b"8:1"]]


@given(
    hnp.arrays(st.sampled_from([np.uint8, np.int8, np.float32]), st.integers(0, 8)),
    st.integers(1, 9),
)
def test_classes_are_the_largest_elements(array: NDArray[Any], count: int) -> None:
    array = np.nan_to_num(array)
    found = classify(array, count, [], has_batch_axis=False)
    indices = [int(text.split(b":")[1]) for text in found]
    assert len(set(indices)) == len(indices) == min(count, len(array))
    assert array[indices].tolist() == sorted(array.tolist(), reverse=True)[:count]


def test_text_has_no_classes() -> None:
    with pytest.raises(BadInput, match="only an output of numbers"):
        classify(np.array([b"a"], object), 1, [], has_batch_axis=False)
