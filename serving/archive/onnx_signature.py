"""What an ONNX file takes and gives, read from the file itself.

Only the few fields that say so are looked at (ONNX's onnx.proto, IR version 3 and later); weights
are stepped over, so that the server needs neither the memory nor a runtime for it.
"""

import mmap
from collections.abc import Iterator
from pathlib import Path

from serving.errors import InvalidModel
from serving.protocol.metadata import TensorMetadata

__all__ = ("read_onnx_signature",)

_GRAPH, _INITIALIZER, _INPUT, _OUTPUT = 7, 5, 11, 12
_INITIALIZER_NAME = 8

_DATATYPES = {
    1: "FP32",
    2: "UINT8",
    3: "INT8",
    4: "UINT16",
    5: "INT16",
    6: "INT32",
    7: "INT64",
    8: "BYTES",
    9: "BOOL",
    10: "FP16",
    11: "FP64",
    12: "UINT32",
    13: "UINT64",
    16: "BF16",
}

_VARINT, _FIXED64, _LENGTH, _FIXED32 = 0, 1, 2, 5

_View = memoryview


def read_onnx_signature(
    path: Path,
) -> tuple[tuple[TensorMetadata, ...], tuple[TensorMetadata, ...]]:
    """Read the inputs and outputs of a graph, with all their axes; -1 where a size is free.

    Raises:
        InvalidModel: when the file is no ONNX, or takes or gives anything but tensors.
    """
    try:
        with path.open("rb") as file:
            # Closed with the last view of it: an error's traceback may hold one.
            data = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
        return _read(memoryview(data))
    except (OSError, ValueError, IndexError) as error:
        msg = f"{path.name} is no ONNX file: {error}"
        raise InvalidModel(msg) from error


def _read(view: _View) -> tuple[tuple[TensorMetadata, ...], tuple[TensorMetadata, ...]]:
    graphs = _messages(view, _GRAPH)
    inputs: list[TensorMetadata] = []
    outputs: list[TensorMetadata] = []
    weights: set[str] = set()
    for graph in graphs:
        for number, value in _fields(graph):
            if number == _INITIALIZER and isinstance(value, memoryview):
                weights.add(_text(value, _INITIALIZER_NAME))
            elif number == _INPUT and isinstance(value, memoryview):
                inputs.append(_tensor(value))
            elif number == _OUTPUT and isinstance(value, memoryview):
                outputs.append(_tensor(value))
    if not outputs:
        msg = "there is no graph with outputs"
        raise ValueError(msg)
    # Older files list weights among the inputs.
    return tuple(t for t in inputs if t.name not in weights), tuple(outputs)


def _tensor(value: _View) -> TensorMetadata:
    name = _text(value, 1)
    kinds = [tensor for kind in _messages(value, 2) for tensor in _messages(kind, 1)]
    if not kinds:
        msg = f"{name} is no tensor"
        raise ValueError(msg)
    numbers = [n for field, n in _fields(kinds[0]) if field == 1 and isinstance(n, int)]
    datatype = _DATATYPES.get(numbers[0] if numbers else 0)
    if datatype is None:
        msg = f"the elements of {name} are of a type that cannot be sent"
        raise ValueError(msg)
    axes = [axis for shape in _messages(kinds[0], 2) for axis in _messages(shape, 1)]
    return TensorMetadata(name=name, datatype=datatype, shape=tuple(map(_size, axes)))


def _size(axis: _View) -> int:
    sizes = [size for field, size in _fields(axis) if field == 1 and isinstance(size, int)]
    return sizes[0] if sizes and sizes[0] > 0 else -1


def _messages(view: _View, wanted: int) -> list[_View]:
    return [
        value
        for number, value in _fields(view)
        if number == wanted and isinstance(value, memoryview)
    ]


def _text(view: _View, wanted: int) -> str:
    return "".join(bytes(value).decode() for value in _messages(view, wanted))


def _fields(view: _View) -> Iterator[tuple[int, int | _View]]:
    """Go through the fields of a message: number, and a number or the bytes of it."""
    at = 0
    while at < len(view):
        key, at = _varint(view, at)
        wire = key & 7
        if wire == _VARINT:
            value, at = _varint(view, at)
            yield key >> 3, value
            continue
        if wire == _LENGTH:
            size, at = _varint(view, at)
        else:
            size = {_FIXED64: 8, _FIXED32: 4}.get(wire, -1)
        if not 0 <= size <= len(view) - at:
            msg = "a field ends behind the file"
            raise ValueError(msg)
        yield key >> 3, view[at : at + size]
        at += size


def _varint(view: _View, at: int) -> tuple[int, int]:
    value = shift = 0
    while True:
        byte = view[at]
        at += 1
        value |= (byte & 0x7F) << shift
        if byte < 0x80:
            return value, at
        shift += 7
        if shift > 63:
            msg = "a number is too long"
            raise ValueError(msg)
