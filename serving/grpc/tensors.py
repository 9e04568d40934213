"""Requests and responses of the Open Inference Protocol as messages and as arrays.

Tensors travel as raw bytes, as lists typed by their datatype, or in shared memory. An answer takes
the form of its request: raw to raw (and to shared memory), lists to lists.
"""

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from serving.errors import BadInput
from serving.protocol.infer import (
    InferRequest,
    InferResponse,
    Regions,
    Wanted,
    check_wanted,
    place_from,
    priority_from,
    sequence_from,
    timeout_from,
    wanted_from,
)
from serving.protocol.proto.generated.open_inference_pb2 import (
    InferParameter,
    InferTensorContents,
    ModelInferRequest,
    ModelInferResponse,
)
from serving.protocol.tensors import (
    Tensors,
    array_from_bytes,
    array_to_bytes,
    datatype_of,
    dtype_from_name,
    element_to_bytes,
    objects_from,
    shaped,
)

__all__ = ("message_from_response", "request_from_message")

_LISTS = {
    "BOOL": "bool_contents",
    "INT8": "int_contents",
    "INT16": "int_contents",
    "INT32": "int_contents",
    "INT64": "int64_contents",
    "UINT8": "uint_contents",
    "UINT16": "uint_contents",
    "UINT32": "uint_contents",
    "UINT64": "uint64_contents",
    "FP32": "fp32_contents",
    "FP64": "fp64_contents",
    "BYTES": "bytes_contents",
}
"""Datatype to the field of its list; FP16 and BF16 have none and are always raw."""


def request_from_message(message: ModelInferRequest, regions: Regions) -> InferRequest:
    """Read a request.

    Args:
        message: as it came.
        regions: where inputs in shared memory are read from.

    Raises:
        BadInput: when it is not what the protocol says.
        NotAllowed: when inputs lie in shared memory, and none is taken.
    """
    parameters = _parameters_from(message.parameters)
    inputs = _inputs(message, regions)
    wants = {
        output.name: wanted_from(_parameters_from(output.parameters), is_binary=True)
        for output in message.outputs
    }
    is_raw = not any(each.HasField("contents") for each in message.inputs)
    if not parameters:
        return InferRequest(inputs=inputs, id=message.id, wants=wants, wants_binary=is_raw)
    return InferRequest(
        inputs=inputs,
        id=message.id,
        wants=wants,
        wants_binary=is_raw,
        timeout_s=timeout_from(parameters),
        priority=priority_from(parameters),
        sequence=sequence_from(parameters),
        parameters=parameters,
    )


def message_from_response(
    response: InferResponse, request: InferRequest, regions: Regions
) -> ModelInferResponse:
    """Write the outputs that the request wants.

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
    message = ModelInferResponse(
        model_name=response.model_name, model_version=response.model_version, id=response.id
    )
    wants: Mapping[str, Wanted] = request.wants or dict.fromkeys(response.outputs, Wanted())
    datatypes = {
        name: response.datatypes.get(name) or datatype_of(response.outputs[name]) for name in wants
    }
    is_raw = request.wants_binary or not all(each in _LISTS for each in datatypes.values())
    for name, wanted in wants.items():
        array, datatype = response.outputs[name], datatypes[name]
        output = message.outputs.add(name=name, datatype=datatype, shape=array.shape)
        if wanted.place is not None:
            regions.write(wanted.place, array_to_bytes(array, datatype))
            # Triton's clients find an output's bytes by its index among all outputs.
            if is_raw:
                message.raw_output_contents.append(b"")
        elif is_raw:
            message.raw_output_contents.append(bytes(array_to_bytes(array, datatype)))
        else:
            _fill(output.contents, array, datatype)
    return message


def _parameters_from(parameters: Mapping[str, InferParameter]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for name, value in parameters.items():
        choice = value.WhichOneof("parameter_choice")
        if choice is not None:
            found[name] = getattr(value, choice)
    return found


def _inputs(message: ModelInferRequest, regions: Regions) -> Tensors:
    raw = iter(message.raw_input_contents)
    has_raw = bool(message.raw_input_contents)
    tensors: dict[str, NDArray[Any]] = {}
    for each in message.inputs:
        if each.name in tensors:
            msg = f"two tensors are called {each.name!r}"
            raise BadInput(msg)
        place = place_from(_parameters_from(each.parameters)) if each.parameters else None
        try:
            if place is not None:
                array = array_from_bytes(regions.read(place), each.datatype, each.shape)
            elif has_raw:
                array = array_from_bytes(_next(raw, each), each.datatype, each.shape)
            else:
                array = _array_from_list(each)
        except BadInput as error:
            msg = f"tensor {each.name!r}: {error}"
            raise BadInput(msg) from error
        tensors[each.name] = array
    if next(raw, None) is not None:
        msg = "there are more raw_input_contents than inputs"
        raise BadInput(msg)
    return tensors


def _next(raw: Iterator[bytes], tensor: ModelInferRequest.InferInputTensor) -> bytes:
    data = next(raw, None)
    if data is None or tensor.HasField("contents"):
        msg = "with raw_input_contents each input has one of them, and no contents of its own"
        raise BadInput(msg)
    return data


def _array_from_list(tensor: ModelInferRequest.InferInputTensor) -> NDArray[Any]:
    dtype = dtype_from_name(tensor.datatype)
    field = _LISTS.get(tensor.datatype)
    if field is None:
        msg = f"{tensor.datatype} elements are sent in raw_input_contents"
        raise BadInput(msg)
    values = list(getattr(tensor.contents, field))
    if tensor.datatype == "BYTES":
        return shaped(objects_from(values), tensor.shape)
    try:
        return shaped(np.array(values, dtype=dtype), tensor.shape)
    except OverflowError as error:
        msg = f"a value does not fit datatype {tensor.datatype}"
        raise BadInput(msg) from error


def _fill(contents: InferTensorContents, array: NDArray[Any], datatype: str) -> None:
    values = array.ravel()
    if datatype == "BYTES":
        contents.bytes_contents.extend(element_to_bytes(value) for value in values)
    else:
        getattr(contents, _LISTS[datatype]).extend(values.tolist())
