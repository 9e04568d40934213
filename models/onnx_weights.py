"""Graphs without weights of their own: their constants point into a file of weights.

So the CPU's route (the graph) and the GPU's (the network) read the same numbers.
"""

import json
import struct
from dataclasses import dataclass
from pathlib import Path

from onnx import ModelProto, TensorProto, helper

__all__ = ("point_into",)

_SMALLEST = 256  # numbers; smaller constants stay in the graph, where they cost nothing
_TYPES = {"F16": TensorProto.FLOAT16, "F32": TensorProto.FLOAT}


@dataclass(frozen=True, slots=True)
class _Place:
    """Where a tensor's bytes lie in a file."""

    offset: int
    length: int
    type: int

    @property
    def count(self) -> int:
        return self.length // (2 if self.type == TensorProto.FLOAT16 else 4)


def point_into(graph: ModelProto, weights: Path) -> None:
    """Replace the graph's large constants by references into a safetensors file beside it.

    Args:
        graph: with constants under the names that they have in the file; it is changed.
        weights: float16 or float32; what is float16 there is cast when the graph is loaded.
    """
    places = _places(weights)
    casts, kept = [], []
    for constant in graph.graph.initializer:
        place = places.get(constant.name)
        if place is None or place.count < _SMALLEST:
            kept.append(constant)
        elif place.type == TensorProto.FLOAT:
            kept.append(_reference(constant.name, constant, weights.name, place))
        else:
            half = f"{constant.name}.half"
            kept.append(_reference(half, constant, weights.name, place))
            casts.append(helper.make_node("Cast", [half], [constant.name], to=TensorProto.FLOAT))
    nodes = [*casts, *graph.graph.node]
    del graph.graph.initializer[:], graph.graph.node[:]
    graph.graph.initializer.extend(kept)
    graph.graph.node.extend(nodes)


def _places(weights: Path) -> dict[str, _Place]:
    """Where each tensor's bytes lie in a safetensors file.

    The format: eight bytes of length, a JSON header of that length, then the tensors' bytes.
    """
    with weights.open("rb") as file:
        (length,) = struct.unpack("<Q", file.read(8))
        header = json.loads(file.read(length))
    header.pop("__metadata__", None)
    start = 8 + length
    return {name: _place(start, **entry) for name, entry in header.items()}


def _place(start: int, dtype: str, shape: object, data_offsets: tuple[int, int]) -> _Place:
    first, last = data_offsets
    return _Place(offset=start + first, length=last - first, type=_TYPES[dtype])


def _reference(name: str, constant: TensorProto, file: str, place: _Place) -> TensorProto:
    tensor = TensorProto(name=name, data_type=place.type, dims=constant.dims)
    tensor.data_location = TensorProto.EXTERNAL
    for key, value in (("location", file), ("offset", place.offset), ("length", place.length)):
        tensor.external_data.add(key=key, value=str(value))
    return tensor
