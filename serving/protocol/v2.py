"""Open Inference Protocol (v2), REST: requests and responses as bytes and as arrays.

Tensors travel as JSON, or by the binary extension: the body is a JSON header, whose length stands
in the HTTP header `Inference-Header-Content-Length`, followed by the raw data of the binary
tensors in the order in which the JSON names them.
(https://github.com/kserve/open-inference-protocol, Triton's extension_binary_data.)
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, TypeVar

import msgspec

from serving.errors import BadInput
from serving.protocol.tensors import (
    Buffer,
    Tensors,
    array_from_bytes,
    array_from_json,
    array_to_bytes,
    array_to_json,
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

_MICROSECONDS = 1e-6


@dataclass(frozen=True, slots=True, eq=False)
class Payload:
    """The body of a request or a response.

    Attributes:
        body: what goes over the wire.
        header_length: bytes of JSON at its start; None when the body is JSON alone.
    """

    body: Buffer
    header_length: int | None = None


@dataclass(frozen=True, slots=True, eq=False)
class InferRequest:
    """What a client asks of a model.

    Attributes:
        inputs: the named arrays.
        id: given back in the response.
        wants: output name to "as binary?"; empty asks for every output.
        wants_binary: how outputs travel that `wants` does not name.
        timeout_s: seconds the client waits for the answer; None leaves it to the server.
    """

    inputs: Tensors
    id: str = ""
    wants: Mapping[str, bool] = field(default_factory=dict)
    wants_binary: bool = False
    timeout_s: float | None = None


@dataclass(frozen=True, slots=True, eq=False)
class InferResponse:
    """What a model answers.

    Attributes:
        model_name: who answered.
        model_version: which version of it.
        outputs: the named arrays.
        id: of the request.
    """

    model_name: str
    model_version: str
    outputs: Tensors
    id: str = ""


# The wire's own structs pass over unknown fields: other people's clients send extensions of theirs.
class _WireTensor(msgspec.Struct, kw_only=True, omit_defaults=True):
    name: str
    datatype: str
    shape: list[int]
    parameters: dict[str, Any] = {}
    data: Any = None


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


def encode_request(request: InferRequest) -> Payload:
    """Write a request with binary tensors."""
    tensors, buffers = _tensors_to_wire(request.inputs, dict.fromkeys(request.inputs, True))
    parameters: dict[str, Any] = {"binary_data_output": True} if request.wants_binary else {}
    if request.timeout_s is not None:
        parameters["timeout"] = round(request.timeout_s / _MICROSECONDS)
    wire = _WireRequest(
        inputs=tensors,
        id=request.id,
        outputs=[
            _WireOutput(name=name, parameters={"binary_data": binary})
            for name, binary in request.wants.items()
        ],
        parameters=parameters,
    )
    return _join(wire, buffers)


def decode_request(body: Buffer, header_length: int | None = None) -> InferRequest:
    """Read a request.

    Raises:
        BadInput: when the bytes are no such request.
    """
    wire, data = _split(body, header_length, _WireRequest)
    binary = _flag(wire.parameters, "binary_data_output", default=False)
    wants = {
        output.name: _flag(output.parameters, "binary_data", default=binary)
        for output in wire.outputs
    }
    return InferRequest(
        inputs=_tensors_from_wire(wire.inputs, data),
        id=wire.id,
        wants=wants,
        wants_binary=binary,
        timeout_s=_timeout_s(wire.parameters),
    )


def encode_response(response: InferResponse, request: InferRequest) -> Payload:
    """Write the outputs that the request wants, each in the form that it wants.

    Raises:
        BadInput: when it wants an output that the model does not have.
    """
    missing = request.wants.keys() - response.outputs.keys()
    if missing:
        msg = f"no output {', '.join(sorted(missing))}; there are {', '.join(response.outputs)}"
        raise BadInput(msg)
    wants = request.wants or dict.fromkeys(response.outputs, request.wants_binary)
    tensors, buffers = _tensors_to_wire(response.outputs, wants)
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
    wire, data = _split(body, header_length, _WireResponse)
    return InferResponse(
        model_name=wire.model_name,
        model_version=wire.model_version,
        outputs=_tensors_from_wire(wire.outputs, data),
        id=wire.id,
    )


def _split(body: Buffer, header_length: int | None, kind: type[_Wire]) -> tuple[_Wire, memoryview]:
    view = memoryview(body)
    length = len(view) if header_length is None else header_length
    if not 0 <= length <= len(view):
        msg = f"{HEADER_LENGTH} is {length}, the body has {len(view)} bytes"
        raise BadInput(msg)
    try:
        wire = msgspec.json.decode(view[:length], type=kind)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        msg = f"the JSON is not what the protocol says: {error}"
        raise BadInput(msg) from error
    return wire, view[length:]


def _join(wire: _WireRequest | _WireResponse, buffers: list[Buffer]) -> Payload:
    header = msgspec.json.encode(wire)
    if not buffers:
        return Payload(header)
    return Payload(b"".join((header, *buffers)), len(header))


def _tensors_to_wire(
    tensors: Tensors, wants: Mapping[str, bool]
) -> tuple[list[_WireTensor], list[Buffer]]:
    """List the wanted tensors, and the data of those wanted as binary."""
    wires: list[_WireTensor] = []
    buffers: list[Buffer] = []
    for name, binary in wants.items():
        array = tensors[name]
        wire = _WireTensor(name=name, datatype=datatype_of(array), shape=list(array.shape))
        if binary:
            data = array_to_bytes(array)
            wire.parameters = {"binary_data_size": len(data)}
            buffers.append(data)
        else:
            wire.data = array_to_json(array)
        wires.append(wire)
    return wires, buffers


def _tensors_from_wire(wires: list[_WireTensor], data: memoryview) -> Tensors:
    tensors: dict[str, Any] = {}
    at = 0
    for wire in wires:
        if wire.name in tensors:
            msg = f"two tensors are called {wire.name!r}"
            raise BadInput(msg)
        size = wire.parameters.get("binary_data_size")
        try:
            if size is None:
                tensors[wire.name] = array_from_json(wire.data, wire.datatype, wire.shape)
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


def _binary_size(size: object, left: int) -> int:
    if type(size) is not int or not 0 <= size <= left:
        msg = f"binary_data_size is {size!r}, {left} bytes are left"
        raise BadInput(msg)
    return size


def _flag(parameters: Mapping[str, Any], name: str, *, default: bool) -> bool:
    value = parameters.get(name, default)
    if not isinstance(value, bool):
        msg = f"parameter {name} must be true or false, got {value!r}"
        raise BadInput(msg)
    return value


def _timeout_s(parameters: Mapping[str, Any]) -> float | None:
    """Read the time-out, which the protocol gives in microseconds; 0 means none, as in Triton."""
    value = parameters.get("timeout", 0)
    if type(value) is not int or value < 0:
        msg = f"parameter timeout must be a whole number of microseconds, got {value!r}"
        raise BadInput(msg)
    return value * _MICROSECONDS if value else None
