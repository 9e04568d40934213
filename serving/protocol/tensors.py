"""Tensors of the Open Inference Protocol as numpy arrays, and their binary form."""

import struct
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from serving.errors import BadInput

__all__ = (
    "DATATYPES",
    "Buffer",
    "Tensors",
    "array_from_bytes",
    "array_to_bytes",
    "carrier_of",
    "datatype_of",
    "dtype_from_name",
    "element_size",
    "element_to_bytes",
    "objects_from",
    "shaped",
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
"""The protocol's names of the element types that numpy has, too; beside them there is BF16."""

_BF16 = "BF16"
_BF16_BYTES = 2
_BF16_BITS_DROPPED = 16

_KINDS = {(dtype.kind, dtype.itemsize): name for name, dtype in DATATYPES.items()}

# By numpy's letters, of which several may mean the same type: that look-up is the fastest.
_NAMES = {
    **{
        letter: _KINDS[np.dtype(letter).kind, np.dtype(letter).itemsize]
        for letter in "?bBhHiIlLqQefd"
    },
    **dict.fromkeys("SUO", "BYTES"),
}

_SMALL_BYTES = 4096
"""Less is copied sooner than it is viewed."""

# A BYTES element is its length and then its bytes (Open Inference Protocol, binary extension).
_LENGTH = struct.Struct("<I")


def datatype_of(array: NDArray[Any]) -> str:
    """Name the protocol's element type of an array; text and bytes of any length are BYTES.

    Raises:
        BadInput: when the protocol has no such type (complex numbers, dates).
    """
    name = _NAMES.get(array.dtype.char)
    if name is None:
        msg = f"arrays of type {array.dtype} cannot be sent"
        raise BadInput(msg)
    return name


def carrier_of(datatype: str) -> str:
    """Name the type of the array that holds such elements here: FP32 for BF16, else the same.

    numpy has no BF16. Its elements are the upper halves of FP32 ones, so nothing is lost on the way
    in; on the way out they are rounded to the nearest, ties to even.
    """
    return "FP32" if datatype == _BF16 else datatype


def dtype_from_name(datatype: str) -> np.dtype[Any]:
    """Choose the type of the array that holds such elements here.

    Raises:
        BadInput: when the protocol has no such type.
    """
    dtype = DATATYPES.get(carrier_of(datatype))
    if dtype is None:
        msg = f"unknown datatype {datatype!r}; known are {', '.join(DATATYPES)} and {_BF16}"
        raise BadInput(msg)
    return dtype


def element_size(datatype: str) -> int:
    """Say how many bytes an element takes in the binary form; not for BYTES, whose sizes differ.

    Raises:
        BadInput: when the protocol has no such type.
    """
    return _BF16_BYTES if datatype == _BF16 else dtype_from_name(datatype).itemsize


def array_to_bytes(array: NDArray[Any], datatype: str = "") -> Buffer:
    """Write an array's elements in row-major order, little-endian; no copy where none is needed.

    Args:
        array: any that can be sent.
        datatype: "BF16" rounds FP32 elements to that; anything else leaves them as they are.

    Raises:
        BadInput: when the array's type cannot be sent.
    """
    name = datatype_of(array)
    if datatype == _BF16 and name == "FP32":
        return _round_to_bf16(array)
    if name == "BYTES":
        return _pack_elements([element_to_bytes(element) for element in array.ravel()])
    if array.nbytes <= _SMALL_BYTES and array.dtype.byteorder != ">":
        return array.tobytes()
    plain = np.ascontiguousarray(array, dtype=DATATYPES[name])
    return plain.reshape(-1).view(np.uint8).data


def array_from_bytes(data: Buffer, datatype: str, shape: Sequence[int]) -> NDArray[Any]:
    """Read an array from its binary form; numbers share the memory of `data`.

    Raises:
        BadInput: when the bytes do not fill the shape exactly, or the type is unknown.
    """
    dtype = dtype_from_name(datatype)
    if datatype == "BYTES":
        return shaped(objects_from(_unpack_elements(data)), shape)
    if len(data) % element_size(datatype):
        msg = f"{len(data)} bytes are no whole number of {datatype} elements"
        raise BadInput(msg)
    if datatype == _BF16:
        return shaped(_widen_bf16(data), shape)
    return shaped(np.frombuffer(data, dtype=dtype), shape)


def shaped(flat: NDArray[Any], shape: Sequence[int]) -> NDArray[Any]:
    """Give elements the shape that the wire says.

    Raises:
        BadInput: when they do not fill it exactly.
    """
    # A negative size would make numpy guess it, and an empty array fits any shape with a zero.
    if any(size < 0 for size in shape):
        msg = f"a shape has no negative sizes, got {list(shape)}"
        raise BadInput(msg)
    try:
        return flat.reshape(tuple(shape))
    except (ValueError, OverflowError) as error:
        msg = f"{flat.size} elements do not fill the shape {list(shape)}"
        raise BadInput(msg) from error


def objects_from(elements: Sequence[bytes]) -> NDArray[np.object_]:
    """Make a flat array of BYTES elements."""
    array = np.empty(len(elements), dtype=np.object_)
    array[:] = elements
    return array


def element_to_bytes(element: object) -> bytes:
    """Read one element of a BYTES array; text is UTF-8.

    Raises:
        BadInput: when it is neither bytes nor text.
    """
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


def _round_to_bf16(array: NDArray[Any]) -> Buffer:
    bits = np.ascontiguousarray(array, dtype="<f4").reshape(-1).view("<u4")
    kept = bits >> _BF16_BITS_DROPPED
    # Half a unit of the last kept place, and one less where that place is even: ties to even.
    upper = (bits + (0x7FFF + (kept & 1))) >> _BF16_BITS_DROPPED
    # A NaN whose payload lies in the dropped bits alone would round to infinity: keep it quiet.
    upper = np.where(np.isnan(bits.view("<f4")), kept | 0x0040, upper)
    return upper.astype("<u2").view(np.uint8).data


def _widen_bf16(data: Buffer) -> NDArray[np.float32]:
    bits = np.frombuffer(data, dtype="<u2").astype("<u4") << _BF16_BITS_DROPPED
    return bits.view("<f4")
