import struct

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from numpy.typing import NDArray

from serving.errors import BadInput
from serving.protocol.tensors import (
    DATATYPES,
    array_from_bytes,
    array_from_json,
    array_to_bytes,
    array_to_json,
    datatype_of,
)

NUMBERS = [name for name in DATATYPES if name != "BYTES"]
SHAPES = hnp.array_shapes(min_dims=0, max_dims=4, min_side=0, max_side=4)


def numbers(name: str) -> st.SearchStrategy[NDArray[np.generic]]:
    return hnp.arrays(DATATYPES[name], SHAPES)


def elements(array: NDArray[np.object_]) -> list[object]:
    return array.ravel().tolist()


@given(st.sampled_from(NUMBERS).flatmap(numbers))
def test_numbers_survive_the_binary_form(array: NDArray[np.generic]) -> None:
    name = datatype_of(array)
    back = array_from_bytes(bytes(array_to_bytes(array)), name, array.shape)
    assert back.dtype == array.dtype
    np.testing.assert_array_equal(back, array)


@given(st.sampled_from(NUMBERS).flatmap(numbers))
def test_finite_numbers_survive_json(array: NDArray[np.generic]) -> None:
    if array.dtype.kind == "f":
        array = np.nan_to_num(array)
    back = array_from_json(array_to_json(array), datatype_of(array), array.shape)
    np.testing.assert_array_equal(back, array)


@given(st.lists(st.binary(max_size=9), max_size=9))
def test_bytes_survive_the_binary_form(values: list[bytes]) -> None:
    array = np.empty(len(values), dtype=np.object_)
    array[:] = values
    data = array_to_bytes(array)
    assert elements(array_from_bytes(data, "BYTES", array.shape)) == values


@given(st.lists(st.text(max_size=9), max_size=9))
def test_text_survives_json_as_bytes(values: list[str]) -> None:
    array = array_from_json(values, "BYTES", [len(values)])
    assert elements(array) == [value.encode() for value in values]
    assert array_to_json(array) == values


@given(
    st.binary(max_size=64),
    st.sampled_from([*DATATYPES, "BF16", ""]),
    st.lists(st.integers(-2, 2**70), max_size=70),
)
def test_any_bytes_are_read_or_refused(data: bytes, name: str, shape: list[int]) -> None:
    try:
        array = array_from_bytes(data, name, shape)
    except BadInput:
        return
    assert array.shape == tuple(shape)


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=3),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=2), inner),
    max_leaves=12,
)


@given(JSON, st.sampled_from(list(DATATYPES)), st.lists(st.integers(-1, 4), max_size=3))
def test_any_json_is_read_or_refused(values: object, name: str, shape: list[int]) -> None:
    try:
        array = array_from_json(values, name, shape)
    except BadInput:
        return
    assert array.shape == tuple(shape)
    assert array.dtype == DATATYPES[name]


@pytest.mark.parametrize(
    ("array", "expected"),
    [
        (np.array([1, 258], dtype=">u2"), b"\x01\x00\x02\x01"),
        (np.array([[1, 2], [3, 4]], dtype=np.uint8).T, b"\x01\x03\x02\x04"),
        (np.array([1.0], dtype=np.float16), b"\x00\x3c"),
        (np.array(True), b"\x01"),
        (np.array([b"ab", b""], dtype=object), b"\x02\0\0\0ab\0\0\0\0"),
        (np.array(["ä"]), b"\x02\0\0\0\xc3\xa4"),
        (np.array([b"xyz"]), b"\x03\0\0\0xyz"),
    ],
    ids=["big-endian", "row-major", "FP16", "scalar", "BYTES", "text", "fixed-length bytes"],
)
def test_binary_form_is_as_the_protocol_says(array: NDArray[np.generic], expected: bytes) -> None:
    assert bytes(array_to_bytes(array)) == expected


def test_binary_numbers_share_the_memory_they_came_in() -> None:
    data = bytearray(b"\1\2\3")
    array = array_from_bytes(data, "UINT8", [3])
    data[0] = 9
    assert array.tolist() == [9, 2, 3]


@pytest.mark.parametrize(
    ("data", "name", "shape", "text"),
    [
        (b"\0" * 3, "FP32", [1], "no whole number of FP32"),
        (b"\0" * 8, "FP32", [1], "2 elements do not fill the shape"),
        (b"\0" * 8, "FP32", [-1], "no negative sizes"),
        (b"", "FP32", [2**70, 0], "do not fill the shape"),
        (b"\0\0", "BF16", [1], "unknown datatype 'BF16'"),
        (b"\0\0", "BYTES", [1], "within the length"),
        (struct.pack("<I", 5) + b"abc", "BYTES", [1], "ends at byte 9 of 7"),
    ],
    ids=["part", "too many", "negative", "huge", "type", "no length", "overrun"],
)
def test_bad_binary_data_is_refused(data: bytes, name: str, shape: list[int], text: str) -> None:
    with pytest.raises(BadInput, match=text):
        array_from_bytes(data, name, shape)


def test_nested_json_is_row_major() -> None:
    array = array_from_json([[[1, 2], [3, 4]], [[5, 6], [7, 8]]], "INT8", [2, 4])
    assert array.tolist() == [[1, 2, 3, 4], [5, 6, 7, 8]]


@pytest.mark.parametrize(
    ("values", "name", "text"),
    [
        (7, "INT32", "must be a list, got int"),
        ([[1], 2], "INT32", "equally deep"),
        ([1.5], "INT32", "of type float is none of datatype INT32"),
        ([True], "INT32", "of type bool"),
        ([1], "BOOL", "of type int"),
        ([300], "UINT8", "does not fit datatype UINT8"),
        ([70000.0], "FP16", "does not fit datatype FP16"),
        ([10**400], "FP64", "does not fit datatype FP64"),
        ([None], "FP32", "NoneType"),
        ([1], "BYTES", "must be text"),
    ],
    ids=["scalar", "ragged", "fraction", "bool", "int", "uint8", "fp16", "huge", "null", "bytes"],
)
def test_bad_json_data_is_refused(values: object, name: str, text: str) -> None:
    with pytest.raises(BadInput, match=text):
        array_from_json(values, name, [1])


def test_bytes_that_are_no_text_cannot_be_json() -> None:
    with pytest.raises(BadInput, match="as binary data"):
        array_to_json(np.array([b"\xff"], dtype=object))


@pytest.mark.parametrize(
    "array", [np.array([1j]), np.array(["2026-01-01"], dtype="M8[D]")], ids=["complex", "date"]
)
def test_types_without_a_name_are_refused(array: NDArray[np.generic]) -> None:
    with pytest.raises(BadInput, match="cannot be sent"):
        array_to_bytes(array)


def test_objects_other_than_text_are_refused() -> None:
    with pytest.raises(BadInput, match="got dict"):
        array_to_bytes(np.array([{}], dtype=object))
