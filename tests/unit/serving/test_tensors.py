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
    array_to_bytes,
    carrier_of,
    datatype_of,
)
from tests.support_tensors import NUMBERS, numbers


def elements(array: NDArray[np.object_]) -> list[object]:
    return array.ravel().tolist()


@given(st.sampled_from(NUMBERS).flatmap(numbers))
def test_numbers_survive_the_binary_form(array: NDArray[np.generic]) -> None:
    name = datatype_of(array)
    back = array_from_bytes(bytes(array_to_bytes(array)), name, array.shape)
    assert back.dtype == array.dtype
    np.testing.assert_array_equal(back, array)


@given(st.lists(st.binary(max_size=9), max_size=9))
def test_bytes_survive_the_binary_form(values: list[bytes]) -> None:
    array = np.empty(len(values), dtype=np.object_)
    array[:] = values
    data = array_to_bytes(array)
    assert elements(array_from_bytes(data, "BYTES", array.shape)) == values


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
        (b"\0\0", "FP8", [1], "unknown datatype 'FP8'"),
        (b"\0\0\0", "BF16", [1], "no whole number of BF16"),
        (b"\0\0", "BYTES", [1], "within the length"),
        (struct.pack("<I", 5) + b"abc", "BYTES", [1], "ends at byte 9 of 7"),
    ],
    ids=["part", "too many", "negative", "huge", "type", "half", "no length", "overrun"],
)
def test_bad_binary_data_is_refused(data: bytes, name: str, shape: list[int], text: str) -> None:
    with pytest.raises(BadInput, match=text):
        array_from_bytes(data, name, shape)


@pytest.mark.parametrize(
    "array", [np.array([1j]), np.array(["2026-01-01"], dtype="M8[D]")], ids=["complex", "date"]
)
def test_types_without_a_name_are_refused(array: NDArray[np.generic]) -> None:
    with pytest.raises(BadInput, match="cannot be sent"):
        array_to_bytes(array)


def test_objects_other_than_text_are_refused() -> None:
    with pytest.raises(BadInput, match="got dict"):
        array_to_bytes(np.array([{}], dtype=object))


@pytest.mark.parametrize(
    ("value", "bits"),
    [
        (1.0, 0x3F80),
        (-2.5, 0xC020),
        (1.00390625, 0x3F80),  # 1 + 2**-8: a tie, to the even neighbour below
        (1.01171875, 0x3F82),  # 1 + 3 * 2**-8: a tie, to the even neighbour above
        (1.00390637, 0x3F81),  # just above the first tie
        (3.4028235e38, 0x7F80),  # the largest FP32 rounds to infinity
        (float("-inf"), 0xFF80),
    ],
    ids=["one", "negative", "tie down", "tie up", "above tie", "overflow", "infinity"],
)
def test_bf16_is_rounded_to_nearest_even(value: float, bits: int) -> None:
    data = array_to_bytes(np.array([value], np.float32), "BF16")
    assert struct.unpack("<H", data) == (bits,)


def test_bf16_nan_stays_nan() -> None:
    odd = np.array([0x7F800001], "<u4").view("<f4")
    assert np.isnan(array_from_bytes(array_to_bytes(odd, "BF16"), "BF16", [1])).all()


@given(hnp.arrays(np.uint16, hnp.array_shapes(max_dims=2)))
def test_bf16_survives_as_fp32(bits: NDArray[np.uint16]) -> None:
    array = array_from_bytes(bits.astype("<u2").tobytes(), "BF16", bits.shape)
    assert carrier_of("BF16") == datatype_of(array) == "FP32"
    back = np.frombuffer(array_to_bytes(array, "BF16"), "<u2").reshape(bits.shape)
    is_number = ~np.isnan(array)
    np.testing.assert_array_equal(back[is_number], bits[is_number])
