"""Open Inference Protocol (v2), REST: requests and responses as bytes and as arrays.

Tensors travel as JSON, or by the binary extension: the body is a JSON header, whose length stands
in the HTTP header `Inference-Header-Content-Length`, followed by the raw data of the binary
tensors in the order in which the JSON names them; or they lie in shared memory.
(https://github.com/kserve/open-inference-protocol, Triton's extensions of it.) `v2_raw.py` has the
request without any JSON.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, TypeVar

import msgspec
from numpy.typing import NDArray

from serving.errors import BadInput
from serving.protocol.infer import (
    NO_REGIONS,
    InferRequest,
    InferResponse,
    Regions,
    Wanted,
    check_wanted,
    flag_from,
    place_from,
    priority_from,
    sequence_from,
    timeout_from,
    wanted_from,
)
from serving.protocol.json_tensors import array_from_json, array_to_json
from serving.protocol.tensors import (
    Buffer,
    Tensors,
    array_from_bytes,
    array_to_bytes,
    datatype_of,
)

__all__ = (
    "HEADER_LENGTH",
    "InferRequest",
    "InferResponse",
    "Payload",
    "decode_request",
    "decode_response",
    "encode_request",
    "encode_response",
)

HEADER_LENGTH = "Inference-Header-Content-Length"
"""The HTTP header with the length in bytes of the JSON that precedes binary tensors."""

_MICROSECONDS_IN_S = 1e6


@dataclass(frozen=True, slots=True, eq=False)
class Payload:
    """The body of a request or a response.

    Attributes:
        body: what goes over the wire.
        header_length: bytes of JSON at its start; None when the body is JSON alone.
    """

    body: Buffer
    header_length: int | None = None


# The wire's own structs pass over unknown fields: other people's clients send extensions of theirs.
# What is read keeps its data as text, for what it means depends on the datatype.
class _WireTensor(msgspec.Struct, kw_only=True, omit_defaults=True):
    name: str
    datatype: str
    shape: list[int]
    parameters: dict[str, Any] = {}
    data: msgspec.Raw = msgspec.Raw()


class _WireOutput(msgspec.Struct, kw_only=True, omit_defaults=True):
    name: str
    parameters: dict[str, Any] = {}


class _WireRequest(msgspec.Struct, kw_only=True, omit_defaults=True):
    inputs: list[_WireTensor]
    id: str = ""
    outputs: list[_WireOutput] = []
    parameters: dict[str, Any] = {}


class _WireResponse(msgspec.Struct, kw_only=True, omit_defaults=True):
    model_name: str
    outputs: list[_WireTensor]
    model_version: str = ""
    id: str = ""


_Wire = TypeVar("_Wire", _WireRequest, _WireResponse)

_read_request = msgspec.json.Decoder(_WireRequest).decode
_read_response = msgspec.json.Decoder(_WireResponse).decode
_write = msgspec.json.Encoder().encode


def encode_request(request: InferRequest) -> Payload:
    """Write a request with binary tensors."""
    wants = dict.fromkeys(request.inputs, Wanted(is_binary=True))
    tensors, buffers = _tensors_to_wire(request.inputs, wants, {}, NO_REGIONS)
    parameters: dict[str, Any] = {"binary_data_output": True} if request.wants_binary else {}
    if request.timeout_s is not None:
        parameters["timeout"] = round(request.timeout_s * _MICROSECONDS_IN_S)
    wire = _WireRequest(
        inputs=tensors,
        id=request.id,
        outputs=[
            _WireOutput(name=name, parameters={"binary_data": wanted.is_binary})
            for name, wanted in request.wants.items()
        ],
        parameters=parameters,
    )
    return _join(wire, buffers)


def decode_request(
    body: Buffer, header_length: int | None = None, regions: Regions = NO_REGIONS
) -> InferRequest:
    """Read a request.

    Args:
        body: JSON, and behind it perhaps binary tensors.
        header_length: bytes of the JSON; None: all.
        regions: where inputs in shared memory are read from.

    Raises:
        BadInput: when the bytes are no such request.
        NotAllowed: when inputs lie in shared memory, and none is taken.
    """
    text, data = _split(body, header_length)
    wire = _decode(_read_request, text)
    parameters = wire.parameters
    if not parameters:
        wants = {o.name: wanted_from(o.parameters, is_binary=False) for o in wire.outputs}
        inputs = _tensors_from_wire(wire.inputs, data, regions)
        return InferRequest(inputs=inputs, id=wire.id, wants=wants)
    is_binary = flag_from(parameters, "binary_data_output", default=False)
    return InferRequest(
        inputs=_tensors_from_wire(wire.inputs, data, regions),
        id=wire.id,
        wants={o.name: wanted_from(o.parameters, is_binary=is_binary) for o in wire.outputs},
        wants_binary=is_binary,
        timeout_s=timeout_from(parameters),
        priority=priority_from(parameters),
        sequence=sequence_from(parameters),
        parameters=parameters,
    )


def encode_response(
    response: InferResponse, request: InferRequest, regions: Regions = NO_REGIONS
) -> Payload:
    """Write the outputs that the request wants, each in the form that it wants.

    Args:
        response: with all outputs.
        request: what is answered.
        regions: where outputs that are wanted in shared memory are put.

    Raises:
        BadInput: when it wants an output that the model does not have, or a place in shared memory
            that is too small.
        NotAllowed: when it wants one in shared memory, and none is taken.
    """
    check_wanted(request.wants, response.outputs)
    wants = request.wants or dict.fromkeys(
        response.outputs, wanted_from({}, is_binary=request.wants_binary)
    )
    tensors, buffers = _tensors_to_wire(response.outputs, wants, response.datatypes, regions)
    wire = _WireResponse(
        model_name=response.model_name,
        model_version=response.model_version,
        id=response.id,
        outputs=tensors,
    )
    return _join(wire, buffers)


def decode_response(body: Buffer, header_length: int | None = None) -> InferResponse:
    """Read a response; numbers share the memory of `body`.

    Raises:
        BadInput: when the bytes are no such response.
    """
    text, data = _split(body, header_length)
    wire = _decode(_read_response, text)
    return InferResponse(
        model_name=wire.model_name,
        model_version=wire.model_version,
        outputs=_tensors_from_wire(wire.outputs, data, NO_REGIONS),
        id=wire.id,
    )


def _split(body: Buffer, header_length: int | None) -> tuple[memoryview, memoryview]:
    view = memoryview(body)
    length = len(view) if header_length is None else header_length
    if not 0 <= length <= len(view):
        msg = f"{HEADER_LENGTH} is {length}, the body has {len(view)} bytes"
        raise BadInput(msg)
    return view[:length], view[length:]


def _decode(read: Callable[[memoryview], _Wire], text: memoryview) -> _Wire:
    try:
        return read(text)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        msg = f"the JSON is not what the protocol says: {error}"
        raise BadInput(msg) from error


def _join(wire: _WireRequest | _WireResponse, buffers: list[Buffer]) -> Payload:
    header = _write(wire)
    if not buffers:
        return Payload(header)
    return Payload(b"".join((header, *buffers)), len(header))


def _tensors_to_wire(
    tensors: Tensors,
    wants: Mapping[str, Wanted],
    datatypes: Mapping[str, str],
    regions: Regions,
) -> tuple[list[_WireTensor], list[Buffer]]:
    """List the wanted tensors, and the data of those wanted as binary."""
    wires: list[_WireTensor] = []
    buffers: list[Buffer] = []
    for name, wanted in wants.items():
        array = tensors[name]
        datatype = datatypes.get(name) or datatype_of(array)
        wire = _WireTensor(name=name, datatype=datatype, shape=list(array.shape))
        if wanted.place is not None:
            # As Triton tells nothing more of such an output, its clients look for nothing more.
            regions.write(wanted.place, array_to_bytes(array, datatype))
        elif wanted.is_binary:
            data = array_to_bytes(array, datatype)
            wire.parameters = {"binary_data_size": len(data)}
            buffers.append(data)
        else:
            wire.data = array_to_json(array)
        wires.append(wire)
    return wires, buffers


def _tensors_from_wire(wires: list[_WireTensor], data: memoryview, regions: Regions) -> Tensors:
    tensors: dict[str, Any] = {}
    at = 0
    for wire in wires:
        if wire.name in tensors:
            msg = f"two tensors are called {wire.name!r}"
            raise BadInput(msg)
        size = wire.parameters.get("binary_data_size")
        try:
            if size is None:
                tensors[wire.name] = _tensor_from_wire(wire, regions)
            else:
                end = at + _binary_size(size, len(data) - at)
                tensors[wire.name] = array_from_bytes(data[at:end], wire.datatype, wire.shape)
                at = end
        except BadInput as error:
            msg = f"tensor {wire.name!r}: {error}"
            raise BadInput(msg) from error
    if at != len(data):
        msg = f"{len(data) - at} bytes of data belong to no tensor"
        raise BadInput(msg)
    return tensors


def _tensor_from_wire(wire: _WireTensor, regions: Regions) -> NDArray[Any]:
    """Read a tensor whose data stands in the JSON, or in shared memory."""
    place = place_from(wire.parameters) if wire.parameters else None
    text = memoryview(wire.data)
    if (place is None) == (len(text) == 0):
        msg = "its data must be in the request or in shared memory, and not in both"
        raise BadInput(msg)
    if place is None:
        return array_from_json(text, wire.datatype, wire.shape)
    return array_from_bytes(regions.read(place), wire.datatype, wire.shape)


def _binary_size(size: object, left: int) -> int:
    if type(size) is not int or not 0 <= size <= left:
        msg = f"binary_data_size is {size!r}, {left} bytes are left"
        raise BadInput(msg)
    return size
