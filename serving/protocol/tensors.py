"""Tensors of the Open Inference Protocol as numpy arrays, in binary and in JSON form."""

import struct
from collections.abc import Mapping, Sequence
from itertools import chain
from typing import Any

import numpy as np
from numpy.typing import NDArray

from serving.errors import BadInput

__all__ = (
    "DATATYPES",
    "Buffer",
    "Tensors",
    "array_from_bytes",
    "array_from_json",
    "array_to_bytes",
    "array_to_json",
    "datatype_of",
)

Tensors = Mapping[str, NDArray[Any]]
"""The named arrays of one item, without a batch axis."""

Buffer = bytes | bytearray | memoryview

DATATYPES: Mapping[str, np.dtype[Any]] = {
    "BOOL": np.dtype(np.bool_),
    "UINT8": np.dtype(np.uint8),
    "UINT16": np.dtype("<u2"),
    "UINT32": np.dtype("<u4"),
    "UINT64": np.dtype("<u8"),
    "INT8": np.dtype(np.int8),
    "INT16": np.dtype("<i2"),
    "INT32": np.dtype("<i4"),
    "INT64": np.dtype("<i8"),
    "FP16": np.dtype("<f2"),
    "FP32": np.dtype("<f4"),
    "FP64": np.dtype("<f8"),
    "BYTES": np.dtype(np.object_),
}
"""The protocol's names of element types; BF16 has no numpy type and is refused."""

_NAMES = {dtype: name for name, dtype in DATATYPES.items()}

# A BYTES element is its length and then its bytes (Open Inference Protocol, binary extension).
_LENGTH = struct.Struct("<I")

_JSON_TYPES: Mapping[str, set[type]] = {"b": {bool}, "f": {int, float}}


def datatype_of(array: NDArray[Any]) -> str:
    """Name the protocol's element type of an array; text and bytes of any length are BYTES.

    Raises:
        BadInput: when the protocol has no such type (complex numbers, dates).
    """
    if array.dtype.kind in "SUO":
        return "BYTES"
    name = _NAMES.get(array.dtype.newbyteorder("<"))
    if name is None:
        msg = f"arrays of type {array.dtype} cannot be sent"
        raise BadInput(msg)
    return name


def array_to_bytes(array: NDArray[Any]) -> Buffer:
    """Write an array's elements in row-major order, little-endian; no copy where none is needed.

    Raises:
        BadInput: when the array's type cannot be sent.
    """
    name = datatype_of(array)
    if name == "BYTES":
        return _pack_elements([_element_to_bytes(element) for element in array.ravel()])
    plain = np.ascontiguousarray(array, dtype=DATATYPES[name])
    return plain.reshape(-1).view(np.uint8).data


def array_from_bytes(data: Buffer, datatype: str, shape: Sequence[int]) -> NDArray[Any]:
    """Read an array from its binary form; numbers share the memory of `data`.

    Raises:
        BadInput: when the bytes do not fill the shape exactly, or the type is unknown.
    """
    dtype = _dtype_from_name(datatype)
    if datatype == "BYTES":
        flat = _objects(_unpack_elements(data))
    elif len(data) % dtype.itemsize:
        msg = f"{len(data)} bytes are no whole number of {datatype} elements"
        raise BadInput(msg)
    else:
        flat = np.frombuffer(data, dtype=dtype)
    return _shaped(flat, shape)


def array_to_json(array: NDArray[Any]) -> list[Any]:
    """List an array's elements flat, in row-major order; bytes become text.

    Raises:
        BadInput: when an element is no UTF-8 text, which JSON cannot carry.
    """
    if datatype_of(array) != "BYTES":
        values: list[Any] = array.ravel().tolist()
        return values
    try:
        return [_element_to_bytes(element).decode() for element in array.ravel()]
    except UnicodeDecodeError as error:
        msg = "the elements are not UTF-8 text: ask for this output as binary data"
        raise BadInput(msg) from error


def array_from_json(values: object, datatype: str, shape: Sequence[int]) -> NDArray[Any]:
    """Read an array from JSON values, flat or nested in row-major order.

    Raises:
        BadInput: when values are of another type, out of range, or do not fill the shape.
    """
    dtype = _dtype_from_name(datatype)
    flat = _flatten(values)
    if datatype == "BYTES":
        return _shaped(_objects([_text_to_bytes(value) for value in flat]), shape)
    return _shaped(_numbers(flat, datatype, dtype), shape)


def _dtype_from_name(datatype: str) -> np.dtype[Any]:
    dtype = DATATYPES.get(datatype)
    if dtype is None:
        msg = f"unknown datatype {datatype!r}; known are {', '.join(DATATYPES)}"
        raise BadInput(msg)
    return dtype


def _shaped(flat: NDArray[Any], shape: Sequence[int]) -> NDArray[Any]:
    # A negative size would make numpy guess it, and an empty array fits any shape with a zero.
    if any(size < 0 for size in shape):
        msg = f"a shape has no negative sizes, got {list(shape)}"
        raise BadInput(msg)
    try:
        return flat.reshape(tuple(shape))
    except (ValueError, OverflowError) as error:
        msg = f"{flat.size} elements do not fill the shape {list(shape)}"
        raise BadInput(msg) from error


def _objects(elements: Sequence[bytes]) -> NDArray[np.object_]:
    array = np.empty(len(elements), dtype=np.object_)
    array[:] = elements
    return array


def _element_to_bytes(element: object) -> bytes:
    if isinstance(element, bytes):
        return element
    if isinstance(element, str):
        return element.encode()
    msg = f"an array of objects may hold bytes and text, got {type(element).__name__}"
    raise BadInput(msg)


def _pack_elements(elements: Sequence[bytes]) -> bytes:
    return b"".join(part for element in elements for part in (_LENGTH.pack(len(element)), element))


def _unpack_elements(data: Buffer) -> list[bytes]:
    elements: list[bytes] = []
    at = 0
    while at < len(data):
        start = at + _LENGTH.size
        if start > len(data):
            msg = "BYTES data ends within the length of an element"
            raise BadInput(msg)
        at = start + _LENGTH.unpack_from(data, at)[0]
        if at > len(data):
            msg = f"a BYTES element ends at byte {at} of {len(data)}"
            raise BadInput(msg)
        elements.append(bytes(data[start:at]))
    return elements


def _flatten(values: object) -> list[Any]:
    if not isinstance(values, list):
        msg = f"tensor data must be a list, got {type(values).__name__}"
        raise BadInput(msg)
    while list in (kinds := set(map(type, values))):
        if len(kinds) > 1:
            msg = "nested tensor data must be equally deep everywhere"
            raise BadInput(msg)
        values = list(chain.from_iterable(values))
    return values


def _text_to_bytes(value: object) -> bytes:
    if not isinstance(value, str):
        msg = f"BYTES data in JSON must be text, got {value!r}"
        raise BadInput(msg)
    return value.encode()


def _numbers(flat: list[Any], datatype: str, dtype: np.dtype[Any]) -> NDArray[Any]:
    # Types are compared exactly: bool is a subclass of int in Python, but no number here.
    strange = set(map(type, flat)) - _JSON_TYPES.get(dtype.kind, {int})
    if strange:
        msg = f"a value of type {strange.pop().__name__} is none of datatype {datatype}"
        raise BadInput(msg)
    try:
        with np.errstate(over="raise"):
            return np.array(flat, dtype=dtype)
    except (OverflowError, FloatingPointError) as error:
        msg = f"a value does not fit datatype {datatype}"
        raise BadInput(msg) from error
