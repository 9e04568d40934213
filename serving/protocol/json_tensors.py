"""Tensors of the Open Inference Protocol in JSON: lists, flat or nested in row-major order.

Long lists are read and written in pieces: a decoder that works on megabytes at once would hold the
interpreter for as long, and with it every other request.
"""

import re
from collections.abc import Callable, Iterator, Sequence
from itertools import chain
from typing import Any

import msgspec
import numpy as np
from numpy.typing import NDArray

from serving.errors import BadInput
from serving.protocol.tensors import (
    Buffer,
    datatype_of,
    dtype_from_name,
    element_to_bytes,
    objects_from,
    shaped,
)

__all__ = ("LONG", "array_from_json", "array_to_json")

LONG = 64 * 1024
"""Longer lists are read and written in pieces of this many bytes, or as many elements."""

# What a list holds of each kind of number, as `msgspec` checks it: it takes 1 for a float, but
# neither true for a number nor 1.0 for an integer.
_read_integers = msgspec.json.Decoder(list[int]).decode
_READERS: dict[str, Callable[[Buffer], list[Any]]] = {
    "b": msgspec.json.Decoder(list[bool]).decode,
    "f": msgspec.json.Decoder(list[float]).decode,
    "i": _read_integers,
    "u": _read_integers,
}

_ALLOWED: dict[str, set[type]] = {"b": {bool}, "f": {int, float}, "i": {int}, "u": {int}}

_BLANKS = b" \t\r\n"
_IN_NUMBERS = b"0123456789.eE+-"
_TURNS = re.compile(rb"(\]+),(\[+)")


def array_from_json(text: Buffer, datatype: str, shape: Sequence[int]) -> NDArray[Any]:
    """Read an array from a list in JSON.

    Args:
        text: JSON of the list.
        datatype: the protocol's name of the element type.
        shape: sizes, all >= 0.

    Raises:
        BadInput: when values are of another type, out of range, or do not fill the shape.
    """
    dtype = dtype_from_name(datatype)
    if dtype.kind == "O":
        values = _flatten(_any_json(text))
        return shaped(objects_from([_text_to_bytes(value) for value in values]), shape)
    flat = _flat_text(bytes(text)) if len(text) > LONG else None
    if flat is not None:
        return shaped(_numbers_in_pieces(flat, datatype, dtype), shape)
    try:
        values = _READERS[dtype.kind](text)
    except msgspec.DecodeError:
        values = _checked(_flatten(_any_json(text)), datatype, dtype)
    return shaped(_numbers(values, datatype, dtype), shape)


def array_to_json(array: NDArray[Any]) -> msgspec.Raw:
    """Write an array's elements as a flat list, in row-major order; bytes become text.

    JSON knows neither NaN nor the infinities; they become null.

    Raises:
        BadInput: when an element is no UTF-8 text, which JSON cannot carry.
    """
    flat = array.ravel()
    if datatype_of(array) == "BYTES":
        return msgspec.Raw(msgspec.json.encode(_texts(flat)))
    if flat.size <= LONG:
        return msgspec.Raw(msgspec.json.encode(flat.tolist()))
    pieces = (flat[at : at + LONG].tolist() for at in range(0, flat.size, LONG))
    return msgspec.Raw(b"[%b]" % b",".join(msgspec.json.encode(piece)[1:-1] for piece in pieces))


def _flat_text(text: bytes) -> bytes | None:
    """Leave the brackets of a list of numbers out; None where it is no even nest of them."""
    text = text.strip()
    if text.startswith(b"[") and not any(mark in text for mark in (b'"', b"{")):
        is_flat = text.find(b"[", 1) < 0
        return text[1:-1] if is_flat else _flat_nest(text)
    return None


def _flat_nest(text: bytes) -> bytes | None:
    compact = text.translate(None, _BLANKS)
    skeleton = compact.translate(None, _IN_NUMBERS)
    depth = len(skeleton) - len(skeleton.lstrip(b"["))
    if not skeleton.endswith(b"]" * depth) or b"[]" in compact:
        return None
    inside = skeleton[depth:-depth]
    for down, up in _TURNS.findall(inside):
        if len(down) != len(up) or len(up) >= depth:
            return None
    if _TURNS.sub(b"", inside).strip(b","):
        return None
    return compact.translate(None, b"[]")


def _pieces(text: bytes) -> Iterator[bytes]:
    at = 0
    while len(text) - at > LONG:
        end = text.rfind(b",", at, at + LONG)
        if end < 0:
            break
        yield text[at:end]
        at = end + 1
    yield text[at:]


def _numbers_in_pieces(text: bytes, datatype: str, dtype: np.dtype[Any]) -> NDArray[Any]:
    read = _READERS[dtype.kind]
    arrays = []
    for piece in _pieces(text):
        try:
            values = read(b"[%b]" % piece)
        except msgspec.DecodeError as error:
            msg = f"the data is not of datatype {datatype}: {error}"
            raise BadInput(msg) from error
        arrays.append(_numbers(values, datatype, dtype))
    return np.concatenate(arrays)


def _numbers(flat: list[Any], datatype: str, dtype: np.dtype[Any]) -> NDArray[Any]:
    try:
        with np.errstate(over="raise"):
            return np.array(flat, dtype=dtype)
    except (OverflowError, FloatingPointError) as error:
        msg = f"a value does not fit datatype {datatype}"
        raise BadInput(msg) from error


def _checked(flat: list[Any], datatype: str, dtype: np.dtype[Any]) -> list[Any]:
    # Types are compared exactly: bool is a subclass of int in Python, but no number here.
    strange = set(map(type, flat)) - _ALLOWED[dtype.kind]
    if strange:
        msg = f"a value of type {strange.pop().__name__} is none of datatype {datatype}"
        raise BadInput(msg)
    return flat


def _any_json(text: Buffer) -> object:
    try:
        return msgspec.json.decode(text)
    except (msgspec.DecodeError, RecursionError) as error:
        msg = f"the data is no JSON: {error}"
        raise BadInput(msg) from error


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


def _texts(flat: NDArray[Any]) -> list[str]:
    try:
        return [element_to_bytes(element).decode() for element in flat]
    except UnicodeDecodeError as error:
        msg = "the elements are not UTF-8 text: ask for this output as binary data"
        raise BadInput(msg) from error
