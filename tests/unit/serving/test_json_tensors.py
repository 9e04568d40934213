"""Tensors in JSON, short and long."""

import json
from collections.abc import Iterator

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from numpy.typing import NDArray

from serving.errors import BadInput
from serving.protocol import json_tensors
from serving.protocol.json_tensors import array_from_json, array_to_json
from serving.protocol.tensors import DATATYPES, datatype_of
from tests.support_tensors import NUMBERS, numbers


def read(values: object, name: str, shape: list[int]) -> NDArray[np.generic]:
    return array_from_json(json.dumps(values).encode(), name, shape)


@pytest.fixture(
    autouse=True, scope="module", params=[json_tensors.LONG, 6], ids=["whole", "in pieces"]
)
def _long(request: pytest.FixtureRequest) -> Iterator[None]:
    """Lists longer than this go in pieces: here none does, or nearly all do."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(json_tensors, "LONG", request.param)
        yield


@given(st.sampled_from(NUMBERS).flatmap(numbers))
def test_finite_numbers_survive_json(array: NDArray[np.generic]) -> None:
    if array.dtype.kind == "f":
        array = np.nan_to_num(array)
    back = array_from_json(array_to_json(array), datatype_of(array), array.shape)
    np.testing.assert_array_equal(back, array)


@given(st.lists(st.text(max_size=9), max_size=9))
def test_text_survives_json_as_bytes(values: list[str]) -> None:
    array = read(values, "BYTES", [len(values)])
    assert array.ravel().tolist() == [value.encode() for value in values]
    assert json.loads(bytes(array_to_json(array))) == values


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=3),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=2), inner),
    max_leaves=12,
)


@given(JSON, st.sampled_from(list(DATATYPES)), st.lists(st.integers(-1, 4), max_size=3))
def test_any_json_is_read_or_refused(values: object, name: str, shape: list[int]) -> None:
    try:
        array = read(values, name, shape)
    except BadInput:
        return
    assert array.shape == tuple(shape)
    assert array.dtype == DATATYPES[name]


def test_nested_json_is_row_major() -> None:
    array = read([[[1, 2], [3, 4]], [[5, 6], [7, 8]]], "INT8", [2, 4])
    assert array.tolist() == [[1, 2, 3, 4], [5, 6, 7, 8]]


@pytest.mark.parametrize(
    ("values", "name", "reason"),
    [
        (7, "INT32", "must be a list, got int"),
        ([[1], 2], "INT32", "equally deep"),
        ([1, [2], 3], "INT32", "equally deep"),
        ([[[1]], [2]], "INT32", "equally deep"),
        ([[[1]], [2], [[3]]], "INT32", "equally deep"),
        ([[1, 2], 3, [4, 5]], "INT32", "equally deep"),
        ([[1, 2], [[3, 4]], [5, 6]], "INT32", "equally deep"),
        ([1.5], "INT32", "float"),
        ([True], "INT32", "bool"),
        ([1], "BOOL", "int"),
        ([300], "UINT8", "does not fit datatype UINT8"),
        ([70000.0], "FP16", "does not fit datatype FP16"),
        ([10**400], "FP64", "FP64"),
        ([None], "FP32", "NoneType|null"),
        ([100, 200, "300"], "FP32", "str"),
        ([1], "BYTES", "must be text"),
    ],
    ids=str,
)
def test_bad_json_data_is_refused(values: object, name: str, reason: str) -> None:
    with pytest.raises(BadInput, match=reason):
        read(values, name, [1])


def test_bytes_that_are_no_text_cannot_be_json() -> None:
    with pytest.raises(BadInput, match="as binary data"):
        array_to_json(np.array([b"\xff"], dtype=object))


def test_empty_lists_may_be_nested() -> None:
    assert read([[], [], []], "FP32", [3, 0]).shape == (3, 0)


def test_no_json_at_all_is_refused() -> None:
    with pytest.raises(BadInput, match="no JSON"):
        array_from_json(b"", "FP32", [1])
    with pytest.raises(BadInput, match="no JSON"):
        array_from_json(b"[" * 100_000, "FP32", [1])


def test_numbers_that_are_none_become_null() -> None:
    array = np.array([1.5, np.nan, np.inf], np.float32)
    assert bytes(array_to_json(array)) == b"[1.5,null,null]"


@given(hnp.arrays(np.int32, hnp.array_shapes(max_dims=3, max_side=5)), st.sampled_from([None, 1]))
def test_nested_lists_are_read_however_they_are_spaced(
    array: NDArray[np.int32], indent: int | None
) -> None:
    text = json.dumps(array.tolist(), indent=indent).encode()
    np.testing.assert_array_equal(array_from_json(text, "INT32", array.shape), array)
